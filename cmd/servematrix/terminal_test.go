//go:build linux

package main

import (
	"bufio"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"
)

const short = `version: 1
name: short
server: {command: "servematrix sim serve --port ${{ late.port }} --startup 50ms --workers 0 --stop-poll 10ms"}
client: {command: "sh client.sh ${{ server.url }}"}
`

const patientClient = `until [ -e go ]; do sleep 0.02; done
cat <<'END'
============ Serving Benchmark Result ============
Successful requests:                     8
Benchmark duration (s):                  2.00
Total input tokens:                      80
Total generated tokens:                  80
Request throughput (req/s):              4.00
Output token throughput (tok/s):         40.00
==================================================
END
`

// onTerminal starts a run in a session of its own on a terminal; its client waits for the file "go".
func onTerminal(t *testing.T) (dir string, run *exec.Cmd, master *os.File, name string) {
	dir = t.TempDir()
	for name, text := range map[string]string{"sweep.yaml": short, "client.sh": patientClient} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	run, master, name = typed(t, dir, "run", "sweep.yaml")
	if !eventually(func() bool { return holds(filepath.Join(dir, "runs/*/events.jsonl"), "client.started") }) {
		t.Fatal("the run did not begin")
	}
	return dir, run, master, name
}

// typed starts the program in a folder, in a session of its own on a terminal.
func typed(t *testing.T, dir string, args ...string) (cmd *exec.Cmd, master *os.File, name string) {
	cmd = exec.Command(named(t), args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "TERM=xterm")
	master, slave, err := pty.Open()
	if err != nil {
		t.Skip("no pseudo-terminal here:", err)
	}
	defer slave.Close()
	cmd.Stdin, cmd.Stdout, cmd.Stderr = slave, slave, slave
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { master.Close(); cmd.Process.Kill() })
	return cmd, master, slave.Name()
}

// finished lets the client go on and waits for an orderly end.
func finished(t *testing.T, dir string, run *exec.Cmd) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, "go"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- run.Wait() }()
	select {
	case err := <-ended:
		if err != nil {
			t.Errorf("it ended with %v", err)
		}
	case <-time.After(patience):
		t.Fatal("it does not end")
	}
	if !holds(filepath.Join(dir, "runs/*/events.jsonl"), `"exit_code":0,"ok":1`) {
		t.Error("the run was not finished")
	}
}

// A terminal that is gone, as when ssh drops, ends nothing.
func TestTerminalThatGoesAway(t *testing.T) {
	dir, run, master, _ := onTerminal(t)
	if err := master.Close(); err != nil { // SIGHUP for the session, EIO for every write
		t.Fatal(err)
	}
	finished(t, dir, run)
}

// Nor does one that takes no output, as when Ctrl-S stopped it or ssh hangs: the
// run ends in time, so that the night's next command begins.
func TestTerminalThatTakesNothing(t *testing.T) {
	dir, run, _, name := onTerminal(t)
	full, err := os.OpenFile(name, os.O_WRONLY|unix.O_NOCTTY|unix.O_NONBLOCK, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer full.Close()
	for err == nil { // until the terminal, which nobody reads, takes no more
		_, err = unix.Write(int(full.Fd()), []byte("x"))
	}
	finished(t, dir, run)
}

// Each Enter on the live page's terminal gives a link of its own, and each link lets one browser in,
// once; Ctrl-C ends the page.
func TestEnterGivesANewLink(t *testing.T) {
	dir, run, _, _ := onTerminal(t)
	finished(t, dir, run)
	runs, err := filepath.Glob(filepath.Join(dir, "runs/*-*Z"))
	if err != nil || len(runs) != 1 {
		t.Fatalf("%q, %v", runs, err)
	}
	page, master, _ := typed(t, dir, "live", runs[0])
	said := bufio.NewReader(master)
	link := func() string {
		for {
			line, err := said.ReadString('\n')
			if err != nil {
				t.Fatal(err)
			}
			if _, link, ok := strings.Cut(strings.TrimSpace(line), "live: "); ok {
				return link
			}
		}
	}
	press := func(key string) {
		if _, err := master.WriteString(key); err != nil {
			t.Fatal(err)
		}
	}
	enter := func(link string) int { // without a jar for the cookie that lets a browser in again
		client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
		res, err := client.Get(link)
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
		return res.StatusCode
	}
	first := link()
	if code := enter(first); code >= http.StatusBadRequest {
		t.Errorf("the first link: %d", code)
	}
	press("\r")
	second := link()
	if second == first {
		t.Error("Enter gives the old link")
	}
	if code := enter(first); code < http.StatusBadRequest {
		t.Errorf("the first link again: %d", code)
	}
	if code := enter(second); code >= http.StatusBadRequest {
		t.Errorf("the second link: %d", code)
	}
	press("\x03")
	go func() { _, _ = io.Copy(io.Discard, said) }()
	if err := page.Wait(); err != nil {
		t.Errorf("Ctrl-C: %v", err)
	}
}
