package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"servematrix/cmd/servematrix/cli"
	"servematrix/process"
	"servematrix/schema/schematest"
	"servematrix/sim"
)

// TestMain lets the test binary be the program: under its own name, as a guard,
// and as a worker of a simulated server.
func TestMain(m *testing.M) {
	process.GuardMain()
	process.InitMain()
	sim.WorkerMain()
	testscript.Main(m, map[string]func(){
		"servematrix": func() { os.Exit(cli.Run(context.Background(), cli.OSEnv())) },
		"front":       front,
	})
}

func TestScript(t *testing.T) { runScripts(t, scripts(t, "testdata/script")) }

// TestScriptAlone runs, one after another, the scripts that leave processes behind on
// purpose: a run of another script would end those.
func TestScriptAlone(t *testing.T) {
	for _, file := range scripts(t, "testdata/alone") {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) { runScripts(t, []string{file}) })
	}
}

func scripts(t *testing.T, dir string) []string {
	files, err := filepath.Glob(filepath.Join(dir, "*.txtar"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no scripts in %s: %v", dir, err)
	}
	return files
}

func runScripts(t *testing.T, files []string) {
	reports, err := filepath.Abs("../../report/testdata")
	if err != nil {
		t.Fatal(err)
	}
	examples, err := filepath.Abs("../../examples")
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Files: files,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits":      exits,
			"await":      await,
			"await-port": awaitPort,
			"freeport":   freePort,
			"newest":     newest,
			"quicker":    quicker,
			"manycells":  manyCells,
			"fits":       fits,
			"browse":     browse,
		},
		Setup: func(e *testscript.Env) error {
			e.Setenv("NO_COLOR", "1")
			e.Setenv("TZ", "UTC")
			e.Setenv("REPORTS", reports)            // published reports that scripts read
			e.Setenv("EXAMPLES", examples)          // sweeps
			e.Setenv("GORACE", "atexit_sleep_ms=0") // under the race detector each program would sleep a second at its end
			return nil
		},
	})
}

// exits CODE PROGRAM ARG… runs a program that must end with that exit code.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE PROGRAM ARG…")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		var exit *exec.ExitError
		if !errors.As(err, &exit) {
			ts.Fatalf("%v", err)
		}
		got = exit.ExitCode()
	}
	if got != want {
		ts.Fatalf("exit code %d, want %d", got, want)
	}
}

// await FILE TEXT waits until a file (a pattern) holds a text.
func await(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: await FILE TEXT")
	}
	pattern := ts.MkAbs(args[0])
	_, err := filepath.Match(pattern, "")
	ts.Check(err)
	if !eventually(func() bool { return holds(pattern, args[1]) }) {
		ts.Fatalf("%s never held %q", args[0], args[1])
	}
}

// await-port PORT waits until somebody listens on a port.
func awaitPort(ts *testscript.TestScript, neg bool, args []string) {
	if !eventually(func() bool { return listens(args[0]) }) {
		ts.Fatalf("nobody listens on port %s", args[0])
	}
}

// freeport NAME sets a variable to a port that nobody has.
func freePort(ts *testscript.TestScript, neg bool, args []string) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	ts.Check(err)
	defer l.Close()
	ts.Setenv(args[0], strconv.Itoa(l.Addr().(*net.TCPAddr).Port))
}

// newest NAME DIR sets a variable to the only run folder in DIR.
func newest(ts *testscript.TestScript, neg bool, args []string) {
	runs, err := filepath.Glob(filepath.Join(ts.MkAbs(args[1]), "*-*Z*"))
	ts.Check(err)
	if len(runs) != 1 {
		ts.Fatalf("%d runs in %s", len(runs), args[1])
	}
	rel, err := filepath.Rel(ts.MkAbs("."), runs[0])
	ts.Check(err)
	ts.Setenv(args[0], rel)
}

// quicker DURATION PROGRAM ARG… runs a program that must succeed in less than the time.
func quicker(ts *testscript.TestScript, neg bool, args []string) {
	limit, err := time.ParseDuration(args[0])
	ts.Check(err)
	began := time.Now()
	ts.Check(ts.Exec(args[1], args[2:]...))
	if took := time.Since(began); took > limit {
		ts.Fatalf("it took %v, want at most %v", took, limit)
	}
}

// manycells FILE SERVERS CLIENTS writes a sweep of that size.
func manyCells(ts *testscript.TestScript, neg bool, args []string) {
	servers, err := strconv.Atoi(args[1])
	ts.Check(err)
	clients, err := strconv.Atoi(args[2])
	ts.Check(err)
	list := func(n int) string {
		out := make([]string, n)
		for i := range out {
			out[i] = strconv.Itoa(i)
		}
		return strings.Join(out, ", ")
	}
	text := fmt.Sprintf(`version: 1
name: large
server: {axes: {a: [%s]}, command: "python3 -m sglang.launch_server --model-path m --random-seed ${{ a }}"}
client: {axes: {b: [%s]}, command: "python3 -m sglang.bench_serving --num-prompts ${{ b }}"}
run: {max_cells: %d}
`, list(servers), list(clients), servers*clients)
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(text), 0o644))
}

// fits SCHEMA FILE… holds files (patterns; stdout and stderr too) against a JSON Schema.
func fits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: fits SCHEMA FILE…")
	}
	for _, name := range args[1:] {
		paths := []string{name}
		if name != "stdout" && name != "stderr" {
			found, err := filepath.Glob(ts.MkAbs(name))
			ts.Check(err)
			if paths = found; len(paths) == 0 {
				ts.Fatalf("there is no %s", name)
			}
		}
		for _, path := range paths {
			if err := schematest.Fits(args[0], []byte(ts.ReadFile(path))); err != nil {
				ts.Fatalf("%s: %v", path, err)
			}
		}
	}
}
