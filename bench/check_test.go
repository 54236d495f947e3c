package bench

import (
	"slices"
	"strings"
	"testing"
)

func TestCheck(t *testing.T) {
	tests := []struct{ args, want, unknown string }{
		{args: "--backend vllm --base-url ${{ server.url }} --num-prompts 8 --output-file ${{ late.dir }}/r.jsonl --seed ${{ late.seed }}"},
		{args: "--num_prompt 8", want: "unknown flag: --num_prompt", unknown: "num_prompt"},
		{args: "--base-url ${{ env.URL }} --num-prompt 8", want: "unknown flag: --num-prompt", unknown: "num-prompt"},
		{args: "--base-url ${{ env.URL }} --max-concurrency ${{ env.CONC }}"},
		{args: "--backend vlm", want: "--backend vlm: want one of lmdeploy"},
		{args: "--num-prompts many", want: `invalid argument "many"`},
		{args: "--seed", want: "flag needs an argument: --seed"},
		{args: "--seed 1 8", want: `"8" belongs to no flag`},
		{args: "--goodput ttft:500 tpot:50 e2el:1000 --seed 1"},
		{args: "--goodput ttft:500,e2el:1000"},
		{args: "--goodput ttft:500 --seed 1 tpot:x", want: `"tpot:x" belongs to no flag`},
		{args: "--find max-rate --slo p99_ttft_ms<500 mean_tpot_ms<50 p99_itl_ms<9 --seed 1", want: `"mean_tpot_ms<50" belongs to no flag: --slo takes one text, "p99_ttft_ms<500,mean_tpot_ms<50,p99_itl_ms<9"`},
		{args: "--percentiles 50 99", want: `"99" belongs to no flag: --percentiles takes one text, "50,99"`},
		{args: "--goodput p99:5", want: "want ttft:MS, tpot:MS or e2el:MS"},
		{args: "--goodput ttft:0", want: "milliseconds of more than 0"},
		{args: "--ca-cert only/there.pem --dataset-name sharegpt --dataset-path only/there.json"}, // files are the run's
		{args: "--ignore-eos"},
		{args: "--dataset-name sharegpt", want: "name --dataset-path FILE, or --dataset-name random with its lengths"},
		{args: "--ignore-eos=false", want: "--disable-ignore-eos lets the model end its answers"},
		{args: "--ignore-eos --disable-ignore-eos", want: "contradict each other"},
		{args: "--random-input-len 9000000000000000000", want: "--random-input-len 9000000000000000000: want at most 16777216"},
		{args: "--dataset-name generated-shared-prefix --gsp-num-groups 4000000000 --gsp-prompts-per-group 4000000000", want: "--gsp-num-groups 4000000000: want at most"},
		{args: "--dataset-name generated-shared-prefix --gsp-num-groups 100000000 --gsp-prompts-per-group 100000000", want: "their product is the number of prompts"},
		{args: "--dataset-name generated-shared-prefix --gsp-num-groups 100000 --gsp-prompts-per-group 1000 --gsp-num-turns 2", want: "their product is the number of prompts"},
		{args: "--request-rate 1e-11", want: "--request-rate 1e-11: want requests per second of at least 1e-06"},
		{args: "--ramp-up-strategy linear --ramp-up-start-rps 1e-11 --ramp-up-end-rps 1", want: "--ramp-up-start-rps 1e-11: want"},
		{args: "--help", want: "measures nothing"},
	}
	for _, test := range tests {
		// An expression is one word, whatever blanks it has.
		words := strings.Fields(strings.NewReplacer("{{ ", "{{", " }}", "}}").Replace(test.args))
		if !strings.Contains(test.args, "--dataset-name") {
			words = append([]string{"--dataset-name", "random"}, words...)
		}
		err := Check(words)
		if got := errorText(err); (test.want == "") != (err == nil) || !strings.Contains(got, test.want) {
			t.Errorf("%s: %q, want %q", test.args, got, test.want)
		}
		if name, ok := UnknownFlag(err); name != test.unknown || ok != (name != "") {
			t.Errorf("%s: unknown flag %q %v, want %q", test.args, name, ok, test.unknown)
		}
	}
	if !slices.Contains(FlagNames(), "num-prompts") {
		t.Errorf("FlagNames: no num-prompts in %q", FlagNames())
	}
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
