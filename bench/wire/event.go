package wire

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// event is what matters of one server-sent event, or of a whole answer.
type event struct {
	content    bool // it carries generated text
	choice     bool // it belongs to the answer, with text or without, as a chat's first one that tells the role
	finished   bool // it holds a finish reason
	failed     bool // it is an error that came with status 200
	hasUsage   bool
	prompt     int // tokens, from usage
	completion int
}

// parseEvent reads the JSON of an event of any of the endpoints:
//
//	{"choices":[{"text":…,"finish_reason":…}],"usage":{"prompt_tokens":…,"completion_tokens":…}}
//	{"choices":[{"delta":{"content":…,"reasoning_content":…},…}],…}
//	{"text":…,"meta_info":{"prompt_tokens":…,"completion_tokens":…,"finish_reason":…}}
//
// It reports false for what is no JSON object.
func parseEvent(data []byte) (event, bool) {
	var e event
	c := &cursor{b: data}
	if c.peek() != '{' {
		return e, false
	}
	c.enter('{')
	for first := true; c.more('}', &first); {
		switch string(c.key()) {
		case "choices":
			e.choices(c)
		case "usage":
			e.usage(c)
		case "meta_info":
			e.usage(c)
		case "text":
			e.choice = true
			e.content = c.text() || e.content
		case "error":
			e.failed = !c.null()
		default:
			c.skip()
		}
	}
	return e, !c.bad
}

func (e *event) choices(c *cursor) {
	if !c.enter('[') {
		return
	}
	for first := true; c.more(']', &first); {
		if !c.enter('{') {
			continue
		}
		e.choice = true
		for first := true; c.more('}', &first); {
			switch string(c.key()) {
			case "text":
				e.content = c.text() || e.content
			case "delta", "message":
				e.delta(c)
			case "finish_reason":
				e.finished = !c.null() || e.finished
			default:
				c.skip()
			}
		}
	}
}

func (e *event) delta(c *cursor) {
	if !c.enter('{') {
		return
	}
	for first := true; c.more('}', &first); {
		switch string(c.key()) {
		case "content", "reasoning_content", "reasoning":
			e.content = c.text() || e.content
		default:
			c.skip()
		}
	}
}

func (e *event) usage(c *cursor) {
	if !c.enter('{') {
		return
	}
	e.hasUsage = true
	for first := true; c.more('}', &first); {
		switch string(c.key()) {
		case "prompt_tokens":
			e.prompt = c.number()
		case "completion_tokens":
			e.completion = c.number()
		case "finish_reason":
			e.finished = !c.null() || e.finished
		default:
			c.skip()
		}
	}
}

// eventReader reads the data of server-sent events. One event is one data line, which is how
// all serving engines write; other fields, comments (keep-alive pings) and blank lines are
// passed over. The slice that next gives is valid until the next call.
type eventReader struct {
	r    *bufio.Reader
	long []byte // a line longer than the reader's buffer
}

// maxEvent bounds one event: SGLang's /generate repeats the whole text in each.
const maxEvent = 16 << 20

var errEventTooLong = errors.New("an event is longer than 16 MiB")

// next gives the data of the next event; io.EOF at the end of the stream.
func (e *eventReader) next() ([]byte, error) {
	for {
		line, err := e.line()
		if data, ok := bytes.CutPrefix(line, []byte("data:")); ok {
			return bytes.TrimSpace(data), nil
		}
		if err != nil {
			return nil, err
		}
	}
}

// line gives a line; the last one may come together with an error.
func (e *eventReader) line() ([]byte, error) {
	line, err := e.r.ReadSlice('\n')
	if !errors.Is(err, bufio.ErrBufferFull) {
		return line, err
	}
	e.long = append(e.long[:0], line...)
	for errors.Is(err, bufio.ErrBufferFull) {
		if len(e.long) > maxEvent {
			return nil, errEventTooLong
		}
		line, err = e.r.ReadSlice('\n')
		e.long = append(e.long, line...)
	}
	if errors.Is(err, io.EOF) {
		return e.long, io.EOF
	}
	return e.long, err
}
