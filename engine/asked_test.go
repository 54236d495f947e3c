package engine

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestAsked(t *testing.T) {
	c := mustLoad(t)
	for command, want := range map[string]map[string][]string{
		"python3 -m sglang.launch_server --model-path /m --tp 8 --disable-radix --mem-fraction-static=0.8 --cuda-graph-bs 1 2 4": {
			"model_path": {"/m"}, "tp": {"8"}, "disable_radix": nil, "mem_fraction_static": {"0.8"}, "cuda_graph_bs": {"1", "2", "4"}},
		"env A=1 python3 -m sglang.launch_server --chunked-prefill-size -1 --tp=2 --tp 4": {"chunked_prefill_size": {"-1"}, "tp": {"4"}},
		"vllm serve model -tp 2 --max_model_len 32k":                                      {"tp": {"2"}, "max_model_len": {"32k"}},
	} {
		argv := strings.Fields(command)
		p := c.recogniseServer(argv)
		if p == nil {
			t.Fatalf("%s: not recognised", command)
		}
		if diff := cmp.Diff(want, p.Asked(argv)); diff != "" {
			t.Errorf("%s:\n%s", command, diff)
		}
	}
}
