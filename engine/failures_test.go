package engine

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"servematrix/readiness"
)

// real says what is to be read out of each log in testdata/logs, all of real
// engines: the class and a part of the line that names the cause. No class
// means that the log gives no reason, because the server was stopped in order,
// ended from outside, or lives.
var real = []struct{ log, profile, class, cause string }{
	{"llama.cpp-fail-bad-flag", "llama.cpp", "bad_flag", "error: invalid argument: --no-such-flag"},
	{"llama.cpp-medium-nommap-idle-term", "llama.cpp", "bad_flag", "error: invalid argument: --no-mmap"},
	{"llama.cpp-fail-bad-host", "llama.cpp", "port_busy", "couldn't bind HTTP server socket, hostname: 203.0.113.9"},
	{"llama.cpp-fail-port-held-by-plain-listener", "llama.cpp", "port_busy", "couldn't bind HTTP server socket, hostname: 127.0.0.1, port: 8395"},
	{"llama.cpp-second-B", "llama.cpp", "port_busy", "couldn't bind HTTP server socket, hostname: 127.0.0.1, port: 8395"},
	{"llama.cpp-fail-missing-model", "llama.cpp", "model", "failed to open GGUF file '/opt/eng/nope.gguf' (No such file or directory)"},
	{"llama.cpp-fail-garbage-model", "llama.cpp", "model", "invalid magic characters: 'Sat ', expected 'GGUF'"},
	{"llama.cpp-fail-truncated-model", "llama.cpp", "model", "data is not within the file bounds, model is corrupted or incomplete"},
	{"llama.cpp-fail-kv-memory", "llama.cpp", "kv_memory", "failed to initialize the context: failed to allocate buffer for kv cache"},
	{"llama.cpp-fail-host-memory", "llama.cpp", "host_oom", "failed to initialize the context: std::bad_alloc"},
	{"llama.cpp-ctx-10M-tiny", "llama.cpp", "", ""}, // it starts, capped to the model's own context
	{"llama.cpp-idle-kill", "llama.cpp", "", ""},
	{"llama.cpp-mid-kill", "llama.cpp", "", ""},
	{"llama.cpp-router-busy-kill", "llama.cpp", "", ""},
	{"llama.cpp-start-kill-1.2s", "llama.cpp", "", ""},
	{"llama.cpp-start-int-1.2s", "llama.cpp", "", ""},
	{"llama.cpp-mid-int-twice", "llama.cpp", "", ""},
	{"llama.cpp-mid-term-twice", "llama.cpp", "", ""},
	{"llama.cpp-idle-term", "llama.cpp", "", ""},
	{"llama.cpp-idle-default-flags-probe-int", "llama.cpp", "", ""},
	{"llama.cpp-mid-term", "llama.cpp", "", ""},
	{"llama.cpp-mid-int", "llama.cpp", "", ""},
	{"llama.cpp-router-idle-term", "llama.cpp", "", ""},

	{"transformers-fail-bad-flag", "transformers serve", "bad_flag", "Error: No such option '--no-such-flag'."},
	{"transformers-fail-missing-model-dir", "transformers serve", "model", "Repo id must be in the form 'repo_name' or 'namespace/repo_name': '/opt/eng/nope'"},
	{"transformers-fail-missing-model-hubname", "transformers serve", "model", "LocalEntryNotFoundError: Cannot find the requested files"},
	{"transformers-fail-port-held-by-plain-listener", "transformers serve", "port_busy", "error while attempting to bind on address ('127.0.0.1', 8397)"},
	{"transformers-second-B", "transformers serve", "port_busy", "error while attempting to bind on address ('127.0.0.1', 8397)"},
	{"transformers-lazy-missing-model", "transformers serve", "model", "LocalEntryNotFoundError: Cannot find the requested files"}, // it lives on, and refuses each request
	{"transformers-idle-kill", "transformers serve", "", ""},
	{"transformers-mid-kill", "transformers serve", "", ""},
	{"transformers-start-int-4s", "transformers serve", "", ""},
	{"transformers-mid-int-twice", "transformers serve", "", ""},
	{"transformers-mid-term", "transformers serve", "", ""},
	{"transformers-mid-term-of-others", "transformers serve", "", ""},
	{"transformers-idle-term", "transformers serve", "", ""},
	{"transformers-idle-int", "transformers serve", "", ""},
	{"transformers-cb-idle-term", "transformers serve", "", ""},

	{"vllm-fail-bad-flag", "vllm", "bad_flag", "vllm: error: unrecognized arguments: --no-such-flag 3"},
	{"vllm-fail-missing-model", "vllm", "model", "HFValidationError: Repo id must be in the form 'repo_name' or 'namespace/repo_name': '/opt/eng/nope'"},
	{"vllm-second-B-on-held-port", "vllm", "port_busy", "OSError: [Errno 98] Address already in use"},
	{"vllm-kill-enginecore", "vllm", "start_failed", "engine core exited unexpectedly"},
	{"vllm-mid-kill", "vllm", "start_failed", "Worker proc VllmWorker-0 died unexpectedly"}, // of the same crash, before the signal
	{"vllm-mid-term", "vllm", "start_failed", "Worker proc VllmWorker-0 died unexpectedly"},
	{"vllm-fail-kv-memory", "vllm", "kv_memory", "on kv cache allocation is less than requested memory for kv (500.0 GiB)"},
	{"vllm-fail-context", "vllm", "bad_flag", "User-specified max_model_len (10000000) is greater than the derived max_model_len"},
	{"vllm-kill-worker", "vllm", "start_failed", "Worker proc VllmWorker-0 died unexpectedly"},
	{"vllm-mid-interrupted", "vllm", "", ""}, // its client ended first, then it
	{"vllm-idle-kill", "vllm", "", ""},
	{"vllm-bench-vllm-bench.server-sigkill-mid", "vllm", "", ""},
	{"vllm-bench-vllm-bench.server-sigterm-mid", "vllm", "", ""},
	{"vllm-crash-by-request", "vllm", "", ""},  // it did not crash
	{"vllm-start-term-engine", "vllm", "", ""}, // swallowed the signal and became ready
	{"vllm-idle-term", "vllm", "", ""},
	{"vllm-idle-int", "vllm", "", ""}, // prints EngineDeadError in a stop that is in order
	{"vllm-bench-server-failing-clients", "vllm", "", ""},
	{"vllm-second-A-holder", "vllm", "", ""},

	{"sglang-fail-bad-flag", "sglang", "bad_flag", "launch_server.py: error: unrecognized arguments: --no-such-flag"},
	{"sglang-fail-context", "sglang", "bad_flag", "User-specified context_length (10000000) is greater than the derived context_length (4096)"},
	{"sglang-fail-missing-model", "sglang", "model", "HFValidationError: Repo id must be in the form 'repo_name' or 'namespace/repo_name': '/opt/sglang/nope'"},
	{"sglang-port-stolen", "sglang", "port_busy", "error while attempting to bind on address ('127.0.0.1', 39845)"},
	{"sglang-kill-scheduler", "sglang", "", ""},
	{"sglang-mid-interrupted", "sglang", "", ""},
	{"sglang-0.5.9", "sglang", "", ""},
}

// TestRealLogs holds the profiles against logs of real engines that failed,
// died or ended in order.
func TestRealLogs(t *testing.T) {
	c := mustLoad(t)
	for _, tc := range real {
		t.Run(tc.log, func(t *testing.T) {
			d, ok := readiness.Diagnose(logs(t, tc.log), patterns(t, c, tc.profile))
			if tc.class == "" {
				if ok {
					t.Fatalf("taken for %s: %s (%s:%d)", d.Class, d.Message, d.File, d.Line)
				}
				return
			}
			if d.Class != tc.class || !strings.Contains(d.Message, tc.cause) {
				t.Fatalf("got %q: %s (%s:%d)", d.Class, d.Message, d.File, d.Line)
			}
			text, err := os.ReadFile(d.File)
			if err != nil {
				t.Fatal(err)
			}
			if line := strings.Split(string(text), "\n")[d.Line-1]; !strings.Contains(line, tc.cause) {
				t.Errorf("line %d is %q", d.Line, line)
			}
		})
	}
}

// TestEveryRealLogIsRead: no log lies in testdata of which nobody says what it means.
func TestEveryRealLogIsRead(t *testing.T) {
	files, err := filepath.Glob("testdata/logs/*.std*")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(strings.TrimSuffix(filepath.Base(file), ".stderr"), ".stdout")
		if !slices.ContainsFunc(real, func(r struct{ log, profile, class, cause string }) bool { return r.log == name }) {
			t.Errorf("%s: not in the table", file)
		}
	}
}
