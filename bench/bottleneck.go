package bench

import (
	"fmt"
	"math"
	"runtime"
	"runtime/metrics"
	"strings"
	"syscall"
	"time"

	"servematrix/metric"
)

const (
	busyShare    = 0.9              // of its processors, or of its reader's time, from which on a client is taken to have been the limit
	tellShare    = 0.1              // of a median latency, that a delay of the client's own must not exceed
	leastTold    = time.Millisecond // a shorter delay is within what timers and the network add anyway
	leastWatched = 2 * time.Second  // of a shorter measurement nothing is said: a moment decides it
)

// effort is what the client itself used and waited for while it measured.
type effort struct {
	// CPUSeconds are those of all threads, in user and system mode.
	CPUSeconds float64 `json:"cpu_s"`
	// Cores are how many processors the client could use at once.
	Cores int `json:"cores"`
	// SchedulingDelayP99 is how long a goroutine that could run waited until it did, in milliseconds.
	SchedulingDelayP99 float64 `json:"scheduling_delay_p99_ms"`
	// ReaderBusy is the share of the time in which the goroutine that reads all streams had something
	// to read; 0 where each has its own.
	ReaderBusy float64 `json:"reader_busy_share"`

	lasted time.Duration
}

// watch measures effort from now on; the function that it gives ends that. reading is how long all
// streams' reader had something to read so far.
func watch(reading func() time.Duration) func() effort {
	began, cpu, waits, read := time.Now(), cpuTime(), schedulingDelays(), reading()
	return func() effort {
		lasted := time.Since(began)
		return effort{
			CPUSeconds: (cpuTime() - cpu).Seconds(), Cores: runtime.GOMAXPROCS(0),
			SchedulingDelayP99: 1000 * highest(waits, schedulingDelays(), 0.99),
			ReaderBusy:         (reading() - read).Seconds() / lasted.Seconds(), lasted: lasted,
		}
	}
}

// cpuTime is what this process has used so far; 0 where the system does not tell.
func cpuTime() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// schedulingDelays is Go's histogram of how long goroutines were ready before they ran.
func schedulingDelays() *metrics.Float64Histogram {
	sample := []metrics.Sample{{Name: "/sched/latencies:seconds"}}
	metrics.Read(sample)
	if sample[0].Value.Kind() != metrics.KindFloat64Histogram {
		return nil
	}
	h := sample[0].Value.Float64Histogram()
	return &metrics.Float64Histogram{Counts: append([]uint64{}, h.Counts...), Buckets: h.Buckets}
}

// highest is the lower edge of the bin in which that share of what came between two states of a
// histogram lies, so that no delay is claimed that was not there.
func highest(before, after *metrics.Float64Histogram, share float64) float64 {
	if before == nil || after == nil || len(before.Counts) != len(after.Counts) {
		return 0
	}
	total := uint64(0)
	for i := range after.Counts {
		total += after.Counts[i] - before.Counts[i]
	}
	seen := uint64(0)
	for i := range after.Counts {
		seen += after.Counts[i] - before.Counts[i]
		if total > 0 && float64(seen) >= share*float64(total) {
			return max(after.Buckets[i], 0)
		}
	}
	return 0
}

// bottleneck says in words why the numbers may be the client's own limit; nothing where they are
// not. queued says that requests may have waited for a slot of --max-concurrency: their lateness is
// asked for then, and tells nothing.
func (e effort) bottleneck(m *metric.Values, queued bool) (reasons []string) {
	if e.lasted < leastWatched {
		return nil
	}
	if used := e.CPUSeconds / e.lasted.Seconds(); used >= busyShare*float64(e.Cores) {
		reasons = append(reasons, fmt.Sprintf("its processors were busy: it used %.2f of %d", used, e.Cores))
	}
	if e.ReaderBusy >= busyShare {
		reasons = append(reasons, fmt.Sprintf("its reader was busy: all streams are read by one goroutine, which had something to read in %.0f %% of the time", 100*e.ReaderBusy))
	}
	if name, median := shortest(m, "tpot_ms", "ttft_ms", "e2e_latency_ms"); e.SchedulingDelayP99 > bound(median) {
		reasons = append(reasons, fmt.Sprintf("what arrived waited for a processor: %.1f ms at the 99th percentile, beside a median %s of %.1f ms", e.SchedulingDelayP99, name, median))
	}
	if queued {
		return reasons
	}
	if name, median := shortest(m, "ttft_ms", "e2e_latency_ms"); m.Value("p99_send_lateness_ms") > bound(median) {
		reasons = append(reasons, fmt.Sprintf("requests were sent late: %.1f ms at the 99th percentile, beside a median %s of %.1f ms", m.Value("p99_send_lateness_ms"), name, median))
	}
	return reasons
}

// bound is what a delay of the client's own must not exceed beside a median latency.
func bound(median float64) float64 {
	return max(tellShare*median, float64(leastTold)/float64(time.Millisecond))
}

// shortest is the smallest of the medians of the named latencies, that a delay would show in first;
// infinite where none was measured. ITL is never among them: where chunks come in bunches it is next
// to nothing.
func shortest(m *metric.Values, names ...string) (label string, median float64) {
	median = math.Inf(1)
	for _, name := range names {
		if v, ok := m.Get("median_" + name); ok && v < median {
			label, median = strings.ToUpper(strings.TrimSuffix(name, "_ms")), v
		}
	}
	return strings.ReplaceAll(label, "_LATENCY", " latency"), median
}
