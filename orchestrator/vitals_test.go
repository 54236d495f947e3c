package orchestrator

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"servematrix/journal"
)

// workerProfiles are of a fake server whose worker must live, and of one of which
// that is not known.
const workerProfiles = `
server: blind
extends: generic
stop: {linger: 100ms}
---
server: crippled
extends: blind
workers: 'fake-child worker'
`

// stageDeaths lets clients bring about how a server can fail: by its worker's death,
// by a closed port, by its own end. The words of the server's command say who lives on.
func stageDeaths(mux *http.ServeMux, l net.Listener, words []string) {
	has := func(w string) bool { return slices.Contains(words, w) }
	if !slices.ContainsFunc(words, func(w string) bool { return strings.HasPrefix(w, "worker") }) {
		return
	}
	worker := exec.Command(os.Args[0], "fake-child", "worker")
	if err := worker.Start(); err != nil {
		panic(err)
	}
	// A worker that dies before it was noted is noticed by nobody.
	noted := func() {
		for needle := fmt.Sprintf("Pid:\t%d\n", worker.Process.Pid); ; time.Sleep(time.Millisecond) {
			files, err := filepath.Glob(fmt.Sprintf("/proc/%s/fdinfo/*", watcher(words)))
			if err != nil {
				panic(err)
			}
			for _, f := range files {
				if info, err := os.ReadFile(f); err == nil && strings.Contains(string(info), needle) {
					return // a pidfd of it
				}
			}
		}
	}
	mux.HandleFunc("/kill-worker", func(http.ResponseWriter, *http.Request) {
		noted()
		fmt.Fprintln(os.Stderr, "RuntimeError: NCCL error: unhandled cuda error")
		if err := worker.Process.Kill(); err != nil {
			panic(err)
		}
		if has("worker-then-leader") {
			time.Sleep(10 * time.Millisecond)
			os.Exit(0)
		}
		select {} // the request is never answered
	})
	mux.HandleFunc("/exit-0", func(http.ResponseWriter, *http.Request) {
		fmt.Fprintln(os.Stderr, "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB")
		os.Exit(0)
	})
	mux.HandleFunc("/kill-worker-later", func(http.ResponseWriter, *http.Request) {
		noted()
		if err := worker.Process.Kill(); err != nil {
			panic(err)
		}
		_ = worker.Wait()
	})
	mux.HandleFunc("/die-on-flush", func(http.ResponseWriter, *http.Request) { os.Exit(1) })
	mux.HandleFunc("/close-port", func(http.ResponseWriter, *http.Request) {
		if err := l.Close(); err != nil {
			panic(err)
		}
		select {}
	})
}

// watcher is the process that watches, from the words of a server.
func watcher(words []string) string {
	for _, w := range words {
		if pid, ok := strings.CutPrefix(w, "watcher:"); ok {
			return pid
		}
	}
	panic("no watcher:PID")
}

func (b *bench) failures() (all []journal.Failure) {
	b.t.Helper()
	for _, e := range b.events(journal.SampleEnded) {
		d, err := journal.Decode[journal.Ended](e)
		if err != nil {
			b.t.Fatal(err)
		}
		if d.Failure != nil {
			all = append(all, *d.Failure)
		}
	}
	return all
}

// TestServerThatFailsUnderItsClient: whatever it is that ends, the client that
// hangs on it is ended at once, and the sample fails with the server's own words.
func TestServerThatFailsUnderItsClient(t *testing.T) {
	defer func(d time.Duration) { vitalsLook = d }(vitalsLook)
	vitalsLook = 20 * time.Millisecond
	for _, tc := range []struct {
		name, server, client, class string
		says                        []string
	}{
		{"the leader dies", "worker", "kill-server", "oom", []string{"the server ended with exit 1 while the client ran", "CUDA out of memory"}},
		{"the leader dies with exit 0", "worker", "ask /exit-0 hang", "oom", []string{"the server ended with exit 0 while the client ran", "CUDA out of memory"}},
		{"a worker dies, the leader lives", "worker", "ask /kill-worker hang", "collective", []string{"the server failed while the client ran: its worker ", " fake-child worker (pid ", ") ended, though its main process lives", "NCCL error"}},
		{"a worker dies, then the leader with exit 0", "worker-then-leader", "ask /kill-worker hang", "collective", []string{"its worker ", "then the server with exit 0", "NCCL error"}},
		{"the port is closed", "worker closes-port", "ask /close-port hang", "server_died", []string{"nobody listens on its port ", "though its main process lives"}},
		{"a worker dies, the client exits 1", "worker", "ask /kill-worker-later fail", "server_died", []string{"its worker "}},
		{"a worker dies, the client exits 0 without a result", "worker", "ask /kill-worker-later empty", "server_died", []string{"its worker "}},
		{"a worker dies, the client exits 0 with a result that does not count", "worker", "ask /kill-worker-later partly", "server_died", []string{"its worker "}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			b := newBench(t, fmt.Sprintf(`
server: {command: "SERVER %s watcher:%d", profile: crippled, ready: READY, stop: {grace: 5s}}
client: {command: "CLIENT %s", timeout: 30s}
run: {retries: 0}
`, tc.server, os.Getpid(), tc.client), workerProfiles)
			if v, err := b.run(context.Background(), Again{}, nil); err != nil || v.Failed != 1 {
				t.Fatalf("verdict %+v, err %v", v, err)
			}
			f := b.failures()[0]
			if f.Class != tc.class || f.Phase != "client" {
				t.Errorf("class %s, phase %s; want %s: %s", f.Class, f.Phase, tc.class, f.Message)
			}
			for _, want := range tc.says {
				if !strings.Contains(f.Message, want) {
					t.Errorf("%q does not say %q", f.Message, want)
				}
			}
			if end := b.state().Last().Ended; end.Orderly { // whatever it answers to the signal
				t.Errorf("launch.ended says in order: %+v", end)
			}
		})
	}
}

// TestServerThatDiesAtItsReadyLine: whether the start or the sample fails is a
// matter of milliseconds, what it says is not.
func TestServerThatDiesAtItsReadyLine(t *testing.T) {
	b := newBench(t, `
server: {command: "SERVER dies-ready", profile: blind, ready: READY}
client: {command: "CLIENT hang", timeout: 30s}
run: {retries: 0}
`, workerProfiles)
	if v, err := b.run(context.Background(), Again{}, nil); err != nil || v.Failed != 1 {
		t.Fatalf("verdict %+v, err %v", v, err)
	}
	if f := b.failures()[0]; f.Class != "oom" || !strings.Contains(f.Message, "CUDA out of memory") || !strings.Contains(f.Message, "the server ended with exit 0") {
		t.Errorf("%+v", f)
	}
}

// TestDeathThatMeansNothing: workers that end with an ordered stop, and one whose
// client was done before and had all it asked for.
func TestDeathThatMeansNothing(t *testing.T) {
	for name, profile := range map[string]string{"watched": "crippled", "no workers known": "blind"} {
		b := newBench(t, `
server: {command: "SERVER worker", profile: `+profile+`, ready: READY}
client: {axes: {c: [x, y]}, command: "CLIENT ${{ c }}"}
`, workerProfiles)
		v, err := b.run(context.Background(), Again{}, nil)
		if err != nil || v.OK != 2 || len(b.events(journal.Warning)) != 0 {
			t.Errorf("%s: verdict %+v, err %v, warnings %v", name, v, err, b.events(journal.Warning))
		}
	}
}

// TestServerThatDiesBetweenTwoClients: the next cell gets a fresh start, and the
// journal says why.
func TestServerThatDiesBetweenTwoClients(t *testing.T) {
	for name, tc := range map[string]struct{ path, says string }{
		"the leader": {"/die-on-flush", "the server ended with exit 1 between two clients"},
		"a worker":   {"/kill-worker-later", "the server failed between two clients: its worker "},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, `
server: {command: "SERVER worker watcher:`+strconv.Itoa(os.Getpid())+`", profile: crippled, ready: READY, isolation: launch, flush: {method: POST, path: `+tc.path+`, expect: never}}
client: {axes: {c: [x, y]}, command: "CLIENT ${{ c }}"}
`, workerProfiles)
			v, err := b.run(context.Background(), Again{}, nil)
			if err != nil || v.OK != 2 {
				t.Fatalf("verdict %+v, err %v", v, err)
			}
			if n := len(b.events(journal.LaunchStarted)); n != 2 {
				t.Errorf("%d launches, want 2", n)
			}
			warnings := b.events(journal.Warning)
			if len(warnings) != 1 {
				t.Fatalf("warnings %v", warnings)
			}
			if w, err := journal.Decode[journal.Note](warnings[0]); err != nil || !strings.Contains(w.Message, tc.says) {
				t.Errorf("%q does not say %q", w.Message, tc.says)
			}
		})
	}
}

// TestRestOfASharedStartGetsAFreshOne: cells behind one whose server failed.
func TestRestOfASharedStartGetsAFreshOne(t *testing.T) {
	b := newBench(t, `
server: {command: "SERVER worker watcher:`+strconv.Itoa(os.Getpid())+`", profile: crippled, ready: READY, isolation: launch, flush: {method: POST, path: /flush}}
client: {axes: {c: [x, y, z]}, command: "CLIENT once=TMP/once ask /kill-worker hang ${{ c }}", timeout: 30s}
`, workerProfiles)
	v, err := b.run(context.Background(), Again{}, nil)
	if err != nil || v.OK != 3 {
		t.Fatalf("verdict %+v, err %v", v, err)
	}
	if n := len(b.events(journal.LaunchStarted)); n != 2 {
		t.Errorf("%d launches, want 2", n)
	}
	if len(b.events(journal.Warning)) != 0 { // the sample's failure says it
		t.Errorf("warnings %v", b.events(journal.Warning))
	}
}
