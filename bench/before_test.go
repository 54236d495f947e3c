package bench

import (
	"encoding/json"
	"io"
	"iter"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	"servematrix/bench/dataset"
	"servematrix/bench/wire"
)

// A file that changes after it was checked ends the load early: what was measured is told, with the
// reason, and the exit code is that of a failure.
func TestADatasetThatEndsEarlyLeavesWhatWasMeasured(t *testing.T) {
	const row = `{"timestamp": 0, "input_length": 5, "output_length": 4, "hash_ids": [1]}` + "\n"
	for left, says := range map[string]string{
		row:               "the dataset gave only 1 of its 3 prompts",
		row + "no JSON\n": "trace.jsonl:2: ",
	} {
		path := filepath.Join(t.TempDir(), "trace.jsonl")
		if err := os.WriteFile(path, []byte(row+row+row), 0o644); err != nil {
			t.Fatal(err)
		}
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodGet { // the file has been opened, nothing has been sent
				if err := os.WriteFile(path, []byte(left), 0o644); err != nil {
					t.Error(err)
				}
				_, _ = io.WriteString(w, `{"data": [{"id": "m"}]}`)
				return
			}
			stream(w, r, "USAGE"+done)
		}))
		var stdout, stderr strings.Builder
		out := filepath.Join(t.TempDir(), "out.jsonl")
		code := Run(t.Context(), options(func(o *Options) {
			o.Wire.BaseURL, o.WarmupRequests, o.Dataset.Name, o.Dataset.DatasetPath, o.OutputFile = server.URL, 0, dataset.Mooncake, path, out
		}), &stdout, &stderr)
		server.Close()
		line, _ := os.ReadFile(out)
		if code != exitFailed || !strings.Contains(stderr.String(), says) || !strings.Contains(stdout.String(), "Successful requests:                     1 ") ||
			!strings.Contains(string(line), `"partial":true,"partial_reason":"`) || strings.Contains(stderr.String()+stdout.String(), interrupted) {
			t.Errorf("%q: exit code %d\n%s%s%s", says, code, stdout.String(), stderr.String(), line)
		}
	}
}

// Warm-up requests go all at once, and it is enough that one succeeds.
func TestWarmup(t *testing.T) {
	const warmups = 3
	var together sync.WaitGroup
	together.Add(warmups)
	var seen atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n := seen.Add(1)
		if n <= warmups {
			together.Done()
			together.Wait()
		}
		if n < warmups {
			http.Error(w, "not yet", http.StatusServiceUnavailable)
			return
		}
		stream(w, r, "USAGE"+done)
	}))
	defer server.Close()
	var stdout, stderr strings.Builder
	code := Run(t.Context(), options(func(o *Options) {
		o.Wire.BaseURL, o.Wire.Model, o.WarmupRequests = server.URL, "m", warmups
		o.Dataset.NumPrompts, o.Dataset.RandomInputLen, o.Dataset.RandomOutputLen, o.Dataset.RandomRangeRatio = 2, 5, 4, 1
	}), &stdout, &stderr)
	if code != 0 || seen.Load() != warmups+2 || !strings.Contains(stderr.String(), "2 of 3 warm-up requests failed (http_5xx)") {
		t.Errorf("exit code %d after %d requests\n%s", code, seen.Load(), stderr.String())
	}
	for limit, want := range map[int]int{0: 5, 2: 2, 9: 5} {
		if got := options(func(o *Options) { o.WarmupRequests, o.Load.MaxConcurrency = 5, limit }).warmupsAtOnce(); got != want {
			t.Errorf("limit %d: %d at once, want %d", limit, got, want)
		}
	}
}

// The files of an earlier run stay as they are until the server has answered, and files that cannot
// be written are told before it is asked.
func TestFilesBeforeTheServerAnswers(t *testing.T) {
	dir := t.TempDir()
	requests, output, pipe := filepath.Join(dir, "r.jsonl"), filepath.Join(dir, "new", "out.jsonl"), filepath.Join(dir, "pipe")
	if err := os.WriteFile(requests, []byte("kept\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := quick(t, closedPort(t), func(o *Options) { o.WarmupRequests, o.OutputRequests, o.OutputFile = 1, requests, output })
	if err == nil || !strings.Contains(err.Error(), "refused") {
		t.Error(err)
	}
	if text, err := os.ReadFile(requests); err != nil || string(text) != "kept\n" {
		t.Errorf("%q, %v", text, err)
	}
	if _, err := os.Stat(output); err == nil {
		t.Error("an empty output file is left")
	}
	for name, change := range map[string]func(*Options){
		"--output-file: " + dir:      func(o *Options) { o.OutputFile = dir },
		"--output-file: " + pipe:     func(o *Options) { o.OutputFile = pipe },
		"--output-requests: " + pipe: func(o *Options) { o.OutputRequests = pipe },
	} {
		_, err := quick(t, closedPort(t), func(o *Options) { o.WarmupRequests = 1; change(o) })
		if err == nil || !strings.Contains(err.Error(), "cannot write "+name) {
			t.Errorf("%v, want %s", err, name)
		}
	}
}

// The clock begins when prompts are there to be sent, and the JSON line says how long sending all of
// them at once took.
func TestPromptsAreThereWhenTheClockBegins(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { stream(w, r, "USAGE"+done) }))
	defer server.Close()
	const n = 20
	for limit, want := range map[int]bool{0: true, 2: false} {
		opt, err := options(func(o *Options) {
			o.Wire.BaseURL, o.Wire.Model, o.WarmupRequests, o.Load.MaxConcurrency = server.URL, "m", 0, limit
		}).resolve()
		if err != nil {
			t.Fatal(err)
		}
		var made atomic.Int64
		set := &dataset.Set{Count: n, Prompts: func(yield func(dataset.Prompt) bool) {
			for range n {
				if made.Add(1); !yield(dataset.Prompt{IDs: []int32{1}, Input: 1, Output: 4}) {
					return
				}
			}
		}, Warmup: func(int) iter.Seq[dataset.Prompt] { return func(func(dataset.Prompt) bool) {} }}
		s, err := send(t.Context(), opt, set, hooks{
			ready: func(Options, *dataset.Set) {}, sent: func() {}, ended: func(*wire.Record) {},
			begin: func(Options, *dataset.Set) {
				if made.Load() != n {
					t.Errorf("%d prompts of %d are made", made.Load(), n)
				}
			},
		})
		if err != nil || s.Partial || made.Load() != n {
			t.Fatalf("%+v, %v", s, err)
		}
		line, err := json.Marshal(s)
		if err != nil || strings.Contains(string(line), `"all_sent_s":`) != want {
			t.Errorf("limit %d: %v\n%s", limit, err, line)
		}
	}
}

// Without any limit all requests are in flight at once, each with a connection.
func TestTooFewOpenFiles(t *testing.T) {
	fewFiles(t, 500)
	_, err := quick(t, closedPort(t), func(o *Options) { o.Load.MaxConcurrency, o.Dataset.NumPrompts = 0, 1000 })
	if err == nil || !strings.Contains(err.Error(), "1000 requests at once") {
		t.Error(err)
	}
	for limit, refused := range map[int]bool{400: false, 500: true} {
		_, err := quick(t, closedPort(t), func(o *Options) { o.Load.MaxConcurrency, o.Dataset.NumPrompts = limit, 1000 })
		if (err != nil) != refused {
			t.Errorf("limit %d: %v", limit, err)
		}
	}
}

// fewFiles lets this process open only so many files until the test ends.
func fewFiles(t *testing.T, most uint64) {
	t.Helper()
	var before syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &before); err != nil {
		t.Fatal(err)
	}
	few := before
	few.Cur = most
	if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &few); err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() {
		if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &before); err != nil {
			t.Error(err)
		}
	})
}
