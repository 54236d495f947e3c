package effective_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"servematrix/effective"
)

func TestDevices(t *testing.T) {
	sglang := func(more ...any) *effective.Config {
		c := &effective.Config{Engine: "sglang", Args: map[string]any{"tp_size": 4, "pp_size": 2, "dp_size": 2, "device": "cuda", "disaggregation_mode": "null"}}
		for i := 0; i < len(more); i += 2 {
			c.Args[more[i].(string)] = more[i+1]
		}
		return c
	}
	vllm := func(more ...any) *effective.Config {
		c := &effective.Config{Engine: "vllm", Args: map[string]any{"tensor_parallel_size": 8, "pipeline_parallel_size": 1, "data_parallel_size": 2, "device_config": "cuda"}}
		for i := 0; i < len(more); i += 2 {
			c.Args[more[i].(string)] = more[i+1]
		}
		return c
	}
	changed := vllm("data_parallel_size", 1)
	changed.Changed = []effective.Change{{Flag: "data_parallel_size", Asked: "2", Is: "1"}}
	for name, one := range map[string]struct {
		c    *effective.Config
		want int
	}{
		"all three":                         {sglang(), 16},
		"attention within the tensor group": {sglang("enable_dp_attention", true), 8},
		"on the CPU":                        {sglang("device", "cpu"), 0},
		"a part of two":                     {sglang("disaggregation_mode", "decode"), 0},
		"a size that is not told":           {sglang("pp_size", nil), 0},
		"vLLM":                              {vllm(), 16},
		"vLLM, contexts":                    {vllm("prefill_context_parallel_size", 2, "decode_context_parallel_size", 4), 32},
		"not as asked":                      {changed, 0},
		"an engine without sizes":           {&effective.Config{Engine: "llama.cpp"}, 0},
	} {
		dir := t.TempDir()
		text, err := json.Marshal(one.c)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, effective.File), text, 0o600); err != nil {
			t.Fatal(err)
		}
		read, err := effective.Read(dir)
		if err != nil {
			t.Fatal(err)
		}
		if got := read.Devices(); got != one.want {
			t.Errorf("%s: %d devices, not %d", name, got, one.want)
		}
	}
}
