package wire

import (
	"sync"
	"time"

	"servematrix/bench/dataset"
)

// Record is one measured request. Times are as close to the socket as can be: Start is
// taken when the connection is there, before the request is written, arrivals when the kernel had the
// newest bytes of the read that brought them, or where it does not say when that read returned; events
// of one read arrived together.
//
// Send gives it from a pool: whoever keeps nothing of it calls Release when its numbers are
// counted, and a run of a million requests needs no more memory than those in flight.
type Record struct {
	// Intended is when the schedule wanted the request sent, since the beginning of the run. Whoever
	// calls Send knows it and sets it.
	Intended time.Duration
	// Start is when the request was sent first, since the beginning of the run; where there was no
	// connection, when that was known.
	Start time.Duration
	// TTFT is the time from Start to the first event with text; 0 where nothing was streamed.
	TTFT time.Duration
	// E2E is the time from Start to the last event with text, or to the end of a whole answer.
	E2E time.Duration
	// End is the time from Start to the end of the answer: its [DONE], or the end of its body.
	End time.Duration
	// Chunks are the events with text, or 1 for a whole answer with text.
	Chunks int
	// Gaps are the times between events with text, one fewer than Chunks. With Options.CountEmpty
	// TTFT, E2E and Gaps are of the events without text as well.
	Gaps []time.Duration
	// Tokens are how many tokens each event with text brought, in the order of Gaps and with the
	// first one's before, where the server counts along (SGLang's /generate, or
	// stream_options.continuous_usage_stats); else empty.
	Tokens []int32
	// Input and Output are the tokens of the prompt and of the answer.
	Input, Output int
	// Answer is the generated text, kept only where the prompt has a next one that continues it.
	Answer string
	// Retries are the times that the request was sent anew, because the server had closed the
	// connection that was kept for it, or refused the stream (HTTP/2).
	Retries int
	// Failed is nil where the answer came whole.
	Failed *Failure
}

var records = sync.Pool{New: func() any { return new(Record) }}

func newRecord(p dataset.Prompt) *Record {
	r := records.Get().(*Record)
	*r = Record{Input: p.Input, Gaps: r.Gaps[:0], Tokens: r.Tokens[:0]}
	return r
}

// Release gives the record back; nothing of it may be used from then on.
func (r *Record) Release() { records.Put(r) }
