package engine

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"servematrix/readiness"
	"servematrix/sim"
)

// outcomes of a start with a fault; the class of a failure, or "" for ready.
var outcomes = map[string]string{
	"exit-before-ready": "start_failed",
	"oom":               "oom",
	"kv-memory":         "kv_memory",
	"graph":             "graph",
	"model":             "model",
	"bad-flag":          "bad_flag",
	"host-oom":          "host_oom",
	"shm":               "shm",
	"collective":        "collective",
	"npu":               "npu",

	"never-ready": "ready_timeout",
	"silent":      "silent",
	"no-listen":   "ready_timeout",
	"ready-503":   "ready_timeout",
	"http-hangs":  "ready_timeout",

	"":                   "",
	"ready-twice":        "",
	"ready-in-config":    "",
	"ready-no-newline":   "",
	"ready-after-cr":     "",
	"ready-split=60ms":   "",
	"ready-ansi":         "",
	"ready-nul":          "",
	"ready-invalid-utf8": "",
	"huge-line=3MiB":     "",
	"log-truncate":       "",
	"log-delete":         "",
}

// TestSimulatedStarts starts the simulated server with each fault of a start
// and waits for it as a run does: profile, conditions, HTTP and all.
func TestSimulatedStarts(t *testing.T) {
	c := mustLoad(t)
	for _, style := range []string{sim.SGLang, sim.VLLM} {
		for fault, class := range outcomes {
			t.Run(style+"/"+fault, func(t *testing.T) {
				t.Parallel()
				port := freePort(t)
				s := completed(t, c, "", strings.Fields(fmt.Sprintf("servematrix sim serve --style %s --port %s", style, port))...)
				cond, err := Conditions(s, c.Server(s.Profile).URL(s.Argv, s.Port))
				if err != nil {
					t.Fatal(err)
				}
				cond.Timeout = 20 * time.Second
				switch class {
				case "ready_timeout":
					cond.Timeout = 600 * time.Millisecond
				case "silent":
					cond.Silence = 600 * time.Millisecond
				}
				target := start(t, sim.Options{Style: style, Port: atoi(t, port), Startup: 20 * time.Millisecond, InProcess: true, Faults: words(fault)})
				r, err := readiness.Wait(t.Context(), cond, target)
				if class == "" {
					if err != nil {
						t.Fatal(err)
					}
					if !slices.Equal(r.By, []string{"log", "http"}) || strings.Contains(r.Line, "chat_template") {
						t.Errorf("got %+v", r)
					}
					return
				}
				var f *readiness.Failure
				if !errors.As(err, &f) || f.Class != class {
					t.Fatalf("got %+v, %v; want %s", r, err, class)
				}
				if len(f.Tail) == 0 && class != "silent" {
					t.Error("no tail")
				}
			})
		}
	}
}

// start runs a simulated server that logs to files, and ends it with the test.
func start(t *testing.T, opt sim.Options) readiness.Target {
	t.Helper()
	dir := t.TempDir()
	var logs []*os.File
	for _, name := range []string{"server.out", "server.err"} {
		f, err := os.OpenFile(filepath.Join(dir, name), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
		if err != nil {
			t.Fatal(err)
		}
		logs = append(logs, f)
	}
	ctx, cancel := context.WithCancel(context.Background())
	exited := make(chan struct{})
	go func() {
		defer close(exited)
		sim.Serve(ctx, opt, logs[0], logs[1])
	}()
	t.Cleanup(func() {
		cancel()
		<-exited
		for _, f := range logs {
			f.Close()
		}
	})
	return readiness.Target{Logs: []string{logs[0].Name(), logs[1].Name()}, Exited: exited}
}

func words(s string) []string {
	if s == "" {
		return nil
	}
	return []string{s}
}

func freePort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	_, port, err := net.SplitHostPort(l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	return port
}

func atoi(t *testing.T, s string) (n int) {
	t.Helper()
	if _, err := fmt.Sscan(s, &n); err != nil {
		t.Fatal(err)
	}
	return n
}
