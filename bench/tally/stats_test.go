package tally

import (
	"math"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/aclements/go-moremath/stats"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"servematrix/bench/wire"
	"servematrix/metric"
)

func near(t *testing.T, what string, got, want float64) {
	t.Helper()
	if !(math.Abs(got-want) <= 5e-5*math.Abs(want)+1e-12) {
		t.Errorf("%s = %v, want %v", what, got, want)
	}
}

// spread is a distribution of samples in milliseconds.
func spread(ms ...float64) *distribution {
	d := &distribution{}
	for _, x := range ms {
		d.add(time.Duration(x * float64(time.Millisecond)))
	}
	return d
}

// The expected values were worked out by hand from numpy's definition of linear interpolation. What
// lies between the smallest and the largest sample is known to 0.003 %.
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
		{[]float64{0.001, 0.002, 0.003}, 50, 0.002},
		{[]float64{0, 0, 0}, 50, 0},
	} {
		if got := spread(c.sorted...).quantile(c.p); math.Abs(got-c.want) > 5e-5*c.want {
			t.Errorf("percentile %v of %v = %v, want %v", c.p, c.sorted, got, c.want)
		}
	}
	if !math.IsNaN((&distribution{}).quantile(50)) {
		t.Error("a quantile of nothing")
	}
}

// Percentiles differ from those of the sorted samples by less than 0.01 %, mean and standard
// deviation by rounding alone.
func TestDistributionIsNearTheSamples(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		top := rapid.Int64Range(1, int64(20*time.Hour)).Draw(t, "top")
		samples := rapid.SliceOfN(rapid.Int64Range(0, top), 1, 300).Draw(t, "samples")
		d := &distribution{}
		var ms []float64
		for _, s := range samples {
			d.add(time.Duration(s))
			ms = append(ms, Millis(time.Duration(s)))
		}
		slices.Sort(ms)
		for _, p := range []float64{0, rapid.Float64Range(0, 100).Draw(t, "p"), 50, 99, 100} {
			h := p / 100 * float64(len(ms)-1)
			low := int(h)
			want := ms[low]
			if low+1 < len(ms) {
				want += (h - float64(low)) * (ms[low+1] - ms[low])
			}
			if got := d.quantile(p); math.Abs(got-want) > 1e-4*want {
				t.Fatalf("percentile %v is %v, want %v", p, got, want)
			}
		}
		sample := stats.Sample{Xs: ms}
		std := 0.0
		for _, x := range ms {
			std += (x - sample.Mean()) * (x - sample.Mean()) / float64(len(ms))
		}
		if std = math.Sqrt(std); math.Abs(d.mean-sample.Mean()) > 1e-9*sample.Mean() || math.Abs(d.std()-std) > 1e-9*ms[len(ms)-1] || Millis(d.max) != ms[len(ms)-1] {
			t.Fatalf("mean %v, std %v, max %v, want %v, %v, %v", d.mean, d.std(), Millis(d.max), sample.Mean(), std, ms[len(ms)-1])
		}
	})
}

func TestSamplesBeyondTheHistogram(t *testing.T) {
	d := spread(1, 48*3.6e6, 49*3.6e6, -1)
	if d.n != 4 || Millis(d.max) != 49*3.6e6 || d.min != 0 || d.quantile(100) != 49*3.6e6 {
		t.Errorf("%+v", d)
	}
}

func TestMoments(t *testing.T) {
	d := spread(2, 4, 4, 4, 5, 5, 7, 9)
	near(t, "mean", d.mean, 5)
	near(t, "std", d.std(), 2) // of the population: √(32/8)
}

func TestDescribeLeavesOutWhatIsUnknown(t *testing.T) {
	values := &metric.Values{}
	spread().describe(values, "ttft_ms", nil)
	if values.Len() != 0 {
		t.Errorf("statistics of nothing: %v", values.Names())
	}
	spread(3, 1, 2).describe(values, "ttft_ms", []percentile{{"99.9", 99.9}})
	for name, want := range map[string]float64{"mean_ttft_ms": 2, "median_ttft_ms": 2, "max_ttft_ms": 3, "std_ttft_ms": math.Sqrt(2.0 / 3), "p99.9_ttft_ms": 2.998} {
		near(t, name, values.Value(name), want)
	}
}

// TestTally works the definitions through on three requests, one of them failed.
func TestTally(t *testing.T) {
	const s, ms = time.Second, time.Millisecond
	opt, err := Options{Percentiles: "90,95,99", Definitions: VLLM, Goodput: Goodput{TPOT: 250, E2EL: 1000}}.Resolve()
	if err != nil {
		t.Fatal(err)
	}
	tally := New(opt, true, false)
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
		"request_goodput":          0.25, // the other one takes 1500 ms
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
	if diff := cmp.Diff([]ErrorClass{{wire.Reset, 2, []string{"sooner", "later"}}}, tally.Errors()); diff != "" {
		t.Error(diff)
	}
	for _, name := range metric.Sometimes()[1:] {
		if v, ok := got.Known(name); ok {
			t.Errorf("%s is %v without a schedule", name, v)
		}
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

// What a request waited before it was sent counts from the schedule, and not from its start.
func TestSchedule(t *testing.T) {
	const ms = time.Millisecond
	tally := New(Options{}, true, true)
	for i := range 100 {
		due := time.Duration(i) * 10 * ms
		late := time.Duration(i%2) * 20 * ms
		tally.Add(&wire.Record{Intended: due, Start: due + late, TTFT: 100 * ms, E2E: 300 * ms, Output: 1})
	}
	tally.Add(&wire.Record{Intended: 0, Start: 70 * ms, Failed: &wire.Failure{Class: wire.Refused}})
	got := tally.Metrics(2 * time.Second)
	for name, want := range map[string]float64{
		"mean_send_lateness_ms": 1070.0 / 101, "max_send_lateness_ms": 70, "p99_send_lateness_ms": 20,
		"mean_ttft_ms": 100, "mean_ttft_from_schedule_ms": 110, "p99_ttft_from_schedule_ms": 120,
		"mean_e2e_latency_ms": 300, "mean_e2e_latency_from_schedule_ms": 310, "p99_e2e_latency_from_schedule_ms": 320,
	} {
		value, ok := got.Known(name)
		if !ok {
			t.Errorf("%s is missing", name)
		}
		near(t, name, value, want)
	}
}

func TestDefinitions(t *testing.T) {
	const ms = time.Millisecond
	measured := wire.Record{TTFT: 10 * ms, E2E: 70 * ms, End: 75 * ms, Chunks: 5, Output: 8,
		Gaps: []time.Duration{10 * ms, 20 * ms, 5 * ms, 25 * ms}, Tokens: []int32{1, 1, 4, 0, 2}}
	vllm, sglang := measured, measured
	Options{Definitions: VLLM}.Define(&vllm)
	if diff := cmp.Diff(measured, vllm); diff != "" {
		t.Error(diff)
	}
	Options{Definitions: SGLang}.Define(&sglang)
	if want := []time.Duration{10 * ms, 5 * ms, 5 * ms, 5 * ms, 5 * ms, 15 * ms, 15 * ms}; sglang.E2E != 75*ms || !slices.Equal(sglang.Gaps, want) {
		t.Errorf("E2E %v, gaps %v, want %v", sglang.E2E, sglang.Gaps, want)
	}
}

func TestExamplesAreTheFirstThatDiffer(t *testing.T) {
	tally := New(Options{}, true, false)
	for i, message := range []string{"d", "c", "c", "b", "a", "d"} {
		tally.Add(&wire.Record{Start: time.Duration(10 - i), Failed: &wire.Failure{Class: wire.Other, Message: message}})
	}
	if diff := cmp.Diff([]ErrorClass{{wire.Other, 6, []string{"d", "a", "b"}}}, tally.Errors()); diff != "" {
		t.Error(diff)
	}
}

// A million requests take no more memory than the first thousand.
func TestMemoryDoesNotGrow(t *testing.T) {
	opt, err := Options{Percentiles: "99", Definitions: SGLang}.Resolve()
	if err != nil {
		t.Fatal(err)
	}
	tally := New(opt, true, true)
	gaps := make([]time.Duration, 8)
	var memory runtime.MemStats
	held := func() uint64 {
		runtime.GC()
		runtime.ReadMemStats(&memory)
		return memory.HeapAlloc
	}
	var first uint64
	for i := range 1_000_000 {
		start := time.Duration(i) * 100 * time.Microsecond
		for j := range gaps {
			gaps[j] = time.Duration(5e6 + (i*7919+j*104729)%1_000_000)
		}
		r := &wire.Record{Intended: start, Start: start + time.Duration(i%1000), TTFT: time.Duration(50e6 + i%100_000), E2E: 100 * time.Millisecond, Output: 9, Gaps: gaps}
		if i%50 == 0 {
			r.Failed = &wire.Failure{Class: wire.Reset, Message: time.Duration(i).String()}
		}
		if tally.Add(r); i == 1000 {
			first = held()
		}
	}
	if last := held(); last > first+64<<10 {
		t.Errorf("%d bytes more after a million requests than after a thousand", last-first)
	}
	if m := tally.Metrics(100 * time.Second); m.Value("completed") != 980_000 || m.Value("mean_itl_ms") < 5 {
		t.Errorf("%v completed, ITL %v", m.Value("completed"), m.Value("mean_itl_ms"))
	}
}
