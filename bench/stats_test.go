package bench

import (
	"math"
	"testing"
	"time"

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
	describe(values, "ttft_ms", []float64{3, 1, 2}, []percentile{{"99.9", 99.9}})
	for name, want := range map[string]float64{"mean_ttft_ms": 2, "median_ttft_ms": 2, "max_ttft_ms": 3, "std_ttft_ms": math.Sqrt(2.0 / 3), "p99.9_ttft_ms": 2.998} {
		near(t, name, values.Value(name), want)
	}
}

// TestSummarize works the definitions through on three requests, one of them failed.
func TestSummarize(t *testing.T) {
	const s, ms = time.Second, time.Millisecond
	opt, err := Options{NumPrompts: 3, MaxConcurrency: 2}.resolve()
	if err != nil {
		t.Fatal(err)
	}
	records := []record{
		// 5 tokens in 3 chunks: 2.5, 3.0 and 3.5 s after the beginning.
		{start: 2 * s, ttft: 500 * ms, e2e: 1500 * ms, gaps: []time.Duration{500 * ms, 500 * ms}, input: 10, output: 5},
		{start: 1 * s, ttft: 100 * ms, failed: failf(Reset, "later")},
		// 3 tokens in 3 chunks: 0.2, 0.3 and 0.7 s.
		{start: 0, ttft: 200 * ms, e2e: 700 * ms, gaps: []time.Duration{100 * ms, 400 * ms}, input: 20, output: 3},
		{start: 0, ttft: 300 * ms, failed: failf(Reset, "sooner")},
	}
	got := summarize(opt, records, 4*s)
	for name, want := range map[string]float64{
		"completed": 2, "failed": 2, "num_prompts": 3, "duration_s": 4, "max_concurrency": 2,
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
		value, ok := got.Metrics.Known(name)
		if !ok {
			t.Errorf("%s is missing", name)
		}
		near(t, name, value, want)
	}
	if len(got.Errors) != 1 || got.Errors[0] != (ErrorClass{Reset, 2, "sooner"}) {
		t.Errorf("errors %+v", got.Errors)
	}
}

func TestPeaksSpanBins(t *testing.T) {
	var b bins
	b.add(&record{start: 0, e2e: 2500 * time.Millisecond, ttft: 2 * time.Second, output: 1})
	b.add(&record{start: 2400 * time.Millisecond, e2e: 100 * time.Millisecond, ttft: 50 * time.Millisecond, output: 1})
	if b.mostRequests() != 2 || b.mostTokens() != 2 || len(b.requests) != 3 {
		t.Errorf("%+v", b)
	}
}
