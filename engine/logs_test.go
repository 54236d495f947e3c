package engine

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"servematrix/matrix"
	"servematrix/readiness"
)

// completed is the plan's server after completion, for a command.
func completed(t *testing.T, c *Catalog, profile string, argv ...string) *matrix.Server {
	t.Helper()
	s := &matrix.Server{}
	s.ID, s.Argv, s.Profile = "s", argv, profile
	if err := c.Complete(&matrix.Plan{Servers: []*matrix.Server{s}}).Err(); err != nil {
		t.Fatal(err)
	}
	return s
}

func patterns(t *testing.T, c *Catalog, profile string) []readiness.Pattern {
	t.Helper()
	s := completed(t, c, profile, "x", "--port", "30000")
	all, err := Patterns(s)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func logs(t *testing.T, name string) (files []string) {
	t.Helper()
	for _, stream := range []string{"stderr", "stdout"} {
		file := filepath.Join("testdata", "logs", name+"."+stream)
		if _, err := os.Stat(file); err == nil {
			files = append(files, file)
		}
	}
	if files == nil {
		t.Fatalf("no log %s", name)
	}
	return files
}

// TestFailureTexts holds the profiles against single lines: those of reference
// threads and measurements for which there is no whole log.
func TestFailureTexts(t *testing.T) {
	c := mustLoad(t)
	for _, tc := range []struct{ profile, class, line string }{
		{"sglang", "oom", "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.50 GiB."},
		{"sglang", "oom", "Exception: Capture cuda graph failed: CUDA out of memory. Tried to allocate"},
		{"sglang", "oom", "RuntimeError: NPU out of memory. Tried to allocate 2.00 GiB"},
		{"sglang", "kv_memory", "RuntimeError: Not enough memory. Please try to increase --mem-fraction-static. Current value: 0.1"},
		{"sglang", "graph", "Exception: Capture cuda graph failed: CUDA error: an illegal memory access was encountered"},
		{"sglang", "device_busy", "ValueError: The memory capacity is unbalanced. Some GPUs may be occupied by other processes."},
		{"sglang", "host_oom", "RuntimeError: Rank 0 scheduler died during initialization (exit code: -9)."},
		{"sglang", "shm", "RuntimeError: Rank 0 scheduler died during initialization (exit code: -7)."},
		{"sglang", "port_busy", "ERROR:    [Errno 98] error while attempting to bind on address ('127.0.0.1', 30000): address already in use"},
		{"sglang", "port_busy", "Port is already in use. Please use a different one."},
		{"sglang", "bad_flag", "launch_server.py: error: unrecognized arguments: --no-such-flag"},
		{"sim-sglang", "bad_flag", "servematrix: unknown flag: --no-such-flag"},
		{"generic", "bad_flag", "flag provided but not defined: -no-such-flag"},
		{"generic", "bad_flag", "Error: unknown shorthand flag: 'z' in -z"},
		{"sglang", "bad_flag", "launch_server.py: error: argument --attention-backend: invalid choice: 'foo'"},
		{"sglang", "bad_flag", "ValueError: Invalid attention backend: foo"},
		{"sglang", "bad_command", "/usr/bin/python3: No module named sglang"},
		{"sglang", "bad_command", "/usr/bin/python3: Error while finding module specification for 'sglang.launch_server' (ModuleNotFoundError: No module named 'sglang')"},
		{"sglang", "bad_command", "bash: line 1: sglang: command not found"},
		{"sglang", "model", "ValueError: Tokenizer class TokenizersBackend does not exist or is not currently imported."},
		{"sglang", "model", "OSError: x is not a local folder and is not a valid model identifier listed on 'https://huggingface.co/models'"},
		{"sglang", "model", "huggingface_hub.errors.GatedRepoError: 401 Client Error."},
		{"sglang", "collective", "torch.distributed.DistBackendError: NCCL error in: ProcessGroupNCCL.cpp:3356"},
		{"sglang", "npu", "RuntimeError: ACL stream synchronize failed, error code:507015"},
		{"sglang", "silent", "Scheduler watchdog timeout (self.watchdog_timeout=300)"},
		{"sglang", "start_failed", "[2026-11-21 03:58:22] Scheduler hit an exception: Traceback (most recent call last):"},
		{"sglang", "start_failed", "ImportError: libcuda.so.1: cannot open shared object file"},
		{"vllm", "kv_memory", "(EngineCore pid=7) ERROR 11-21 03:41:26 [core.py:1210] ValueError: No available memory for the cache blocks. Try increasing `gpu_memory_utilization`"},
		{"vllm", "kv_memory", "ValueError: To serve at least one request with the model's max seq len (10000000), (4.77 GiB KV cache is needed, which is larger than the available KV cache memory (1.0 GiB)."},
		{"vllm", "kv_memory", "ValueError: Available memory on node 0 (15.71/23.54 GiB) on kv cache allocation is less than requested memory for kv (500.0 GiB)."},
		{"vllm", "device_busy", "ValueError: Free memory on device (3.2/79.1 GiB) on startup is less than desired GPU memory utilization (0.9, 71.2 GiB)."},
		{"vllm", "device_busy", "AssertionError: Error in memory profiling. Initial free memory 3.2 GiB, current free memory 9.9 GiB."},
		{"vllm", "oom", "torch.OutOfMemoryError: CUDA out of memory."},
		{"vllm", "bad_flag", "Value error, User-specified max_model_len (10000000) is greater than the derived max_model_len (max_position_embeddings=4096.0"},
		{"vllm", "host_oom", "RuntimeError: Worker proc VllmWorker-0 died unexpectedly (exit code: -9), shutting down executor."},
		{"vllm", "shm", "RuntimeError: Worker proc VllmWorker-0 died unexpectedly (exit code: -7), Bus error"},
		{"vllm", "graph", "RuntimeError: CUDA graph capture failed: CUDA error"},
		{"llama.cpp", "kv_memory", "0.20.100.000 E llama_init_from_model: failed to initialize the context: failed to allocate buffer for kv cache"},
		{"llama.cpp", "oom", "ggml_backend_cuda_buffer_type_alloc_buffer: allocating 9375.00 MiB on device 0: cudaMalloc failed: out of memory"},
		{"llama.cpp", "host_oom", "E ggml_aligned_malloc: insufficient memory (attempted to allocate 9375000.00 MB)"},
		{"llama.cpp", "bad_flag", "error while handling argument \"-ngl\": stoi"},
		{"vllm", "start_failed", "vllm.v1.engine.exceptions.EngineGenerateError: no luck"},
		{"vllm", "", "(APIServer pid=7) ERROR 11-21 03:45:53 [async_llm.py:906] vllm.v1.engine.exceptions.EngineDeadError: EngineCore encountered an issue."},
		{"vllm", "start_failed", "ModuleNotFoundError: No module named 'x'"},
		{"vllm", "start_failed", "RuntimeError: Engine core initialization failed. See root cause above. Failed core proc(s): {}"},
		{"vllm", "", "(APIServer pid=7) WARNING 11-21 03:45:03 [system_utils.py:255] Found ulimit of 20000. This can cause fd limit errors like `OSError: [Errno 24] Too many open files`."},
		{"sglang", "", "[2026-11-21 03:58:13] Ignore import error when loading sglang.srt.models.bailing_moe_linear: No module named 'vllm'"},
	} {
		file := filepath.Join(t.TempDir(), "log")
		if err := os.WriteFile(file, []byte(tc.line+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		if d, _ := readiness.Diagnose([]string{file}, patterns(t, c, tc.profile)); d.Class != tc.class {
			t.Errorf("%s: %s\n\tgot %q, want %q", tc.profile, tc.line, d.Class, tc.class)
		}
	}
}

// TestMostTellingLine: of the lines of one failure, the one that names the cause.
func TestMostTellingLine(t *testing.T) {
	c := mustLoad(t)
	for _, tc := range []struct{ profile, log, want string }{
		{"sglang", "[t] Scheduler hit an exception: Traceback (most recent call last):\n  File \"a.py\"\nValueError: the cause\n\n[t] Received sigquit from a child process.\n", "ValueError: the cause"},
		{"vllm", "(EngineCore pid=7) ERROR 11-21 [core.py:1] EngineCore failed to start.\n(EngineCore pid=7) ERROR 11-21 [core.py:1] ValueError: the cause\nRuntimeError: Engine core initialization failed. See root cause above.\n", "ValueError: the cause"},
		{"vllm", "RuntimeError: cancelled\n(EngineCore pid=7) ERROR [m.py:3] Worker proc VllmWorker-0 died unexpectedly (exit code: None)\n", "Worker proc VllmWorker-0 died unexpectedly"},
		{"generic", "Traceback (most recent call last):\n  File \"a.py\"\nImportError: the cause\n", "ImportError: the cause"},
	} {
		file := filepath.Join(t.TempDir(), "log")
		if err := os.WriteFile(file, []byte(tc.log), 0o600); err != nil {
			t.Fatal(err)
		}
		if d, _ := readiness.Diagnose([]string{file}, patterns(t, c, tc.profile)); d.Class != "start_failed" || !strings.Contains(d.Message, tc.want) {
			t.Errorf("%s: %q from %q", tc.profile, d.Message, tc.log)
		}
	}
}

// readyLine waits on whole logs of real servers with the profile's own
// conditions, less HTTP.
func readyLine(t *testing.T, s *matrix.Server, files []string) (readiness.Ready, error) {
	t.Helper()
	cond, err := Conditions(s, "http://127.0.0.1:30000")
	if err != nil {
		t.Fatal(err)
	}
	cond.HTTP, cond.Timeout = "", 5*time.Second
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	return readiness.Wait(ctx, cond, readiness.Target{Logs: files})
}

func TestRealReadyLines(t *testing.T) {
	c := mustLoad(t)
	for _, tc := range []struct {
		log, profile string
		line         int
	}{
		{"sglang-0.5.9", "sglang", 56},
		{"vllm-idle-term", "vllm", 14},
		{"vllm-idle-int", "vllm", 14}, // prints EngineDeadError in a clean stop
		{"vllm-kill-enginecore", "vllm", 14},
		{"llama.cpp-idle-term", "llama.cpp", 8},
		{"llama.cpp-ctx-10M-tiny", "llama.cpp", 10},
		{"transformers-idle-term", "transformers serve", 8},
	} {
		t.Run(tc.log, func(t *testing.T) {
			r, err := readyLine(t, completed(t, c, tc.profile, "x"), logs(t, tc.log))
			if err != nil {
				t.Fatal(err)
			}
			if r.LineNo != tc.line || !strings.HasSuffix(r.File, ".stderr") {
				t.Errorf("got %s:%d %q", r.File, r.LineNo, r.Line)
			}
		})
	}
}

// TestHeldPortEndsTheWait reads the real log of a server that found its port
// held: it printed uvicorn's ready line first.
func TestHeldPortEndsTheWait(t *testing.T) {
	s := completed(t, mustLoad(t), "sglang", "x")
	_, err := readyLine(t, s, logs(t, "transformers-fail-port-held-by-plain-listener"))
	var f *readiness.Failure
	if !errors.As(err, &f) || f.Class != "port_busy" {
		t.Errorf("got %v", err)
	}
}

func TestReadyExpressions(t *testing.T) {
	c := mustLoad(t)
	const sglang, vllm = "The server is fired up and ready to roll!", "Application startup complete."
	for _, tc := range []struct {
		profile, line string
		want          bool
	}{
		{"sglang", sglang, true},
		{"sglang", "[2026-11-21 03:58:22] " + sglang, true},
		{"sglang", "[2026-11-21 03:58:22 TP0] " + sglang, true},
		{"sglang", "\xff\xfe\xc3 [2026-11-21 03:58:22] " + sglang, true},
		{"sglang", "[2026-11-21 03:56:43] server_args=ServerArgs(model='x', chat_template='" + sglang + "')", false},
		{"sglang", "[2026-11-21 03:58:18] INFO:     " + vllm, false},
		{"sglang", "waiting for '" + sglang + "'", false},
		{"llama.cpp", "main: server is listening on http://127.0.0.1:8080 - starting the main loop", true},
		{"llama.cpp", "0.00.017.665 I srv  llama_server: listening on http://127.0.0.1:8395", true},
		{"llama.cpp", "0.00.016.267 I srv  llama_server: loading model", false},
		{"transformers serve", "INFO:     " + vllm, false},
		{"transformers serve", "INFO:     Uvicorn running on http://127.0.0.1:8397 (Press CTRL+C to quit)", true},
		{"vllm", "INFO:     " + vllm, true},
		{"vllm", "(APIServer pid=7) INFO:     " + vllm, true},
		{"vllm", "INFO 11-21 03:41:26 [on.py:62] " + vllm, true},
		{"vllm", "\xff\xfe\xc3 INFO:     " + vllm, true},
		{"vllm", "(APIServer pid=7) OpenAI server is ready to accept requests", true},
		{"vllm", "(APIServer pid=7) INFO 11-21 03:45:03 [api_utils.py:286] non-default args: {'chat_template': '" + vllm + "'}", false},
		{"vllm", "(APIServer pid=7) INFO 11-21 03:45:03 [entry.py:140] Starting vLLM server on http://127.0.0.1:8391", false},
	} {
		if got := c.Server(tc.profile).Ready.Log.MatchString(tc.line); got != tc.want {
			t.Errorf("%s: %q: %v", tc.profile, tc.line, got)
		}
	}
}
