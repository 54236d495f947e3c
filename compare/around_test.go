package compare

import (
	"testing"

	"servematrix/effective"
)

// What a server tells of itself is a flag's doing only where the flag sets it: what changes by
// chance alike, or has a name that begins alike, is a difference of its own and no clean A/B.
func TestMirrored(t *testing.T) {
	sglang := &effective.Config{Engine: "sglang", Names: map[string]string{"dp": "dp_size", "model": "model_path"}, Args: map[string]any{
		"max_running_requests": 1, "max_prefill_tokens": 1, "dp_size": 1, "dp_attention": true, "mem_fraction_static": 0.8, "overlap": true, "model_path": "m",
		"tokenizer_path": "m", "json_model_override_args": "{}"}}
	for _, c := range []struct {
		name       string
		flag       [3]string // name and the two values; "-" for none
		what, a, b string
		want       bool
	}{
		{"its own name", [3]string{"--max-running-requests", "4096", "8192"}, "args.max_running_requests", "4096", "8192", true},
		{"raised by the engine", [3]string{"--max-running-requests", "4096", "8192"}, "args.max_running_requests", "2048", "8192", true},
		{"the same two numbers", [3]string{"--max-running-requests", "4096", "8192"}, "args.max_prefill_tokens", "4096", "8192", false},
		{"the profile's name", [3]string{"--dp", "1", "2"}, "args.dp_size", "1", "2", true},
		{"a name that begins alike", [3]string{"--dp", "1", "2"}, "args.dp_attention", "False", "True", false},
		{"an abbreviation", [3]string{"--mem-fraction", "0.8", "0.9"}, "args.mem_fraction_static", "0.8", "0.9", true},
		{"turned round", [3]string{"--no-overlap", "-", "present"}, "args.overlap", "True", "False", true},
		{"a path that follows", [3]string{"--model", "/m/a", "/m/b"}, "args.tokenizer_path", "/m/a", "/m/b", true},
		{"a word that is alike", [3]string{"--kv-cache-dtype", "auto", "fp8"}, "args.quantization", "auto", "fp8", false},
		{"in JSON", [3]string{"--speculative-config", `{"model":"a"}`, `{"model":"b"}`}, "args.speculative_config.model", "a", "b", true},
		{"beside JSON", [3]string{"--speculative-config", `{"model":"a"}`, `{"model":"b"}`}, "args.speculative_config.method", "eagle", "ngram", false},
		{"JSON in one arm", [3]string{"--speculative-config", "-", `{"model":"b"}`}, "args.speculative_config.method", "", "ngram", true},
		{"an inner name", [3]string{"--method", "x", "y"}, "args.speculative_config.method", "x", "y", false},
		{"an answer, with its unit", [3]string{"--decode-base", "8ms", "7ms"}, "/server_info.decode_base_s", "0.008", "0.007", true},
		{"an answer that begins alike", [3]string{"--decode-base", "8ms", "7ms"}, "/server_info.decode_base_kind", "a", "b", false},
	} {
		given := func(s string) *string {
			if s == "-" {
				return nil
			}
			return &s
		}
		d := newDiffer(&book{}, nil, &Result{})
		d.Differences = []Difference{{Arm: "arm", Kind: KindFlag, Name: c.flag[0], Baseline: given(c.flag[1]), Value: given(c.flag[2])}}
		ch := changeOf(effective.Difference{What: c.what, A: c.a, B: c.b})
		if got := d.mirrored("arm", ch, []*effective.Config{sglang}); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
		if d.mirrored("another arm", ch, []*effective.Config{sglang}) {
			t.Errorf("%s: another arm's flag hides it", c.name)
		}
	}
}
