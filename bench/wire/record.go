package wire

import (
	"bufio"
	"errors"
	"io"
	"time"

	"servematrix/bench/dataset"
)

// Record is one measured request. Times are as close to the socket as user space gets: Start
// is taken before the request is written, arrivals after the read that brought the event.
type Record struct {
	// Start is when the request was sent, since the beginning of the run.
	Start time.Duration
	// TTFT is the time from Start to the first event with text; 0 where nothing was streamed.
	TTFT time.Duration
	// E2E is the time from Start to the last event with text, or to the end of a whole answer.
	E2E time.Duration
	// Gaps are the times between events with text.
	Gaps []time.Duration
	// Input and Output are the tokens of the prompt and of the answer.
	Input, Output int
	// Failed is nil where the answer came whole.
	Failed *Failure
}

// readStream measures a streamed answer.
func (c *Client) readStream(body io.Reader, start time.Time, p dataset.Prompt, r *Record) {
	buffer := c.readers.Get().(*bufio.Reader)
	defer c.readers.Put(buffer)
	buffer.Reset(body)
	events := eventReader{r: buffer}
	var usage event
	var last time.Duration
	chunks, finished := 0, false
	told := false // reason and usage came in one event: transformers ends so, without [DONE]
	for {
		data, err := events.next()
		now := time.Since(start)
		if errors.Is(err, io.EOF) && told {
			break
		}
		if err != nil {
			if errors.Is(err, io.EOF) {
				r.Failed = failf(Truncated, "the answer ended after %d chunks without [DONE]", chunks)
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
		if !e.content {
			continue
		}
		if chunks == 0 {
			r.TTFT = now
		} else {
			r.Gaps = append(r.Gaps, now-last)
		}
		last = now
		chunks++
	}
	r.E2E = last
	if !finished {
		r.Failed = failf(Truncated, "the answer ended after %d chunks without a finish reason", chunks)
		return
	}
	r.count(usage, chunks, p, !c.opt.DisableIgnoreEOS)
}

// readWhole measures an answer that comes in one piece.
func (c *Client) readWhole(body io.Reader, start time.Time, p dataset.Prompt, r *Record) {
	data, err := io.ReadAll(body)
	r.E2E = time.Since(start)
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
		chunks := 0
		if e.content {
			chunks = 1
		}
		r.count(e, chunks, p, !c.opt.DisableIgnoreEOS)
	}
}

// count takes the token counts from the server's usage and checks them: against the chunks that
// came (a chunk holds at least one token), and, where the end was forced, against what was asked
// for. Without usage each chunk counts as a token.
func (r *Record) count(usage event, chunks int, p dataset.Prompt, exact bool) {
	r.Output = chunks
	if usage.hasUsage {
		r.Input, r.Output = usage.prompt, usage.completion
	}
	switch {
	case chunks == 0:
		r.Failed = failf(WrongTokens, "the answer has no text")
	case r.Output < chunks:
		r.Failed = failf(WrongTokens, "usage says %d tokens, but %d chunks came", r.Output, chunks)
	case exact && r.Output != p.Output && usage.hasUsage:
		r.Failed = failf(WrongTokens, "asked for %d tokens, got %d (a server without ignore_eos needs --disable-ignore-eos)", p.Output, r.Output)
	}
}
