package bench

import (
	"cmp"
	"slices"
	"time"

	"servematrix/metric"
)

// Summary is a whole measurement.
type Summary struct {
	// Options are those used, defaults filled in.
	Options Options
	// Metrics are the numbers by their contract names; what was not measured is absent.
	Metrics *metric.Values
	// Errors are the failed requests by class.
	Errors []ErrorClass
	// Simulated says that the server called itself simulated.
	Simulated bool
	// Partial says that the measurement was cut short; the numbers are of what had ended by then.
	Partial bool

	records []record
}

// ErrorClass counts the failed requests of one class.
type ErrorClass struct {
	// Class is one of Refused, Reset, TimedOut and so on.
	Class string `json:"class"`
	// Count is how many requests failed so.
	Count int `json:"count"`
	// First is the message of the one that was sent first.
	First string `json:"first"`
}

// summarize computes the metrics of records over duration. The definitions, all of them over the
// successful requests only, are those of sglang.bench_serving where that has them:
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
func summarize(opt Options, records []record, duration time.Duration) *Summary {
	slices.SortFunc(records, func(a, b record) int { return cmp.Compare(a.start, b.start) })
	s := &Summary{Options: opt, Metrics: &metric.Values{}, Errors: countErrors(records), records: records}
	m := s.Metrics
	var ttft, tpot, itl, e2e []float64
	completed, input, output := 0, 0, 0
	var inFlight time.Duration
	peaks := bins{}
	for i := range records {
		r := &records[i]
		if r.failed != nil {
			continue
		}
		completed++
		input += r.input
		output += r.output
		inFlight += r.e2e
		e2e = append(e2e, millis(r.e2e))
		peaks.add(r)
		if opt.DisableStream {
			continue
		}
		ttft = append(ttft, millis(r.ttft))
		if r.output > 1 {
			tpot = append(tpot, millis(r.e2e-r.ttft)/float64(r.output-1))
		}
		for _, gap := range r.gaps {
			itl = append(itl, millis(gap))
		}
	}
	m.Set("num_prompts", float64(opt.NumPrompts))
	m.Set("completed", float64(completed))
	m.Set("failed", float64(len(records)-completed))
	m.Set("duration_s", duration.Seconds())
	m.Set("request_rate", opt.RequestRate) // infinite where there was none, which JSON shows as null
	if opt.MaxConcurrency > 0 {
		m.Set("max_concurrency", float64(opt.MaxConcurrency))
	}
	m.Set("total_input_tokens", float64(input))
	m.Set("total_output_tokens", float64(output))
	if seconds := duration.Seconds(); seconds > 0 {
		m.Set("request_throughput", float64(completed)/seconds)
		m.Set("input_throughput", float64(input)/seconds)
		m.Set("output_throughput", float64(output)/seconds)
		m.Set("total_throughput", float64(input+output)/seconds)
		m.Set("concurrency", inFlight.Seconds()/seconds)
	}
	if completed > 0 {
		m.Set("peak_concurrent_requests", float64(peaks.mostRequests()))
		if !opt.DisableStream {
			m.Set("peak_output_throughput", peaks.mostTokens())
		}
	}
	percentiles, _ := opt.percentiles() // resolve has checked them
	describe(m, "ttft_ms", ttft, percentiles)
	describe(m, "tpot_ms", tpot, percentiles)
	describe(m, "itl_ms", itl, percentiles)
	describe(m, "e2e_latency_ms", e2e, percentiles)
	return s
}

// bins divide a run into whole seconds from its beginning, as sglang.bench_serving does:
//
//	peak output throughput   the most tokens that arrived within one bin
//	peak concurrent requests the most requests of which any part lies in one bin, which with
//	                         short requests exceeds the concurrency at any moment
//
// A chunk counts as its request's mean tokens per chunk.
type bins struct {
	tokens   []float64
	requests []int
}

func (b *bins) at(t time.Duration) int {
	bin := int(t / time.Second)
	for len(b.tokens) <= bin {
		b.tokens, b.requests = append(b.tokens, 0), append(b.requests, 0)
	}
	return bin
}

func (b *bins) add(r *record) {
	last := b.at(r.start + r.e2e)
	for bin := b.at(r.start); bin <= last; bin++ {
		b.requests[bin]++
	}
	share := float64(r.output) / float64(len(r.gaps)+1)
	t := r.start + r.ttft
	b.tokens[b.at(t)] += share
	for _, gap := range r.gaps {
		t += gap
		b.tokens[b.at(t)] += share
	}
}

func (b *bins) mostTokens() float64 {
	most := 0.0
	for _, n := range b.tokens {
		most = max(most, n)
	}
	return most
}

func (b *bins) mostRequests() int {
	most := 0
	for _, n := range b.requests {
		most = max(most, n)
	}
	return most
}

// countErrors counts the failures of records, which are in the order of sending, by class.
func countErrors(records []record) []ErrorClass {
	classes := []ErrorClass{}
	place := map[string]int{}
	for _, r := range records {
		if r.failed == nil {
			continue
		}
		i, known := place[r.failed.class]
		if !known {
			i = len(classes)
			place[r.failed.class] = i
			classes = append(classes, ErrorClass{Class: r.failed.class, First: r.failed.message})
		}
		classes[i].Count++
	}
	return classes
}
