package main

import (
	"maps"
	"strings"
	"time"
)

// engine is how a real engine is started here, and how its faults look. DIR
// stands for where it is installed, PORT for its port, EXTRA for the usual flags
// or those of a fault.
type engine struct {
	name    string
	server  string            // command
	usual   string            // flags
	env     map[string]string // of the server
	load    string            // flags of `servematrix bench`
	silence string            // of that client: longer than it takes between two answers
	core    string            // part of the name of the process that computes; "": it has none beside its leader
	worker  string            // the same for one below or beside it
	booting string            // flags with which a start takes a while
	settle  time.Duration     // from the start, or the core's birth, to the middle of the start
	badFlag string
	model   [2]string           // what to replace in the command, and by what, so that there is no model
	context string              // flags that ask for more context than the model has
	memory  func(engine) engine // the same with a KV cache that does not fit
	steals  bool                // loads before it listens, so that its port can be taken meanwhile
}

var engines = map[string]engine{
	"llama.cpp": {
		name:   "llama.cpp",
		server: "DIR/server/llama-server -m DIR/tiny.gguf --host 127.0.0.1 --port PORT -t 1 -np 2 EXTRA",
		usual:  "-c 4096",
		load:   "--backend openai --vocab-size 4000 --random-input-len 64 --random-output-len 200", silence: "15s",
		booting: "-c 1500000", settle: time.Second / 2,
		badFlag: "--no-such-flag", model: [2]string{"tiny.gguf", "nope.gguf"},
		memory: func(e engine) engine { // the limit makes it fail alike on every host
			e.server = "bash -c 'ulimit -v 1500000; exec " + e.server + "'"
			return e.with("-c 3000000")
		},
	},
	"transformers": {
		name:   "transformers",
		server: "DIR/venv/bin/transformers serve DIR/tiny --host 127.0.0.1 --port PORT --device cpu EXTRA",
		env:    map[string]string{"HF_HUB_OFFLINE": "1", "CUDA_VISIBLE_DEVICES": ""},
		load: `--backend openai --model DIR/tiny --extra-request-body '{"prompt":"def main(argv): return the sum of all arguments"}' --disable-ignore-eos
			--random-output-len 16 --random-range-ratio 1`, silence: "40s",
		settle: 3 * time.Second, badFlag: "--no-such-flag", model: [2]string{"DIR/tiny ", "DIR/nope "}, steals: true,
	},
	"vllm": {
		name:   "vllm",
		server: "DIR/venv/bin/vllm serve DIR/tiny --served-model-name tiny --host 127.0.0.1 --port PORT --dtype bfloat16 --enforce-eager EXTRA",
		usual:  "--max-model-len 4096",
		env:    map[string]string{"VLLM_CPU_KVCACHE_SPACE": "1", "VLLM_NO_USAGE_STATS": "1", "HF_HUB_OFFLINE": "1"},
		load:   "--backend vllm --model tiny --vocab-size 4000 --random-input-len 128 --random-output-len 128", silence: "30s",
		core: "VLLM::EngineCor", worker: "VLLM::Worker", settle: 2 * time.Second,
		badFlag: "--no-such-flag 3", model: [2]string{"DIR/tiny ", "DIR/nope "}, context: "--max-model-len 10000000",
		memory: func(e engine) engine {
			e.env = maps.Clone(e.env)
			e.env["VLLM_CPU_KVCACHE_SPACE"] = "500"
			return e
		},
		steals: true,
	},
	"sglang": {
		name: "sglang",
		server: `DIR/venv/bin/python -m sglang.launch_server --model-path DIR/tiny --host 127.0.0.1 --port PORT --device cpu --attention-backend torch_native
			--sleep-on-idle EXTRA`,
		usual: "--mem-fraction-static 0.8 --max-total-tokens 65536",
		env:   map[string]string{"SGLANG_USE_CPU_ENGINE": "1", "OMP_NUM_THREADS": "1", "TORCH_COMPILE_DISABLE": "1", "HF_HUB_OFFLINE": "1"},
		load:  "--backend sglang-oai --vocab-size 4000 --random-input-len 128 --random-output-len 128", silence: "30s",
		core: "sglang::schedul", worker: "sglang::detoken", settle: 2 * time.Second,
		badFlag: "--no-such-flag", model: [2]string{"DIR/tiny ", "DIR/nope "}, context: "--mem-fraction-static 0.8 --max-total-tokens 65536 --context-length 10000000",
		memory: func(e engine) engine { return e.with("--mem-fraction-static 0.01") },
		steals: true,
	},
}

// at is the engine as it is installed in dir.
func (e engine) at(dir string) engine {
	e.server, e.load = strings.ReplaceAll(e.server, "DIR", dir), strings.ReplaceAll(e.load, "DIR", dir)
	for i, s := range e.model {
		e.model[i] = strings.ReplaceAll(s, "DIR", dir)
	}
	return e
}

// with is the engine with other flags in place of the usual ones.
func (e engine) with(flags string) engine {
	e.usual = flags
	return e
}

// command is the server's command as a sweep has it.
func (e engine) command() string {
	return strings.Join(strings.Fields(strings.Replace(e.server, "EXTRA", e.usual, 1)), " ")
}
