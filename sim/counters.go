package sim

import "time"

// counters are the engine's running totals, read by /metrics and /server_info.
type counters struct {
	promptTokens, generatedTokens uint64
	cacheQueries, cacheHits       uint64 // prompt tokens looked up in the prefix cache and found
	retracted, aborted            uint64
	stopped, lengthLimited        uint64 // finished requests by reason
	latePasses                    uint64
	busy                          time.Duration

	ttft, itl, e2e histogram
}

func (c *counters) finish(r *request, now time.Time) {
	if r.finishReason() == "stop" {
		c.stopped++
	} else {
		c.lengthLimited++
	}
	c.e2e.observe(now.Sub(r.arrived))
}

// histogramBounds are upper bounds in seconds, common to all three histograms.
var histogramBounds = [...]float64{0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 25, 50, 100}

// histogram counts durations in Prometheus' manner; counts are per bucket, not yet cumulated.
type histogram struct {
	counts [len(histogramBounds) + 1]uint64
	sum    float64
	total  uint64
}

func (h *histogram) observe(d time.Duration) {
	s := d.Seconds()
	i := 0
	for i < len(histogramBounds) && s > histogramBounds[i] {
		i++
	}
	h.counts[i]++
	h.sum += s
	h.total++
}
