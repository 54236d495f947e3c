package tally

import (
	"time"

	"servematrix/bench/wire"
)

// Define makes of what was measured the latencies as o.Definitions has them, once, so that all
// that follows speaks of the same: metrics, details, the file of requests.
//
// Both clients count TTFT, TPOT, E2E and the rest alike but for this, as of sglang 0.5.9 and vllm
// 0.32.0; docs/explanation/bench-definitions.md has it with the sources:
//
//	           sglang                                   vllm
//	E2E ends   at the last line of the stream           at the answer's last event, with text or not
//	arrivals   events with text                         events of the answer, with text or not
//	ITL        of an event with n tokens, where it      the gap, whatever the event holds
//	           tells how many: n times gap/n
//
// That events without text arrive is measured by package wire (CountEmpty).
func (o Options) Define(r *wire.Record) {
	if o.Definitions == VLLM || r.Failed != nil {
		return
	}
	if r.End > 0 {
		r.E2E = r.End
	}
	if len(r.Tokens) == len(r.Gaps)+1 {
		r.Gaps = perToken(r.Gaps, r.Tokens[1:])
	}
}

// perToken spreads each gap over the tokens that came at its end. An event that brought none, as
// where SGLang's /generate says the same text again, is no arrival: its gap belongs to the next one.
func perToken(gaps []time.Duration, tokens []int32) []time.Duration {
	single := true
	for _, n := range tokens {
		single = single && n == 1
	}
	if single {
		return gaps
	}
	var spread []time.Duration
	var gap time.Duration
	for i, n := range tokens {
		gap += gaps[i]
		if n <= 0 {
			continue
		}
		for range n {
			spread = append(spread, gap/time.Duration(n))
		}
		gap = 0
	}
	return spread
}

// TPOT is the mean time of a token after the first, (E2E − TTFT) / (n_out − 1); ok is false for an
// answer of less than two tokens, which has none.
func TPOT(r *wire.Record) (d time.Duration, ok bool) {
	if r.Output < 2 {
		return 0, false
	}
	return (r.E2E - r.TTFT) / time.Duration(r.Output-1), true
}

// Millis is d in milliseconds.
func Millis(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
