// Package tally makes a benchmark's metrics of its measured requests, one after another. It
// neither sends nor prints.
//
// The definitions, all of them over the successful requests only, are those of
// sglang.bench_serving where that has them:
//
//	TTFT        from sending a request to the first chunk with text
//	E2E         from sending a request to the last chunk with text (vLLM's client; sglang's adds
//	            the usage chunk); to the end of the body where nothing is streamed
//	TPOT        (E2E − TTFT) / (n_out − 1), for answers of at least two tokens
//	ITL         time between two chunks with text; a chunk may hold several tokens when the
//	            server or the network joined them
//	duration    from the start of the first request to the end of the last one
//	throughput  requests, input tokens, output tokens and both, divided by duration
//	concurrency Σ E2E / duration, the mean number of requests in flight (Little's law)
//	peaks       see bins
package tally

import (
	"sync"
	"time"

	"servematrix/bench/wire"
	"servematrix/metric"
)

// Tally gathers the measured requests of one run. Its methods may be called from any goroutine.
type Tally struct {
	stream      bool
	percentiles Percentiles

	mu                   sync.Mutex
	completed, failed    int
	input, output        int           // tokens
	inFlight             time.Duration // the E2E latencies of all
	ttft, tpot, itl, e2e []float64     // milliseconds
	peaks                bins
	errors               []ErrorClass
	firsts               []time.Duration // when the first of each class was sent
}

// New makes an empty tally of streamed or whole answers.
func New(stream bool, percentiles Percentiles) *Tally {
	return &Tally{stream: stream, percentiles: percentiles}
}

// Add counts a request that has ended. It keeps nothing of r.
func (t *Tally) Add(r *wire.Record) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if r.Failed != nil {
		t.addFailed(r)
		return
	}
	t.completed++
	t.input += r.Input
	t.output += r.Output
	t.inFlight += r.E2E
	t.e2e = append(t.e2e, Millis(r.E2E))
	t.peaks.add(r)
	if !t.stream {
		return
	}
	t.ttft = append(t.ttft, Millis(r.TTFT))
	if r.Output > 1 {
		t.tpot = append(t.tpot, Millis(r.E2E-r.TTFT)/float64(r.Output-1))
	}
	for _, gap := range r.Gaps {
		t.itl = append(t.itl, Millis(gap))
	}
}

// Count is how many requests have been added.
func (t *Tally) Count() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.completed + t.failed
}

// Metrics are the numbers of a run that lasted duration, by their contract names; what was not
// measured is absent.
func (t *Tally) Metrics(duration time.Duration) *metric.Values {
	t.mu.Lock()
	defer t.mu.Unlock()
	m := &metric.Values{}
	m.Set("completed", float64(t.completed))
	m.Set("failed", float64(t.failed))
	m.Set("duration_s", duration.Seconds())
	m.Set("total_input_tokens", float64(t.input))
	m.Set("total_output_tokens", float64(t.output))
	if seconds := duration.Seconds(); seconds > 0 {
		m.Set("request_throughput", float64(t.completed)/seconds)
		m.Set("input_throughput", float64(t.input)/seconds)
		m.Set("output_throughput", float64(t.output)/seconds)
		m.Set("total_throughput", float64(t.input+t.output)/seconds)
		m.Set("concurrency", t.inFlight.Seconds()/seconds)
	}
	if t.completed > 0 {
		m.Set("peak_concurrent_requests", float64(t.peaks.mostRequests()))
		if t.stream {
			m.Set("peak_output_throughput", t.peaks.mostTokens())
		}
	}
	describe(m, "ttft_ms", t.ttft, t.percentiles)
	describe(m, "tpot_ms", t.tpot, t.percentiles)
	describe(m, "itl_ms", t.itl, t.percentiles)
	describe(m, "e2e_latency_ms", t.e2e, t.percentiles)
	return m
}
