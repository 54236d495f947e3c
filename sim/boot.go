package sim

import (
	"fmt"
	"os"
	"strconv"
)

// The steps of a start, in the order of the real engines. Each step of loading is due at a share
// of the start-up time; the last tenth belongs to SGLang's warm-up request.
type bootStep struct {
	due float64 // share of Options.Startup
	do  func()
}

// warmupShare is the part of the start-up time after which the HTTP server listens.
const warmupShare = 0.9

// bootSteps gives the steps up to the moment at which the server listens.
func (s *server) bootSteps() []bootStep {
	if s.opt.Style == VLLM {
		return s.vllmSteps()
	}
	return s.sglangSteps()
}

func (s *server) sglangSteps() []bootStep {
	o, l := s.opt, s.log
	return []bootStep{
		{0, func() {
			l.sglang("server_args=ServerArgs(model_path='%s', served_model_name='%s', host='%s', port=%d, disable_radix_cache=%s, page_size=%d, max_running_requests=%d, max_total_tokens=%d, chunked_prefill_size=%d, schedule_conservativeness=%v, random_seed=%d, tp_size=%d%s)",
				o.Model, o.ServedModelName, o.Host, o.Port, pythonBool(o.DisableRadixCache), o.PageSize, o.MaxRunningRequests, o.MaxTotalTokens,
				o.ChunkedPrefillSize, o.ScheduleConservativeness, o.Seed, max(o.Workers, 1), s.configTrap())
		}},
		{0.1, s.startTree},
		{0.2, func() { l.sglang("Init torch distributed begin.") }},
		{0.25, func() { l.sglang("Init torch distributed ends. elapsed=0.00 s, mem usage=0.00 GB") }},
		{0.3, func() { l.sglang("Load weight begin. avail mem=79.00 GB"); s.failStart() }},
		{0.4, func() { l.raw("Loading safetensors checkpoint shards:   0% Completed | 0/4 [00:00<?, ?it/s]\r") }},
		{0.5, func() {
			l.raw("Loading safetensors checkpoint shards:  50% Completed | 2/4 [00:00<00:00, 10.00it/s]\r")
		}},
		{0.6, func() {
			l.raw("Loading safetensors checkpoint shards: 100% Completed | 4/4 [00:00<00:00, 10.00it/s]\n\n")
			l.sglang("Load weight end. elapsed=%.2f s, type=Simulated, dtype=torch.bfloat16, avail mem=63.00 GB, mem usage=16.00 GB.", 0.3*o.Startup.Seconds())
		}},
		{0.7, func() {
			l.sglang("KV Cache is allocated. #tokens: %d, K size: 16.00 GB, V size: 16.00 GB", o.MaxTotalTokens)
			l.sglang("max_total_num_tokens=%d, chunked_prefill_size=%d, max_prefill_tokens=16384, max_running_requests=%d, context_len=%d, available_gpu_mem=31.00 GB",
				o.MaxTotalTokens, o.ChunkedPrefillSize, o.MaxRunningRequests, o.ContextLength)
		}},
		{warmupShare, func() {
			l.uvicorn("Started server process [%d]", os.Getpid())
			l.uvicorn("Waiting for application startup.")
			l.uvicorn("Application startup complete.") // before the socket accepts, as in the real one
		}},
	}
}

func (s *server) vllmSteps() []bootStep {
	o, l := s.opt, s.log
	core := func(source, format string, args ...any) { l.engine("EngineCore", source, format, args...) }
	worker := func(source, format string, args ...any) { l.engine("Worker", source, format, args...) }
	return []bootStep{
		{0, func() {
			l.api("api_utils.py:286", "non-default args: {'model_tag': '%s', 'host': '%s', 'port': %d, 'served_model_name': ['%s'], 'enable_prefix_caching': %s, 'max_num_seqs': %d, 'max_num_batched_tokens': %d, 'seed': %d, 'tensor_parallel_size': %d%s}",
				o.Model, o.Host, o.Port, o.ServedModelName, pythonBool(!o.DisableRadixCache), o.MaxRunningRequests, o.ChunkedPrefillSize, o.Seed, max(o.Workers, 1), s.configTrap())
		}},
		{0.1, s.startTree},
		{0.2, func() {
			core("core.py:133", "Initializing a V1 LLM engine (simulated) with config: model='%s', enable_prefix_caching=%s", o.Model, pythonBool(!o.DisableRadixCache))
		}},
		{0.3, func() { worker("gpu_model_runner.py:68", "Starting to load model %s...", o.Model); s.failStart() }},
		{0.4, func() { l.raw("Loading safetensors checkpoint shards:   0% Completed | 0/4 [00:00<?, ?it/s]\r") }},
		{0.6, func() {
			l.raw("Loading safetensors checkpoint shards: 100% Completed | 4/4 [00:00<00:00, 10.00it/s]\n\n")
			worker("default_loader.py:501", "Loading weights took %.2f seconds", 0.3*o.Startup.Seconds())
		}},
		{0.7, func() {
			core("kv_cache_utils.py:2327", "GPU KV cache size: %s tokens", thousands(o.MaxTotalTokens))
			core("kv_cache_utils.py:2332", "Maximum concurrency for %s tokens per request: %.2fx", thousands(o.ContextLength), float64(o.MaxTotalTokens)/float64(o.ContextLength))
			core("core.py:402", "init engine (profile, create kv cache, warmup model) took %.2f s", 0.1*o.Startup.Seconds())
		}},
		{warmupShare, func() {
			l.api("entry.py:140", "Starting vLLM server on http://%s:%d", o.Host, o.Port)
			for _, r := range routes {
				l.api("launcher.py:195", "Route: %s, Methods: %s", r.path, r.methods)
			}
			l.uvicorn("Started server process [%d]", os.Getpid())
			l.uvicorn("Waiting for application startup.")
		}},
	}
}

// configTrap puts the ready line's text into the configuration echo, where the fault asks for it.
func (s *server) configTrap() string {
	switch {
	case !s.faults.has("ready-in-config"):
		return ""
	case s.opt.Style == VLLM:
		return fmt.Sprintf(", 'chat_template': '%s'", readyText(VLLM))
	}
	return fmt.Sprintf(", chat_template='%s'", readyText(SGLang))
}

func readyText(style string) string {
	if style == VLLM {
		return "Application startup complete."
	}
	return "The server is fired up and ready to roll!"
}

func pythonBool(b bool) string {
	if b {
		return "True"
	}
	return "False"
}

// thousands writes n with commas, as vLLM does.
func thousands(n int) string {
	digits := strconv.Itoa(n)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}
