package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"
)

// answer measures one answer as it comes.
type answer struct {
	*Record
	client *Client
	exact  int       // tokens that the answer must have, 0 for any number
	keep   bool      // the text
	began  time.Time // the run
	start  time.Time // the request; zero until it has a connection
	stream *stream
	tail   *time.Timer

	usage    event
	counted  int           // tokens, by the last usage that came with an event that counts
	last     time.Duration // when the last event that counts arrived
	events   int           // that count
	finished bool
	told     bool // reason and usage came in one event: transformers ends so, without [DONE]
	done     bool // [DONE] came
	said     []byte
}

// tail is how long the end of a body may take after [DONE], which measures nothing: a body that was
// read to its end leaves a connection to be used again.
const tail = time.Second

// send takes the time of a request that goes off; for one that goes once more nothing begins anew.
func (a *answer) send() {
	if a.start.IsZero() {
		a.start = time.Now()
		a.Start = a.start.Sub(a.began)
	}
}

// read measures what response brings, streamed or whole. stop ends the request.
func (a *answer) read(response *http.Response, stop func()) {
	a.begin(response.Body)
	if a.client.opt.DisableStream {
		a.readWhole()
	} else {
		a.advance(stop)
	}
	a.end(response.Header)
}

func (a *answer) begin(body io.Reader) {
	a.stream = a.client.streams.Get().(*stream)
	a.stream.reset(body)
}

// end gives back what the answer needed.
func (a *answer) end(header http.Header) {
	if a.tail != nil {
		a.tail.Stop()
	}
	if a.Failed != nil && a.Failed.Class == Malformed {
		a.Failed.Message += contentHint(header)
	}
	a.stream.release()
	a.client.streams.Put(a.stream)
	a.stream = nil
}

// advance measures what has come of a stream, and says whether it has ended: a body that does not
// wait for what comes later is asked again then.
func (a *answer) advance(stop func()) bool {
	for {
		e, done, err := a.stream.next()
		switch {
		case errors.Is(err, errLater):
			return false
		case err != nil:
			a.close(err)
			return true
		case done && !a.done:
			a.done, a.End = true, a.now()
			if a.stream.err == nil {
				a.tail = time.AfterFunc(tail, stop)
			}
		case a.done && e.content:
			a.Failed = failf(Malformed, "text comes after [DONE]: %s", quoted(a.stream.data))
			return true
		case e.failed:
			a.Failed = failf(StreamError, "%s", quoted(a.stream.data))
			return true
		case !a.done:
			a.add(e)
		}
	}
}

// now is when what is being read arrived.
func (a *answer) now() time.Duration { return a.stream.arrived.Sub(a.start) }

// add measures an event.
func (a *answer) add(e event) {
	a.finished = a.finished || e.finished
	a.told = a.told || e.finished && e.hasUsage
	if e.hasUsage {
		a.usage = e
	}
	if !e.content && !(a.client.opt.CountEmpty && e.choice) {
		return
	}
	if a.client.endpoint == native && a.events > 0 && e.hasUsage && e.completion == a.counted {
		return // /generate says the whole text again; nothing was generated since
	}
	now := a.now()
	if a.events++; a.events == 1 {
		a.TTFT = now
	} else {
		a.Gaps = append(a.Gaps, now-a.last)
	}
	if e.hasUsage && e.completion >= a.counted {
		a.Tokens = append(a.Tokens, int32(e.completion-a.counted))
		a.counted = e.completion
	}
	a.last = now
	if e.content {
		a.Chunks++
		a.say(e.text)
	}
}

// say keeps text for the next turn of a conversation.
func (a *answer) say(text []byte) {
	if !a.keep {
		return
	}
	if a.client.endpoint == native {
		a.said = a.said[:0]
	}
	if len(a.said)+len(text) <= maxEvent {
		a.said = append(a.said, text...)
	}
}

// close judges the answer when its body has ended, with io.EOF as all that end in order.
func (a *answer) close(err error) {
	a.E2E = a.last
	if len(a.Tokens) != a.events {
		a.Tokens = a.Tokens[:0] // the server counts along only now and then
	}
	switch {
	case a.done: // what became of the body after [DONE] does not matter
	case !errors.Is(err, io.EOF):
		a.Failed = a.broken(err)
		return
	case !a.told:
		a.Failed = failf(Truncated, "the answer ended after %d chunks without [DONE]", a.Chunks)
		return
	default:
		a.End = a.now()
	}
	if !a.finished {
		a.Failed = failf(Truncated, "the answer ended after %d chunks without a finish reason", a.Chunks)
		return
	}
	a.count()
}

// readWhole measures an answer that comes in one piece.
func (a *answer) readWhole() {
	data, err := a.stream.all()
	a.E2E = a.now()
	a.End = a.E2E
	if err != nil {
		a.Failed = a.broken(err)
		return
	}
	e, ok := parseEvent(data)
	switch {
	case !ok:
		a.Failed = failf(Malformed, "the answer is no JSON object: %s", quoted(data))
	case e.failed:
		a.Failed = failf(StreamError, "%s", quoted(data))
	case !e.hasUsage:
		a.Failed = failf(WrongTokens, "the answer has no usage, so its tokens cannot be counted")
	default:
		if e.content {
			a.Chunks = 1
			a.say(e.text)
		}
		a.usage = e
		a.count()
	}
}

// broken tells why the answer did not come to its end.
func (a *answer) broken(err error) *Failure {
	switch limit, reached := errors.AsType[tooMuch](err); {
	case errors.Is(err, errNoEvents), errors.Is(err, errNoJSON):
		return failf(Malformed, "%v: %s", err, quoted(a.stream.data))
	case reached:
		return failf(Malformed, "%v", limit)
	}
	f := classify(err, true)
	if f.Class == TimedOut {
		f.Message = fmt.Sprintf("the answer did not end within %v: %d chunks came, the last after %v", a.client.opt.Timeout, a.Chunks, a.last.Round(time.Millisecond))
	}
	return f
}

// count takes the token counts from the server's usage and checks them: against the chunks that
// came (a chunk holds at least one token), and, where the end was forced, against what was asked
// for. Without usage each chunk counts as a token.
func (a *answer) count() {
	a.Output = a.Chunks
	if a.usage.hasUsage {
		a.Input, a.Output = a.usage.prompt, a.usage.completion
	}
	switch {
	case a.Chunks == 0:
		a.Failed = failf(WrongTokens, "the answer has no text")
	case a.Output < a.Chunks:
		a.Failed = failf(WrongTokens, "usage says %d tokens, but %d chunks came", a.Output, a.Chunks)
	case a.exact > 0 && a.Output != a.exact && a.usage.hasUsage:
		a.Failed = failf(WrongTokens, "asked for %d tokens, got %d (a server without ignore_eos needs --disable-ignore-eos)", a.exact, a.Output)
	default:
		a.Answer = unquote(a.said)
	}
}

// unquote gives the text of the pieces of a JSON string, which are joined before they are read: a
// character outside the basic plane may be two escapes in two chunks.
func unquote(said []byte) (text string) {
	if len(said) == 0 {
		return ""
	}
	if json.Unmarshal(bytes.Join([][]byte{{'"'}, said, {'"'}}, nil), &text) != nil {
		return string(said) // no JSON string: what a server sends shall not stop a conversation
	}
	return text
}
