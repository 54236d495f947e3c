package main

import (
	"context"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"servematrix/cmd/servematrix/cli"
)

// exampleSweep has two arms that are measured in about a second.
const exampleSweep = `version: 1
name: quickstart
server:
  axes: {backend: [{id: triton, flags: []}, {id: flashinfer, flags: [--disable-radix-cache]}]}
  command: servematrix sim serve --port ${{ late.port }} ${{ backend.flags }}
client:
  bench: {dataset_name: random, backend: sglang-oai, num_prompts: 8, max_concurrency: 4, random_input_len: 64, random_output_len: 8}
`

// TestExamplesOfHelp types the examples of each command's help, which docs/reference/commands.md has
// too, one after the other in a folder with the files that they name.
func TestExamplesOfHelp(t *testing.T) {
	if testing.Short() {
		t.Skip("runs sweeps")
	}
	prepared := exampleFolder(t)
	port := unusedPort(t)
	tried := 0
	for _, cmd := range cli.Root(cli.Env{}).Commands() {
		for _, sub := range append(cmd.Commands(), cmd) {
			if sub.Example == "" {
				continue
			}
			t.Run(sub.CommandPath(), func(t *testing.T) {
				dir := t.TempDir()
				if sub.Name() != "init" { // which makes what the others have
					in(t, dir, "cp -r "+prepared+"/. .")
				}
				for line := range strings.Lines(sub.Example) {
					if line = strings.TrimSpace(line); line != "" {
						tried++
						tryExample(t, dir, sub, strings.NewReplacer("30000", port, "8000", port, "8080", port).Replace(line), port)
					}
				}
			})
		}
	}
	if tried < 20 {
		t.Errorf("only %d examples", tried)
	}
}

func tryExample(t *testing.T, dir string, cmd *cobra.Command, line, port string) {
	switch cmd.CommandPath() {
	case "servematrix doctor": // would end what other tests leave on purpose: its flags are read, no more
		line += " --help"
	case "servematrix sim", "servematrix sim serve", "servematrix bench", "servematrix live": // go on until they are ended
		serve := line
		if cmd.Name() == "bench" {
			serve = "servematrix sim serve --port " + port
		}
		stop := startServer(t, dir, serve)
		if cmd.Name() == "bench" {
			if strings.Contains(line, "--find") {
				line += " --find-from 8 --find-to 32 --find-probe 200ms --find-min-requests 8" // minutes would be its own
			}
			in(t, dir, line+" --random-output-len 8") // its 100,000 tokens would take their time
		}
		stop()
		return
	}
	in(t, dir, line)
}

// in runs a line of shell that must end, and well.
func in(t *testing.T, dir, line string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, "bash", "-c", line)
	cmd.WaitDelay = time.Second
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "NO_COLOR=1", "HOME="+dir)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) }
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", line, err, out)
	}
}

// startServer starts a server in the foreground and waits until it answers; stop is Ctrl-C.
func startServer(t *testing.T, dir, line string) (stop func()) {
	t.Helper()
	words := strings.Fields(line)
	cmd := exec.Command(words[0], words[1:]...)
	cmd.Dir = dir
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	port := words[len(words)-1]
	for i, w := range words {
		if w == "--port" {
			port = words[i+1]
		}
	}
	if !eventually(func() bool { return listens(port) }) {
		t.Fatalf("%s: nobody listens on port %s", line, port)
	}
	return func() {
		if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
			t.Error(err)
		}
		_ = cmd.Wait() // how it ends by a signal is sim's to test
	}
}

// exampleFolder holds the sweep, the runs and the results that examples name.
func exampleFolder(t *testing.T) string {
	dir := t.TempDir()
	attention := strings.Replace(exampleSweep, "quickstart", "attention", 1)
	for name, text := range map[string]string{"sweep.yaml": exampleSweep, "attention.yaml": attention} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for place, sweep := range map[string]string{
		"runs/quickstart-20260102T030405Z": "sweep.yaml", "runs/attention-20260102T030405Z": "attention.yaml", "before": "sweep.yaml", "after": "sweep.yaml",
	} {
		in(t, dir, "mkdir -p runs && servematrix run "+sweep+" --out new --progress none && mv new/* "+place)
	}
	in(t, dir, "mkdir results && for cell in before/cells/*; do cp $cell/b1-a1/client.out results/${cell##*/}.txt; done")
	return dir
}

func unusedPort(t *testing.T) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return strconv.Itoa(l.Addr().(*net.TCPAddr).Port)
}
