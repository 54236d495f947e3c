package wire

import (
	"bufio"
	"errors"
	"io"
	"sync"
	"time"

	"servematrix/bench/dataset"
)

// Record is one measured request. Times are as close to the socket as user space gets: Start
// is taken before the request is written, arrivals when the read that brought them returned, so
// that events of one read arrived together.
//
// Send gives it from a pool: whoever keeps nothing of it calls Release when its numbers are
// counted, and a run of a million requests needs no more memory than those in flight.
type Record struct {
	// Intended is when the schedule wanted the request sent, since the beginning of the run. Whoever
	// calls Send knows it and sets it.
	Intended time.Duration
	// Start is when the request was sent, since the beginning of the run.
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
	// Retries are the times that the request was sent anew, because the connection that was kept
	// for it had been closed by the server.
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

// readStream measures a streamed answer.
func (c *Client) readStream(body io.Reader, start time.Time, p dataset.Prompt, r *Record) {
	buffer := c.readers.Get().(*bufio.Reader)
	defer c.readers.Put(buffer)
	buffer.Reset(body)
	events := eventReader{r: buffer}
	var usage event
	var last time.Duration
	arrived, finished := 0, false
	told := false // reason and usage came in one event: transformers ends so, without [DONE]
	for {
		data, err := events.next()
		now := time.Since(start)
		if errors.Is(err, io.EOF) && told {
			break
		}
		if err != nil {
			if errors.Is(err, io.EOF) {
				r.Failed = failf(Truncated, "the answer ended after %d chunks without [DONE]", r.Chunks)
			} else {
				r.Failed = classify(err, true)
			}
			return
		}
		if string(data) == "[DONE]" {
			break
		}
		e, ok := parseEvent(data)
		switch {
		case !ok:
			r.Failed = failf(Other, "an event is no JSON object: %.200s", data)
			return
		case e.failed:
			r.Failed = failf(StreamError, "%.300s", data)
			return
		}
		finished = finished || e.finished
		told = told || e.finished && e.hasUsage
		if e.hasUsage {
			usage = e
		}
		if !e.content && !(c.opt.CountEmpty && e.choice) {
			continue
		}
		if arrived++; arrived == 1 {
			r.TTFT = now
		} else {
			r.Gaps = append(r.Gaps, now-last)
		}
		last = now
		if e.content {
			r.Chunks++
		}
	}
	r.E2E, r.End = last, time.Since(start)
	if !finished {
		r.Failed = failf(Truncated, "the answer ended after %d chunks without a finish reason", r.Chunks)
		return
	}
	r.count(usage, p, !c.opt.DisableIgnoreEOS)
}

// readWhole measures an answer that comes in one piece.
func (c *Client) readWhole(body io.Reader, start time.Time, p dataset.Prompt, r *Record) {
	data, err := io.ReadAll(body)
	r.E2E = time.Since(start)
	r.End = r.E2E
	if err != nil {
		r.Failed = classify(err, true)
		return
	}
	e, ok := parseEvent(data)
	switch {
	case !ok:
		r.Failed = failf(Other, "the answer is no JSON object: %.200s", data)
	case e.failed:
		r.Failed = failf(StreamError, "%.300s", data)
	case !e.hasUsage:
		r.Failed = failf(WrongTokens, "the answer has no usage, so its tokens cannot be counted")
	default:
		if e.content {
			r.Chunks = 1
		}
		r.count(e, p, !c.opt.DisableIgnoreEOS)
	}
}

// count takes the token counts from the server's usage and checks them: against the chunks that
// came (a chunk holds at least one token), and, where the end was forced, against what was asked
// for. Without usage each chunk counts as a token.
func (r *Record) count(usage event, p dataset.Prompt, exact bool) {
	r.Output = r.Chunks
	if usage.hasUsage {
		r.Input, r.Output = usage.prompt, usage.completion
	}
	switch {
	case r.Chunks == 0:
		r.Failed = failf(WrongTokens, "the answer has no text")
	case r.Output < r.Chunks:
		r.Failed = failf(WrongTokens, "usage says %d tokens, but %d chunks came", r.Output, r.Chunks)
	case exact && p.Output > 0 && r.Output != p.Output && usage.hasUsage:
		r.Failed = failf(WrongTokens, "asked for %d tokens, got %d (a server without ignore_eos needs --disable-ignore-eos)", p.Output, r.Output)
	}
}
