// Package tally makes a benchmark's metrics of its measured requests, one after another, in memory
// that does not grow with their number. It neither sends nor prints.
//
// The definitions, all of them over the successful requests only, are those of
// sglang.bench_serving; where vllm bench serve differs Options.Definitions chooses (see Define), and
// docs/explanation/bench-definitions.md has all of it with formulas and sources:
//
//	TTFT        from sending a request to the first chunk with text
//	E2E         from sending a request to the end of its stream
//	TPOT        (E2E − TTFT) / (n_out − 1), for answers of at least two tokens
//	ITL         time between two chunks with text, over the tokens of the second where known
//	duration    from the start of the first request to the end of the last one
//	throughput  requests, input tokens, output tokens and both, divided by duration
//	concurrency Σ E2E / duration, the mean number of requests in flight (Little's law)
//	peaks       see bins
//	goodput     requests that keep all objectives, divided by duration
//
// Where requests had times at which they were due (an open loop), these besides:
//
//	send lateness      from when a request was due to when it was sent
//	… from schedule    TTFT and E2E from when the request was due: what somebody saw who wanted an
//	                   answer then, the client's own waiting included (coordinated omission)
package tally

import (
	"sync"
	"time"

	"servematrix/bench/wire"
	"servematrix/metric"
)

// Tally gathers the measured requests of one run. Its methods may be called from any goroutine.
type Tally struct {
	opt               Options
	stream, scheduled bool

	mu                                    sync.Mutex
	completed, failed, good, retries      int
	input, output                         int           // tokens
	inFlight                              time.Duration // the E2E latencies of all
	ttft, tpot, itl, e2e                  distribution
	lateness, ttftScheduled, e2eScheduled distribution
	peaks                                 bins
	errors                                []failures
}

// New makes an empty tally, as resolved options ask, of streamed or whole answers to requests that
// had times at which they were due or had not.
func New(opt Options, stream, scheduled bool) *Tally {
	return &Tally{opt: opt, stream: stream, scheduled: scheduled}
}

// Add counts a request that has ended and went through Define. It keeps nothing of r.
func (t *Tally) Add(r *wire.Record) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.retries += r.Retries
	if t.scheduled {
		t.lateness.add(r.Start - r.Intended)
	}
	if r.Failed != nil {
		t.addFailed(r)
		return
	}
	t.completed++
	t.input += r.Input
	t.output += r.Output
	t.inFlight += r.E2E
	t.e2e.add(r.E2E)
	t.peaks.add(r)
	if t.opt.Goodput.met(r) {
		t.good++
	}
	if t.scheduled {
		t.e2eScheduled.add(r.Start - r.Intended + r.E2E)
	}
	if t.stream {
		t.addStreamed(r)
	}
}

func (t *Tally) addStreamed(r *wire.Record) {
	t.ttft.add(r.TTFT)
	if t.scheduled {
		t.ttftScheduled.add(r.Start - r.Intended + r.TTFT)
	}
	if tpot, ok := TPOT(r); ok {
		t.tpot.add(tpot)
	}
	for _, gap := range r.Gaps {
		t.itl.add(gap)
	}
}

// Retries is how often a request was sent anew, because the server had closed the connection that was
// kept for it. vLLM's client calls such a request failed; sglang.bench_serving keeps no connection.
func (t *Tally) Retries() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.retries
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
	t.rates(m, duration.Seconds())
	if t.completed > 0 {
		m.Set("peak_concurrent_requests", float64(t.peaks.mostRequests()))
		if t.stream {
			m.Set("peak_output_throughput", t.peaks.mostTokens())
		}
	}
	t.ttft.describe(m, "ttft_ms", t.opt.list)
	t.tpot.describe(m, "tpot_ms", t.opt.list)
	t.itl.describe(m, "itl_ms", t.opt.list)
	t.e2e.describe(m, "e2e_latency_ms", t.opt.list)
	t.schedule(m)
	return m
}

// rates sets what is counted per second.
func (t *Tally) rates(m *metric.Values, seconds float64) {
	if !(seconds > 0) {
		return
	}
	m.Set("request_throughput", float64(t.completed)/seconds)
	m.Set("input_throughput", float64(t.input)/seconds)
	m.Set("output_throughput", float64(t.output)/seconds)
	m.Set("total_throughput", float64(t.input+t.output)/seconds)
	m.Set("concurrency", t.inFlight.Seconds()/seconds)
	if t.opt.Goodput.Asked() {
		m.Set("request_goodput", float64(t.good)/seconds)
	}
}

// schedule sets what an open loop knows besides.
func (t *Tally) schedule(m *metric.Values) {
	for name, d := range map[string]*distribution{
		"send_lateness_ms": &t.lateness, "ttft_from_schedule_ms": &t.ttftScheduled, "e2e_latency_from_schedule_ms": &t.e2eScheduled,
	} {
		if d.n > 0 {
			m.Set("mean_"+name, d.mean)
			m.Set("p99_"+name, d.quantile(99))
		}
	}
	if t.lateness.n > 0 {
		m.Set("max_send_lateness_ms", Millis(t.lateness.max))
	}
}
