package result

import (
	"errors"
	"math"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"servematrix/secret"
)

const small = `{"duration": 2.5, "completed": 4, "total_output_tokens": 64}`

func parse(t *testing.T, text string) []*Measurement {
	t.Helper()
	found, err := ParseJSON(iotest.OneByteReader(strings.NewReader(text)))
	if err != nil {
		t.Fatalf("%.80s: %v", text, err)
	}
	return found
}

func TestJSONForms(t *testing.T) {
	for text, want := range map[string]int{
		small:                                 1,
		small + "\n" + small + "\n":           2,
		small + small + small:                 3, // --append-result writes no newline
		"[" + small + ", " + small + "]":      2,
		"\ufeff \n" + small:                   1,
		"[[" + small + "]] " + small:          2,
		"":                                    0,
		`{"run": "x"} [1, 2, "three"] null`:   0,
		`{"completed": 3}`:                    0, // one word alone is no result
		`{"a": {"duration":1,"completed":1}}`: 0,
	} {
		found := parse(t, text)
		if len(found) != want {
			t.Errorf("%q: %d results, want %d", text, len(found), want)
		}
		for _, m := range found {
			if m.Metrics.Value("completed") != 4 || m.Metrics.Value("duration_s") != 2.5 || m.Metrics.Value("total_output_tokens") != 64 {
				t.Errorf("%q: %v", text, m.Metrics)
			}
			if source := map[bool]string{true: "jsonl", false: "json"}[want > 1]; m.Source != source {
				t.Errorf("%q: source %q", text, m.Source)
			}
		}
	}
}

func TestJSONNonFinite(t *testing.T) {
	m := parse(t, `{"duration": 1, "completed": 1, "request_rate": Infinity, "mean_ttft_ms": NaN, "mean_itl_ms": -Infinity, "std_itl_ms": "inf", "note": "NaN, Infinity", "odd": NaN}`)[0]
	if !math.IsInf(m.Metrics.Value("request_rate"), 1) || !math.IsNaN(m.Metrics.Value("mean_ttft_ms")) ||
		!math.IsInf(m.Metrics.Value("mean_itl_ms"), -1) || !math.IsInf(m.Metrics.Value("std_itl_ms"), 1) {
		t.Errorf("metrics %v", m.Metrics)
	}
	want := map[string]any{"request_rate": "inf", "odd": "nan"}
	if diff := cmp.Diff(want, m.Extra); diff != "" {
		t.Error(diff)
	}
	if m.Config["note"] != "NaN, Infinity" {
		t.Errorf("config %v", m.Config)
	}
}

func TestJSONKeys(t *testing.T) {
	m := parse(t, `{"duration": 1, "completed": 2, "failed": 1, "total_token_throughput": 3.5, "max_output_tokens_per_s": 4,
		"max_concurrent_requests": 5, "mean_e2el_ms": 6, "p99.9_e2el_ms": 7, "p50_ttft_ms": 8, "accept_length": null,
		"spec_decode_acceptance_length": 2.5, "rtfx": 0.5, "request_goodput": 9, "goodput_custom": 10, "max_concurrency": 11,
		"burstiness": 1.0, "label": null, "my_tag": "night", "num_prompts": 3, "min_ttft_ms": 1}`)[0]
	sameMetrics(t, "keys", map[string]float64{
		"duration_s": 1, "completed": 2, "failed": 1, "total_throughput": 3.5, "peak_output_throughput": 4,
		"peak_concurrent_requests": 5, "mean_e2e_latency_ms": 6, "p99.9_e2e_latency_ms": 7,
		"p50_ttft_ms": 8, "median_ttft_ms": 8, "accept_length": 2.5, "max_concurrency": 11, "num_prompts": 3, "request_goodput": 9,
	}, m.Metrics)
	if diff := cmp.Diff(map[string]any{
		"RTFx (Inverse Real-Time Factor)": 0.5, "goodput_custom": int64(10), "min_ttft_ms": int64(1),
	}, m.Extra); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(map[string]any{
		"burstiness": 1.0, "label": nil, "my_tag": "night", "num_prompts": int64(3), "max_concurrency": int64(11),
	}, m.Config); diff != "" {
		t.Error(diff)
	}
}

func TestJSONSecrets(t *testing.T) {
	m := parse(t, `{"duration": 1, "completed": 2, "api_key": "sk-secret", "openai_api_key": "sk-secret", "extra": {"hf_token": "sk-secret"},
		"header": "Authorization: Bearer sk-secretsecretsecret", "metadata": {"token": "sk-secret", "a": 1},
		"server_info": {"version": "0.5.9", "model_path": "m", "tp_size": 8, "api_key": "sk-secret", "admin_api_key": "sk-secret",
		"internal_states": [{"api_key": "sk-secret"}], "dist_init_addr": "host:1", "attention_backend": null}}`)[0]
	text := cmp.Diff(map[string]any{}, map[string]any{"extra": m.Extra, "config": m.Config})
	if strings.Contains(text, "sk-secret") {
		t.Errorf("a secret came through: %s", text)
	}
	want := map[string]any{"version": "0.5.9", "model_path": "m", "tp_size": int64(8)}
	if diff := cmp.Diff(want, m.Config["server_info"]); diff != "" {
		t.Error(diff)
	}
	if m.Config["api_key"] != secret.Mask {
		t.Errorf("config %v", m.Config)
	}
}

func TestJSONErrors(t *testing.T) {
	m := parse(t, `{"duration": 1, "completed": 2, "errors": ["", "Not Found", "Not Found", null, "Reset"], "ttfts": [1, 2]}`)[0]
	if m.Metrics.Value("failed") != 3 {
		t.Errorf("failed %v", m.Metrics.Value("failed"))
	}
	want := map[string]any{"errors": int64(3), "error messages": []any{"Not Found", "Reset"}}
	if diff := cmp.Diff(want, m.Extra); diff != "" {
		t.Error(diff)
	}
	counted := parse(t, `{"duration": 1, "completed": 2, "errors": ["x"], "failed": 7}`)[0]
	if counted.Metrics.Value("failed") != 7 {
		t.Errorf("the client's own count was overruled: %v", counted.Metrics)
	}
}

func TestJSONBigArraysAreNotKept(t *testing.T) {
	list := strings.TrimSuffix(strings.Repeat("1.5, ", maxKept+1), ", ")
	deep := strings.Repeat("[", 200) + strings.Repeat("]", 200)
	m := parse(t, `{"duration": 1, "completed": 2, "strange": [`+list+`], "deep": `+deep+`, "few": [1, [2, {"a": 3}]], "itls": [[1], [2]]}`)[0]
	if diff := cmp.Diff(map[string]any{"few": []any{int64(1), []any{int64(2), map[string]any{"a": int64(3)}}}}, m.Extra); diff != "" {
		t.Error(diff)
	}
}

func TestJSONCutOff(t *testing.T) {
	whole := small + `{"duration": 1, "completed": 2, "request_rate": Infinity, "s": "x\"y", "l": [true, null, -1.5e3]}`
	for i := len(small) + 1; i < len(whole); i++ {
		found, err := ParseJSON(strings.NewReader(whole[:i]))
		var cut *TruncatedError
		if !errors.As(err, &cut) {
			t.Errorf("cut at %d: %v", i, err)
			continue
		}
		if len(found) != 1 || cut.Whole != 1 || cut.Offset != int64(len(small)) {
			t.Errorf("cut at %d: %d results, %+v", i, len(found), cut)
		}
	}
	if _, err := ParseJSON(strings.NewReader(small + "oops")); err == nil || errors.As(err, new(*TruncatedError)) {
		t.Errorf("damage in the middle: %v", err)
	}
}

func TestJSONOfOurOwnForm(t *testing.T) {
	m := parse(t, `{"duration_s": 2, "completed": 3, "p99.9_ttft_ms": 4, "accept_length": null, "client": "servematrix bench", "version": "1",
		"simulated": true, "partial": true, "errors": [{"class": "reset", "count": 2, "first": "by peer"}],
		"config": {"backend": "sglang", "num_prompts": 5, "headers": ["X-Key"]}, "details": {"ttfts": [1, 2]}}`)[0]
	sameMetrics(t, "own", map[string]float64{"duration_s": 2, "completed": 3, "p99.9_ttft_ms": 4, "failed": 2, "num_prompts": 5}, m.Metrics)
	if m.Client != ClientServematrix || !m.Simulated || !m.Partial || m.Config["backend"] != "sglang" {
		t.Errorf("%+v", m)
	}
	if diff := cmp.Diff(map[string]any{"errors": int64(2), "error messages": []any{"reset: by peer"}}, m.Extra); diff != "" {
		t.Error(diff)
	}
	m = parse(t, `{"duration_s": 2, "completed": 3, "client": "servematrix bench", "client_bottleneck": ["it was slow"], "client_effort": {"cpu_s": 1.5},
		"errors": [{"class": "reset", "count": 2, "examples": ["by peer", "by proxy"]}], "input_lens": [1, 2], "request_errors": ["", "reset: by peer"]}`)[0]
	if diff := cmp.Diff(map[string]any{"errors": int64(2), "error messages": []any{"reset: by peer"}, "client_effort": map[string]any{"cpu_s": 1.5}}, m.Extra); diff != "" {
		t.Error(diff)
	}
	for strict, ok := range map[bool]bool{false: true, true: false} {
		v := Judge(parse(t, `{"duration_s": 2, "completed": 3, "total_output_tokens": 9, "client": "servematrix bench", "client_bottleneck": ["it was slow"]}`)[0], Expectation{Generic: true, Strict: strict})
		if v.OK != ok || !v.Has(ClientStarved) || !strings.HasSuffix(v.Reasons[0].Detail, ": it was slow") {
			t.Errorf("strict %v: %+v", strict, v)
		}
	}
	inner := parse(t, `{"client": "servematrix bench", "metrics": {"duration_s": 2, "completed": 3, "odd": 1}, "extra": {"a": 1}}`)[0]
	if inner.Metrics.Value("completed") != 3 || inner.Extra["a"] != int64(1) || inner.Extra["odd"] != int64(1) {
		t.Errorf("%+v", inner)
	}
}
