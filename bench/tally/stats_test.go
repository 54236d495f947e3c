package tally

import (
	"math"
	"testing"
	"time"

	"servematrix/bench/wire"
	"servematrix/metric"
)

func near(t *testing.T, what string, got, want float64) {
	t.Helper()
	if !(math.Abs(got-want) <= 1e-9*max(1, math.Abs(want))) {
		t.Errorf("%s = %v, want %v", what, got, want)
	}
}

// The expected values were worked out by hand from numpy's definition of linear interpolation.
func TestQuantile(t *testing.T) {
	for _, c := range []struct {
		sorted []float64
		p      float64
		want   float64
	}{
		{[]float64{1, 2, 3, 4}, 50, 2.5},
		{[]float64{1, 2, 3, 4}, 90, 3.7}, // h = 2.7
		{[]float64{1, 2, 3, 4}, 99, 3.97},
		{[]float64{1, 2, 3, 4}, 0, 1},
		{[]float64{1, 2, 3, 4}, 100, 4},
		{[]float64{10, 20, 40}, 95, 38}, // h = 1.9
		{[]float64{10, 20, 40}, 99.9, 39.96},
		{[]float64{7}, 99, 7},
		{[]float64{1, 1, 1, 1, 100}, 75, 1},
	} {
		near(t, "quantile", quantile(c.sorted, c.p), c.want)
	}
	if !math.IsNaN(quantile(nil, 50)) {
		t.Error("a quantile of nothing")
	}
}

func TestMoments(t *testing.T) {
	mean, std := moments([]float64{2, 4, 4, 4, 5, 5, 7, 9})
	near(t, "mean", mean, 5)
	near(t, "std", std, 2) // of the population: √(32/8)
}

func TestDescribeLeavesOutWhatIsUnknown(t *testing.T) {
	values := &metric.Values{}
	describe(values, "ttft_ms", nil, nil)
	if values.Len() != 0 {
		t.Errorf("statistics of nothing: %v", values.Names())
	}
	describe(values, "ttft_ms", []float64{3, 1, 2}, Percentiles{{"99.9", 99.9}})
	for name, want := range map[string]float64{"mean_ttft_ms": 2, "median_ttft_ms": 2, "max_ttft_ms": 3, "std_ttft_ms": math.Sqrt(2.0 / 3), "p99.9_ttft_ms": 2.998} {
		near(t, name, values.Value(name), want)
	}
}

// TestSummarize works the definitions through on three requests, one of them failed.
func TestTally(t *testing.T) {
	const s, ms = time.Second, time.Millisecond
	percentiles, err := ParsePercentiles("90,95,99")
	if err != nil {
		t.Fatal(err)
	}
	tally := New(true, percentiles)
	for _, r := range []*wire.Record{
		// 5 tokens in 3 chunks: 2.5, 3.0 and 3.5 s after the beginning.
		{Start: 2 * s, TTFT: 500 * ms, E2E: 1500 * ms, Gaps: []time.Duration{500 * ms, 500 * ms}, Input: 10, Output: 5},
		{Start: 1 * s, TTFT: 100 * ms, Failed: &wire.Failure{Class: wire.Reset, Message: "later"}},
		// 3 tokens in 3 chunks: 0.2, 0.3 and 0.7 s.
		{Start: 0, TTFT: 200 * ms, E2E: 700 * ms, Gaps: []time.Duration{100 * ms, 400 * ms}, Input: 20, Output: 3},
		{Start: 0, TTFT: 300 * ms, Failed: &wire.Failure{Class: wire.Reset, Message: "sooner"}},
	} {
		tally.Add(r)
	}
	got := tally.Metrics(4 * s)
	for name, want := range map[string]float64{
		"completed": 2, "failed": 2, "duration_s": 4,
		"total_input_tokens": 30, "total_output_tokens": 8, "request_throughput": 0.5,
		"input_throughput": 7.5, "output_throughput": 2, "total_throughput": 9.5,
		"concurrency":              2.2 / 4,
		"peak_concurrent_requests": 1,
		"peak_output_throughput":   10.0 / 3, // two chunks of 5/3 tokens in the fourth second
		"mean_ttft_ms":             350, "median_ttft_ms": 350, "max_ttft_ms": 500,
		"mean_tpot_ms": 250, // both (1500−500)/4 and (700−200)/2
		"std_tpot_ms":  0, "mean_itl_ms": 375, "median_itl_ms": 450, "max_itl_ms": 500,
		"mean_e2e_latency_ms": 1100, "std_e2e_latency_ms": 400, "p90_e2e_latency_ms": 1420,
	} {
		value, ok := got.Known(name)
		if !ok {
			t.Errorf("%s is missing", name)
		}
		near(t, name, value, want)
	}
	if errors := tally.Errors(); len(errors) != 1 || errors[0] != (ErrorClass{wire.Reset, 2, "sooner"}) {
		t.Errorf("errors %+v", errors)
	}
}

func TestPeaksSpanBins(t *testing.T) {
	var b bins
	b.add(&wire.Record{Start: 0, E2E: 2500 * time.Millisecond, TTFT: 2 * time.Second, Output: 1})
	b.add(&wire.Record{Start: 2400 * time.Millisecond, E2E: 100 * time.Millisecond, TTFT: 50 * time.Millisecond, Output: 1})
	if b.mostRequests() != 2 || b.mostTokens() != 2 || len(b.requests) != 3 {
		t.Errorf("%+v", b)
	}
}
