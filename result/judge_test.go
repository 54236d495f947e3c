package result

import (
	"math"
	"slices"
	"strings"
	"testing"
)

// reasons gives a verdict's reasons as "reason" or "reason?" for a warning.
func reasons(v Validity) []string {
	out := []string{}
	for _, r := range v.Reasons {
		name := r.Reason
		if r.Severity == SeverityWarning {
			name += "?"
		}
		out = append(out, name)
	}
	return out
}

// changes are metrics that differ from those of a good measurement; one that is −Inf is gone.
type changes map[string]float64

func measured(differ changes) *Measurement {
	m := newMeasurement("text")
	for name, f := range map[string]float64{"duration_s": 10, "completed": 4, "total_output_tokens": 64, "output_throughput": 6.4} {
		m.Metrics.Set(name, f)
	}
	for name, f := range differ {
		if math.IsInf(f, -1) {
			m.Metrics.Delete(name)
		} else {
			m.Metrics.Set(name, f)
		}
	}
	return m
}

func TestJudge(t *testing.T) {
	gone := math.Inf(-1)
	for name, c := range map[string]struct {
		metrics changes
		exp     Expectation
		want    []string
	}{
		"good":               {nil, Expectation{NumPrompts: 4, OutputTokens: 64, Promised: []string{"completed"}}, nil},
		"nothing known":      {nil, Expectation{}, nil},
		"infinite rate":      {changes{"request_rate": math.Inf(1)}, Expectation{}, nil},
		"failed":             {changes{"failed": 2}, Expectation{NumPrompts: 6}, []string{RequestsFailed}},
		"failed, some lost":  {changes{"failed": 1}, Expectation{NumPrompts: 6}, []string{RequestsFailed, WrongRequestCount}},
		"too few":            {nil, Expectation{NumPrompts: 5}, []string{WrongRequestCount}},
		"too few by itself":  {changes{"num_prompts": 5}, Expectation{}, []string{WrongRequestCount}},
		"caller knows best":  {changes{"num_prompts": 5}, Expectation{NumPrompts: 4}, nil},
		"too many":           {nil, Expectation{NumPrompts: 3}, []string{WrongRequestCount + "?"}},
		"no tokens":          {changes{"total_output_tokens": 0}, Expectation{OutputTokens: 64}, []string{NoTokens}},
		"nothing completed":  {changes{"completed": 0, "total_output_tokens": gone}, Expectation{}, []string{NoTokens, NoMetrics}},
		"few tokens":         {nil, Expectation{OutputTokens: 100}, []string{TokenMismatch}},
		"a token less":       {changes{"total_output_tokens": 999, "output_throughput": 99.9}, Expectation{OutputTokens: 1000}, []string{TokenMismatch + "?"}},
		"lost, so few":       {nil, Expectation{NumPrompts: 8, OutputTokens: 128}, []string{WrongRequestCount}},
		"promise broken":     {nil, Expectation{Promised: []string{"mean_ttft_ms", "completed"}}, []string{NoMetrics}},
		"generic":            {nil, Expectation{Generic: true, Promised: []string{"mean_ttft_ms"}}, nil},
		"generic, no time":   {changes{"duration_s": gone}, Expectation{Generic: true}, []string{NoMetrics}},
		"no duration":        {changes{"duration_s": 0}, Expectation{}, []string{NoMetrics}},
		"nan throughput":     {changes{"output_throughput": math.NaN()}, Expectation{}, []string{NonFinite}},
		"nan promised":       {changes{"mean_itl_ms": math.NaN()}, Expectation{Promised: []string{"mean_itl_ms"}}, []string{NonFinite}},
		"nan besides":        {changes{"mean_itl_ms": math.NaN()}, Expectation{}, []string{NonFinite + "?"}},
		"percentiles fall":   {changes{"median_itl_ms": 9, "p99_itl_ms": 3}, Expectation{}, []string{LatencyInconsistent + "?"}},
		"first after last":   {changes{"mean_ttft_ms": 9, "mean_e2e_latency_ms": 3}, Expectation{}, []string{LatencyInconsistent + "?"}},
		"sums fit":           {changes{"mean_ttft_ms": 10, "mean_tpot_ms": 2, "mean_e2e_latency_ms": 40}, Expectation{}, nil},
		"sums do not fit":    {changes{"mean_ttft_ms": 10, "mean_tpot_ms": 2, "mean_e2e_latency_ms": 400}, Expectation{}, []string{LatencyInconsistent + "?"}},
		"tokens in bunches":  {changes{"mean_tpot_ms": 2, "median_tpot_ms": 0.001}, Expectation{}, []string{ClientStarved + "?"}},
		"throughput below 0": {changes{"output_throughput": -5}, Expectation{}, []string{ThroughputInconsistent}},
		"no throughput":      {changes{"output_throughput": 0}, Expectation{}, []string{ThroughputInconsistent}},
		"no request a s":     {changes{"request_throughput": 0}, Expectation{}, []string{ThroughputInconsistent}},
		"duration in ms":     {changes{"duration_s": 2000, "output_throughput": 32}, Expectation{}, []string{ThroughputInconsistent + "?"}},
		"rounded throughput": {changes{"duration_s": 1000, "output_throughput": 0.06, "request_throughput": 0}, Expectation{}, nil},
		"rounding is no lie": {changes{"median_itl_ms": 3.01, "p99_itl_ms": 3}, Expectation{}, nil},
	} {
		v := Judge(measured(c.metrics), c.exp)
		if got := reasons(v); !slices.Equal(got, c.want) && len(got)+len(c.want) > 0 {
			t.Errorf("%s: %v, want %v\n%+v", name, got, c.want, v.Reasons)
		}
		wantOK := !slices.ContainsFunc(c.want, func(r string) bool { return !strings.HasSuffix(r, "?") })
		if v.OK != wantOK || v.Reasons == nil {
			t.Errorf("%s: ok %v, reasons %#v", name, v.OK, v.Reasons)
		}
		c.exp.Strict = true
		if strict := Judge(measured(c.metrics), c.exp); strict.OK != (len(c.want) == 0) {
			t.Errorf("%s: strict ok %v", name, strict.OK)
		}
	}
}

// A search that ended before the server did found a bound, and no largest load.
func TestJudgeASearch(t *testing.T) {
	for outcome, want := range map[string][]string{"found": {}, "at_least": {LowerBound + "?"}} {
		m := parse(t, `{"client": "servematrix bench", "duration_s": 10, "completed": 4, "total_output_tokens": 64, "output_throughput": 6.4, "num_prompts": 4,
			"max_request_rate": 64, "find": {"goal": "max-rate", "outcome": "`+outcome+`", "probes": [{"level": 64, "why": []}]}}`)
		if got := reasons(Judge(m[0], Expectation{})); !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", outcome, got, want)
		}
	}
}

func TestJudgeTakesFindingsOnce(t *testing.T) {
	m := measured(nil)
	m.Partial = true
	finding := Reason{TextJSONDiffer, SeverityError, "completed: 4 and 5"}
	m.Findings = []Reason{finding}
	v := Judge(m, Expectation{}, finding, Reason{"throttled", SeverityWarning, "the clock fell"})
	if got := reasons(v); !slices.Equal(got, []string{Partial, TextJSONDiffer, "throttled?"}) {
		t.Errorf("%v", got)
	}
	more := v.Add(false, Reason{"server_changed", SeverityError, "pid 7 became 8"}, finding)
	if got := reasons(more); !slices.Equal(got, []string{Partial, TextJSONDiffer, "server_changed", "throttled?"}) || more.OK {
		t.Errorf("%v", got)
	}
	if len(v.Reasons) != 3 {
		t.Error("Add changed the verdict it was called on")
	}
}

// The lengths that a client's own arguments fix: SGLang's ratio 1 is vLLM's 0.
func TestExpectedOutput(t *testing.T) {
	sglang := map[string]any{"dataset_name": "random", "random_output_len": int64(16), "random_range_ratio": 1.0, "disable_ignore_eos": false}
	vllm := map[string]any{"dataset_name": "random", "random_output_len": int64(16), "random_range_ratio": "0.0", "ignore_eos": true}
	with := func(config map[string]any, key string, value any) map[string]any {
		out := map[string]any{key: value}
		for k, v := range config {
			if k != key {
				out[k] = v
			}
		}
		return out
	}
	for name, c := range map[string]struct {
		client string
		config map[string]any
		want   float64
	}{
		"sglang":          {ClientSGLang, sglang, 64},
		"sglang, eos":     {ClientSGLang, with(sglang, "disable_ignore_eos", true), 0},
		"sglang, spread":  {ClientSGLang, with(sglang, "random_range_ratio", 0.0), 0},
		"sglang, dataset": {ClientSGLang, with(sglang, "dataset_name", "sharegpt"), 0},
		"vllm":            {ClientVLLM, vllm, 64},
		"vllm, eos":       {ClientVLLM, with(vllm, "ignore_eos", false), 0},
		"vllm, spread":    {ClientVLLM, with(vllm, "random_range_ratio", "0.5"), 0},
		"unknown":         {"", vllm, 0},
	} {
		m := measured(changes{"num_prompts": 4})
		m.Client, m.Config = c.client, c.config
		if got, ok := expectedOutput(m); got != c.want || ok != (c.want > 0) {
			t.Errorf("%s: %v, %v", name, got, ok)
		}
		m.Metrics.Set("total_output_tokens", 60)
		if got := reasons(Judge(m, Expectation{})); slices.Contains(got, TokenMismatch+"?") != (c.want > 0) {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// No result that a client really left is doubted for its throughput, but for those with failures.
func TestRealThroughputs(t *testing.T) {
	samples, _ := Import([]string{"testdata"}) // what is damaged is judged elsewhere
	n := 0
	for _, s := range samples {
		if s.Status != StatusOK {
			continue
		}
		n++
		if s.Validity.Has(ThroughputInconsistent) {
			t.Errorf("%s: %+v", s.Client.Name, s.Validity.Reasons)
		}
	}
	if n < 20 {
		t.Errorf("only %d samples", n)
	}
}
