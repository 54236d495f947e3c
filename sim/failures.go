package sim

import (
	"fmt"
	"os"
	"syscall"
)

// startFailure is what an engine prints when a start fails for one reason, and how it ends.
// SGLang's scheduler raises, its parent gets a SIGQUIT and kills the whole tree and itself;
// vLLM's engine process raises and its API server exits 1.
type startFailure struct {
	fault        string
	sglang, vllm string  // the exception's line
	sglangEnd    *ending // nil: by SIGKILL, after "Received sigquit"
	vllmEnd      *ending // nil: exit code 1, after "Engine core initialization failed"
}

var startFailures = []startFailure{
	{
		fault:  "oom",
		sglang: "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.50 GiB. GPU 0 has a total capacity of 79.11 GiB of which 1.05 GiB is free.",
		vllm:   "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.50 GiB. GPU 0 has a total capacity of 79.11 GiB of which 1.05 GiB is free.",
	},
	{
		fault:  "kv-memory",
		sglang: "RuntimeError: Not enough memory. Please try to increase --mem-fraction-static. Current value: self.server_args.mem_fraction_static=0.5",
		vllm:   "ValueError: No available memory for the cache blocks. Try increasing `gpu_memory_utilization` when initializing the engine.",
	},
	{
		fault:  "graph",
		sglang: "Exception: Capture cuda graph failed: CUDA error: an illegal memory access was encountered",
		vllm:   "RuntimeError: CUDA graph capture failed: CUDA error: an illegal memory access was encountered",
	},
	{
		fault:  "model",
		sglang: "OSError: %s is not a local folder and is not a valid model identifier listed on the hub",
		vllm:   "OSError: %s is not a local folder and is not a valid model identifier listed on the hub",
		// Both read the model's configuration before they start any process.
		sglangEnd: &ending{code: 1}, vllmEnd: &ending{code: 1},
	},
	{
		fault:     "bad-flag",
		sglang:    "launch_server.py: error: unrecognized arguments: --no-such-flag",
		vllm:      "vllm: error: unrecognized arguments: --no-such-flag",
		sglangEnd: &ending{code: 2}, vllmEnd: &ending{code: 2},
	},
	{
		fault:  "host-oom",
		sglang: "RuntimeError: Rank 0 scheduler died during initialization (exit code: -9). If exit code is -9 (SIGKILL), a common cause is the OS OOM killer.",
		vllm:   "RuntimeError: Worker proc VllmWorker-0 died unexpectedly (exit code: -9), shutting down executor.",
	},
	{
		fault:  "shm",
		sglang: "RuntimeError: Rank 0 scheduler died during initialization (exit code: -7). Bus error (core dumped)",
		vllm:   "RuntimeError: Worker proc VllmWorker-0 died unexpectedly (exit code: -7), Bus error",
	},
	{
		fault:  "collective",
		sglang: "torch.distributed.DistBackendError: NCCL error in: ProcessGroupNCCL.cpp:3356, unhandled cuda error, NCCL version 2.27.3",
		vllm:   "RuntimeError: NCCL error: unhandled cuda error (run with NCCL_DEBUG=INFO for details)",
	},
	{
		fault:  "npu",
		sglang: "RuntimeError: ACL stream synchronize failed, error code:507015 ERR00100 PTA call acl api failed",
		vllm:   "RuntimeError: ACL stream synchronize failed, error code:507015 ERR00100 PTA call acl api failed",
	},
}

// failStart ends the start where a fault asks for it.
func (s *server) failStart() {
	if end := s.faults.ending("exit-before-ready", ending{code: -1}); end.code >= 0 {
		s.end(end)
		return
	}
	if fails, err := s.faults.failsOnce(); fails {
		if err != nil {
			s.log.raw(fmt.Sprintf("servematrix sim: %v\n", err))
		}
		s.log.raw("RuntimeError: this start fails, as --fault fail-once asks\n")
		s.end(ending{code: 1})
		return
	}
	for _, f := range startFailures {
		if s.faults.has(f.fault) {
			s.fail(f)
			return
		}
	}
}

func (s *server) fail(f startFailure) {
	line, end := f.sglang, f.sglangEnd
	if s.opt.Style == VLLM {
		line, end = f.vllm, f.vllmEnd
	}
	switch {
	case f.fault == "model":
		line = fmt.Sprintf(line, s.opt.Model)
	case f.fault == "bad-flag":
		s.log.raw("usage: " + map[string]string{SGLang: "launch_server.py", VLLM: "vllm serve"}[s.opt.Style] + " [-h] [--model-path MODEL_PATH] ...\n")
	}
	switch {
	case end != nil:
		s.log.raw(line + "\n")
		s.end(*end)
	case s.opt.Style == VLLM:
		pid := os.Getpid()
		s.log.write(s.log.stdout, fmt.Sprintf("(EngineCore pid=%d) ERROR [core.py:1210] EngineCore failed to start.\n(EngineCore pid=%d) ERROR [core.py:1210] %s\n", pid, pid, line))
		s.log.raw("Traceback (most recent call last):\n  File \"simulated.py\", line 1, in <module>\n" +
			"RuntimeError: Engine core initialization failed. See root cause above. Failed core proc(s): {}\n")
		s.end(ending{code: 1})
	default:
		s.log.sglang("Scheduler hit an exception: Traceback (most recent call last):\n  File \"simulated.py\", line 1, in <module>\n%s\n", line)
		s.log.sglang("Received sigquit from a child process. It usually means the child failed.")
		s.end(ending{signal: syscall.SIGKILL})
	}
}
