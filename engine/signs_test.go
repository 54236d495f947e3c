package engine

import (
	"bytes"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// lines gives the states of a terminal line, too: progress bars end in \r.
func lines(t *testing.T, name string) (all []string) {
	t.Helper()
	for _, file := range logs(t, name) {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, line := range bytes.FieldsFunc(text, func(r rune) bool { return r == '\n' || r == '\r' }) {
			all = append(all, strings.TrimSpace(string(line)))
		}
	}
	return all
}

func matching(re *regexp.Regexp, lines []string) []string {
	return slices.DeleteFunc(slices.Clone(lines), func(line string) bool { return !re.MatchString(line) })
}

func TestProgressOfAStart(t *testing.T) {
	c := mustLoad(t)
	for _, tc := range []struct{ profile, line, state string }{
		{"sglang", "Loading safetensors checkpoint shards:  56% Completed | 5/9 [00:13<00:11,  2.87s/it]", "Loading safetensors checkpoint shards 56 5/9"},
		{"sglang", "Multi-thread loading shards:  25% Completed | 1/4 [00:00<00:02,  1.29it/s]", "Multi-thread loading shards 25 1/4"},
		{"sglang", "Capturing batches (bs=160 avail_mem=11.93 GB):  11%|█         | 4/35 [00:05<00:30,  1.01it/s]", "Capturing batches 11 4/35"},
		{"sglang", "Compiling num tokens (num_tokens=8192):   0%|          | 0/58 [00:00<?, ?it/s]", "Compiling num tokens 0 0/58"},
		{"vllm", "(Worker_TP0 pid=34322) Loading safetensors checkpoint shards: 100% Completed | 9/9 [00:29<00:00,  3.28s/it]", "Loading safetensors checkpoint shards 100 9/9"},
		{"vllm", "(Worker_PP0_TP0_EP0 pid=1947) Loading pt checkpoint shards:  26% Completed | 22/85 [02:11<06:16,  5.98s/it]", "Loading pt checkpoint shards 26 22/85"},
		{"vllm", "Capturing CUDA graph shapes:  50%|█████     | 17/34 [00:10<00:10,  1.7it/s]", "Capturing CUDA graph shapes 50 17/34"},
		{"vllm", "(EngineCore_DP0 pid=44) Capturing CUDA graphs (decode, FULL):  50%|#####     | 17/34 [00:10<00:10,  1.7it/s]", "Capturing CUDA graphs 50 17/34"},
		{"vllm", "model-00001-of-00030.safetensors:  34%|███▍      | 1.70G/4.98G [00:12<00:23, 142MB/s]", "model-00001-of-00030.safetensors 34 1.70G/4.98G"},
		{"llama.cpp", strings.Repeat(".", 40), strings.Repeat(".", 40)},
		{"transformers serve", "Loading weights:   8%|▊         | 2/26 [00:00<00:00, 28062.76it/s]", "Loading weights 8 2/26"},
		{"generic", "Loading weights:  12%|█▏        | 3/26 [00:00<00:00, 28062.76it/s]", "Loading weights 12 3/26"},
		{"sglang", "[2026-11-21 03:58:18] Load weight begin. avail mem=15.57 GB", ""},
		{"vllm", "(APIServer pid=18373) INFO 11-21 03:40:36 [model.py:733] Resolved architecture: Qwen2ForCausalLM", ""},
		{"vllm", "(EngineCore pid=7) INFO 11-21 03:41:26 [loggers.py:335] Engine 000: GPU KV cache usage: 12.1%, Prefix cache hit rate: 0.0%", ""},
	} {
		state := ""
		if m := c.Server(tc.profile).Progress.Expression().FindStringSubmatch(tc.line); m != nil {
			state = strings.Join(m[1:], " ")
		}
		if state != tc.state {
			t.Errorf("%s: %s\n\tstate %q, want %q", tc.profile, tc.line, state, tc.state)
		}
	}
	// Whole logs: nothing but the bars counts.
	for log, want := range map[string]int{"sglang-0.5.9": 2, "vllm-idle-term": 2} {
		profile, _, _ := strings.Cut(log, "-")
		if got := matching(c.Server(profile).Progress.Expression(), lines(t, log)); len(got) != want {
			t.Errorf("%s: %d states, want %d: %q", log, len(got), want, got)
		}
	}
}

func TestServedLines(t *testing.T) {
	c := mustLoad(t)
	for _, tc := range []struct {
		profile, line string
		want          bool
	}{
		{"sglang", "[2026-02-10 23:32:05 TP0] Prefill batch, #new-seq: 2, #new-token: 578, #cached-token: 0, token usage: 0.00, #running-req: 1, #queue-req: 0", true},
		{"sglang", "[2025-01-03 10:00:00 TP0] Decode batch. #running-req: 1, #token: 5, token usage: 0.00, gen throughput (token/s): 1.00, #queue-req: 0", true},
		{"sglang", "[2025-10-03 10:00:00] Decode batch [1240], #running-req: 45, #token: 44672", true},
		{"sglang", `[2026-11-21 03:58:24] INFO:     127.0.0.1:37076 - "POST /generate HTTP/1.1" 200 OK`, true},
		{"sglang", `[2026-11-21 03:58:24] INFO:     127.0.0.1:37076 - "POST /v1/chat/completions?x=1 HTTP/1.1" 200 OK`, true},
		{"sglang", `[2026-11-21 03:58:24] INFO:     127.0.0.1:37076 - "POST /generate HTTP/1.1" 500 Internal Server Error`, false},
		{"sglang", `[2026-11-21 03:59:11] INFO:     127.0.0.1:37942 - "POST /flush_cache HTTP/1.1" 200 OK`, false},
		{"sglang", `[2026-11-21 03:58:18] INFO:     127.0.0.1:54716 - "GET /health HTTP/1.1" 200 OK`, false},
		{"sglang", `[2026-11-21 03:58:18] INFO:     127.0.0.1:54716 - "GET /metrics HTTP/1.1" 200 OK`, false},
		{"vllm", `INFO:     127.0.0.1:48052 - "POST /v1/completions HTTP/1.1" 200 OK`, true},
		{"vllm", `(APIServer pid=7) INFO:     127.0.0.1:48052 - "POST /v1/chat/completions HTTP/1.1" 200 OK`, true},
		{"vllm", `INFO:     127.0.0.1:49450 - "POST /v1/completions HTTP/1.1" 404 Not Found`, false},
		{"vllm", "(APIServer pid=7) INFO 11-21 03:41:26 [loggers.py:335] Engine 000: Avg prompt throughput: 0.0 tokens/s, Avg generation throughput: 7.3 tokens/s, Running: 1 reqs, Waiting: 0 reqs", true},
		{"vllm", "INFO 07-08 07:17:34 metrics.py:334] Avg prompt throughput: 6501.4 tokens/s, Avg generation throughput: 0.0 tokens/s, Running: 4 reqs, Swapped: 0 reqs, Pending: 0 reqs", true},
		{"vllm", "INFO 11-21 03:41:26 [loggers.py:335] Engine 000: Avg prompt throughput: 0.0 tokens/s, Avg generation throughput: 0.3 tokens/s, Running: 1 reqs", true},
		{"vllm", "INFO 11-21 03:41:26 [loggers.py:335] Engine 000: Avg prompt throughput: 0.0 tokens/s, Avg generation throughput: 0.0 tokens/s, Running: 8 reqs, Waiting: 0 reqs", false},
		{"llama.cpp", "0.02.941.246 I slot launch_slot_: id  1 | task 0 | processing task, is_child = 0", true},
		{"llama.cpp", "3.55.246.634 I slot print_timing: id  0 | task 533 | n_decoded =    102, tg =  11.77 t/s", true},
		{"llama.cpp", "slot      release: id  0 | task 124 | stop processing: n_tokens = 1369, truncated = 0", true},
		{"llama.cpp", "0.08.783.142 I srv    load_model: initializing, n_slots = 2, n_ctx_slot = 2048, kv_unified = 'false'", false},
		{"llama.cpp", "srv  update_slots: all slots are idle", false},
		{"transformers serve", "[transformers] [Request received] Model: /models/tiny@main, CB: False", true},
		{"transformers serve", "[transformers] Scanning the cache directory for LLMs and VLMs.", false},
		{"generic", `INFO:     127.0.0.1:51276 - "POST /v1/completions HTTP/1.1" 200 OK`, true},
		{"generic", `INFO:     127.0.0.1:51276 - "GET /health HTTP/1.1" 200 OK`, false},
	} {
		if got := c.Server(tc.profile).Served.Expression().MatchString(tc.line); got != tc.want {
			t.Errorf("%s: %s: %v", tc.profile, tc.line, got)
		}
	}
	// A whole log of SGLang: twenty-four batches and the answered requests; an idle vLLM served none.
	if n := len(matching(c.Server("sglang").Served.Expression(), lines(t, "sglang-0.5.9"))); n < 24 {
		t.Errorf("sglang: %d lines of work", n)
	}
	if got := matching(c.Server("vllm").Served.Expression(), lines(t, "vllm-idle-int")); len(got) > 0 {
		t.Errorf("an idle vLLM served %q", got)
	}
}

func TestWorkerNames(t *testing.T) {
	c := mustLoad(t)
	for _, tc := range []struct {
		profile, name string
		want          bool
	}{
		{"sglang", "sglang::scheduler", true},
		{"sglang", "sglang::schedul", true}, // as the kernel cuts it
		{"sglang", "sglang::scheduler_DP0_TP0_EP0", true},
		{"sglang", "sglang::detokenizer", true},
		{"sglang", "sglang::data_parallel_controller", true},
		{"sglang", "sglang::tokenizer_worker:1234", false}, // started again when it ends
		{"sglang", "python3 -m sglang.launch_server --model-path m", false},
		{"sglang", "/usr/bin/python3 -c from multiprocessing.resource_tracker import main;main(9)", false},
		{"sglang", "grep sglang::scheduler", false},
		{"vllm", "VLLM::EngineCore", true},
		{"vllm", "VLLM::EngineCor", true},
		{"vllm", "VLLM::EngineCore_DP0", true},
		{"vllm", "VLLM::EngineCoreProc_0", true},
		{"vllm", "VLLM::Worker", true},
		{"vllm", "VLLM::Worker_PP0_TP1_EP1", true},
		{"vllm", "VLLM::DPCoordinator", true},
		{"vllm", "VLLM::APIServer_0", true},
		{"vllm", "VLLM::ApiServer_1", true},
		{"vllm", "/opt/vllm/bin/python -c from multiprocessing.spawn import spawn_main; spawn_main(tracker_fd=5)", false},
		{"sim-vllm", "VLLM::Worker_TP0 __sim-worker", true},
		{"sim-sglang", "sglang::scheduler __sim-worker", true},
	} {
		if got := c.Server(tc.profile).Workers.Expression().MatchString(tc.name); got != tc.want {
			t.Errorf("%s: %q: %v", tc.profile, tc.name, got)
		}
	}
	if re := c.Server(Generic).Workers.Expression(); re != nil {
		t.Errorf("workers of an unknown server: %v", re)
	}
}
