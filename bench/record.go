package bench

import (
	"bufio"
	"errors"
	"io"
	"time"
)

// record is one measured request. Times are as close to the socket as user space gets: start
// is taken before the request is written, arrivals after the read that brought the event.
type record struct {
	start  time.Duration   // since the beginning of the run
	ttft   time.Duration   // from start to the first event with text; 0 where not streamed
	e2e    time.Duration   // from start to the last event with text, or to the end of a whole answer
	gaps   []time.Duration // between events with text
	input  int             // tokens of the prompt
	output int             // tokens of the answer
	failed *failure
}

// readStream measures a streamed answer.
func (c *client) readStream(body io.Reader, start time.Time, p prompt, r *record) {
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
				r.failed = failf(Truncated, "the answer ended after %d chunks without [DONE]", chunks)
			} else {
				r.failed = classify(err, true)
			}
			return
		}
		if string(data) == "[DONE]" {
			break
		}
		e, ok := parseEvent(data)
		switch {
		case !ok:
			r.failed = failf(Other, "an event is no JSON object: %.200s", data)
			return
		case e.failed:
			r.failed = failf(StreamError, "%.300s", data)
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
			r.ttft = now
		} else {
			r.gaps = append(r.gaps, now-last)
		}
		last = now
		chunks++
	}
	r.e2e = last
	if !finished {
		r.failed = failf(Truncated, "the answer ended after %d chunks without a finish reason", chunks)
		return
	}
	r.count(usage, chunks, p, !c.opt.DisableIgnoreEOS)
}

// readWhole measures an answer that comes in one piece.
func (c *client) readWhole(body io.Reader, start time.Time, p prompt, r *record) {
	data, err := io.ReadAll(body)
	r.e2e = time.Since(start)
	if err != nil {
		r.failed = classify(err, true)
		return
	}
	e, ok := parseEvent(data)
	switch {
	case !ok:
		r.failed = failf(Other, "the answer is no JSON object: %.200s", data)
	case e.failed:
		r.failed = failf(StreamError, "%.300s", data)
	case !e.hasUsage:
		r.failed = failf(WrongTokens, "the answer has no usage, so its tokens cannot be counted")
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
func (r *record) count(usage event, chunks int, p prompt, exact bool) {
	r.output = chunks
	if usage.hasUsage {
		r.input, r.output = usage.prompt, usage.completion
	}
	switch {
	case chunks == 0:
		r.failed = failf(WrongTokens, "the answer has no text")
	case r.output < chunks:
		r.failed = failf(WrongTokens, "usage says %d tokens, but %d chunks came", r.output, chunks)
	case exact && r.output != p.output && usage.hasUsage:
		r.failed = failf(WrongTokens, "asked for %d tokens, got %d (a server without ignore_eos needs --disable-ignore-eos)", p.output, r.output)
	}
}
