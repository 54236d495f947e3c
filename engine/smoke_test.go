package engine

import (
	"strings"
	"testing"

	"servematrix/matrix"
)

func TestCutDown(t *testing.T) {
	c := mustLoad(t)
	for _, tc := range []struct {
		command, want string
		known         bool
	}{
		{"python3 -m sglang.bench_serving --num-prompts 256 --max-concurrency 32", "python3 -m sglang.bench_serving --num-prompts 4 --max-concurrency 4", true},
		{"python3 -m sglang.bench_serving --num-prompts=256 --max-concurrency=2", "python3 -m sglang.bench_serving --num-prompts=4 --max-concurrency=2", true},
		{"python3 -m sglang.bench_serving --num-prompts 3", "python3 -m sglang.bench_serving --num-prompts 3", true},
		{"python3 -m sglang.bench_serving --num-prompts 9 --num-prompts 80", "python3 -m sglang.bench_serving --num-prompts 9 --num-prompts 4", true},
		{"vllm bench serve --model m", "vllm bench serve --model m --num-prompts 4", true},
		{"vllm bench serve --num_prompts 80 --max-concurrency inf", "vllm bench serve --num_prompts 4 --max-concurrency 4", true},
		{"nice -n 5 vllm bench serve --num-prompts 80", "nice -n 5 vllm bench serve --num-prompts 4", true},
		{"servematrix bench --dataset-name random --num-prompts 64 --max-concurrency 8", "servematrix bench --dataset-name random --num-prompts 4 --max-concurrency 4", true},
		{"python3 -m sglang.bench_serving --dataset-name generated-shared-prefix --num-prompts 80", "python3 -m sglang.bench_serving --dataset-name generated-shared-prefix --num-prompts 80 --gsp-num-groups 4 --gsp-prompts-per-group 1", true},
		{"servematrix bench --dataset-name generated-shared-prefix --gsp-num-groups 3 --gsp-prompts-per-group 8 --gsp-num-turns 5 --max-concurrency 9",
			"servematrix bench --dataset-name generated-shared-prefix --gsp-num-groups 3 --gsp-prompts-per-group 1 --gsp-num-turns 1 --max-concurrency 4", true},
		{"servematrix bench --dataset-name generated-shared-prefix --find max-rate", "servematrix bench --dataset-name generated-shared-prefix --find max-rate --num-prompts 4", false},
		{"my-bench --num-prompts 12 --max-concurrency 12", "my-bench --num-prompts 4 --max-concurrency 4", true},
		{"my-bench --requests 12", "my-bench --requests 12", false},
		{"bash -c vllm_bench_serve", "bash -c vllm_bench_serve", false},
	} {
		cl := &matrix.Client{Variant: matrix.Variant{Argv: strings.Fields(tc.command), Profile: Generic}}
		if p := c.recogniseClient(cl.Argv); p != nil {
			cl.Profile = p.Name
		}
		known := c.CutDown(cl, 4)
		if got := strings.Join(cl.Argv, " "); got != tc.want || known != tc.known {
			t.Errorf("%s\nbecame %s, known %v\nwant   %s, known %v", tc.command, got, known, tc.want, tc.known)
		}
	}
}

// A script's flags are not ours to change.
func TestCutDownLeavesScriptsAlone(t *testing.T) {
	c := mustLoad(t)
	script := "vllm bench serve --num-prompts 80"
	cl := &matrix.Client{Variant: matrix.Variant{Argv: []string{"bash", "-c", script}, Profile: "vllm bench serve"}}
	if known := c.CutDown(cl, 4); known || cl.Argv[2] != script {
		t.Errorf("%v, known %v", cl.Argv, known)
	}
}
