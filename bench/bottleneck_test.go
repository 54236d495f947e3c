package bench

import (
	"runtime/metrics"
	"strings"
	"testing"
	"time"

	"servematrix/metric"
)

func TestBottleneck(t *testing.T) {
	usual := map[string]float64{"median_ttft_ms": 200, "median_tpot_ms": 20, "median_e2e_latency_ms": 1000, "p99_send_lateness_ms": 19}
	for _, c := range []struct {
		effort effort
		change map[string]float64
		queued bool
		says   []string
	}{
		{effort: effort{CPUSeconds: 17, Cores: 2, SchedulingDelayP99: 1.9, lasted: 10 * time.Second}},
		{effort: effort{CPUSeconds: 18, Cores: 2, lasted: 10 * time.Second}, says: []string{"it used 1.80 of 2"}},
		{effort: effort{CPUSeconds: 9.2, Cores: 16, ReaderBusy: 0.92, lasted: 10 * time.Second}, says: []string{"something to read in 92 % of the time"}},
		{effort: effort{CPUSeconds: 9.2, Cores: 16, ReaderBusy: 0.89, lasted: 10 * time.Second}},
		{effort: effort{Cores: 2, SchedulingDelayP99: 2.1, lasted: 10 * time.Second}, says: []string{"waited for a processor: 2.1 ms at the 99th percentile, beside a median TPOT of 20.0 ms"}},
		{effort: effort{Cores: 2, lasted: 10 * time.Second}, change: map[string]float64{"p99_send_lateness_ms": 21}, says: []string{"sent late: 21.0 ms at the 99th percentile, beside a median TTFT of 200.0 ms"}},
		{effort: effort{Cores: 2, lasted: 10 * time.Second}, change: map[string]float64{"p99_send_lateness_ms": 21}, queued: true},
		// A tenth of little is less than timers and the network add anyway.
		{effort: effort{Cores: 2, SchedulingDelayP99: 0.9, lasted: 10 * time.Second}, change: map[string]float64{"median_tpot_ms": 1}},
		{effort: effort{CPUSeconds: 4, Cores: 2, SchedulingDelayP99: 100, lasted: 1999 * time.Millisecond}},
		{effort: effort{CPUSeconds: 40, Cores: 2, SchedulingDelayP99: 100, lasted: 20 * time.Second}, change: map[string]float64{"p99_send_lateness_ms": 500}, says: []string{"processors", "waited", "late"}},
	} {
		m := metric.Of(usual)
		for name, v := range c.change {
			m.Set(name, v)
		}
		got := c.effort.bottleneck(m, c.queued)
		if len(got) != len(c.says) {
			t.Errorf("%+v, %v: %q", c.effort, c.change, got)
			continue
		}
		for i, says := range c.says {
			if !strings.Contains(got[i], says) {
				t.Errorf("%q lacks %q", got[i], says)
			}
		}
	}
	if got := (effort{CPUSeconds: 1, Cores: 2, SchedulingDelayP99: 100, lasted: time.Minute}).bottleneck(&metric.Values{}, false); got != nil {
		t.Errorf("without a latency: %q", got)
	}
}

func TestHighest(t *testing.T) {
	edges := []float64{0, 1, 2, 3, 4}
	before := &metrics.Float64Histogram{Counts: []uint64{5, 5, 5, 100}, Buckets: edges}
	after := &metrics.Float64Histogram{Counts: []uint64{55, 49, 10, 101}, Buckets: edges}
	for share, want := range map[float64]float64{0.5: 0, 0.94: 1, 0.95: 2, 0.99: 2, 1: 3} {
		if got := highest(before, after, share); got != want {
			t.Errorf("share %v: %v, want %v", share, got, want)
		}
	}
	if highest(before, before, 0.99) != 0 || highest(nil, after, 0.99) != 0 {
		t.Error("a delay of nothing")
	}
}

// What the process uses while it is watched is counted.
func TestWatch(t *testing.T) {
	read := time.Duration(0)
	worked := watch(func() time.Duration { read += time.Hour; return read })
	for began := cpuTime(); cpuTime() < began+20*time.Millisecond; {
	}
	if e := worked(); e.CPUSeconds < 0.02 || e.Cores < 1 || e.lasted <= 0 || e.ReaderBusy*e.lasted.Hours() < 0.99 || schedulingDelays() == nil {
		t.Errorf("%+v", e)
	}
}
