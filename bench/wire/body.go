package wire

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"sync"

	"servematrix/bench/dataset"
)

// bodies are room for requests, each in use until its request is written.
var bodies = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// body encodes a request. Token ids, which may be many thousands, stand at its end: encoding/json
// takes ten times as long for a list of numbers, and reads again what others have written.
func (c *Client) body(p dataset.Prompt) *bytes.Buffer {
	ids := ""                                         // the field that holds them
	forced := p.Output > 0 && !c.opt.DisableIgnoreEOS // without a length the model must end the answer
	fields := map[string]any{"stream": !c.opt.DisableStream}
	switch c.endpoint {
	case native:
		if p.IDs != nil {
			ids = "input_ids"
		} else {
			fields["text"] = plainText(p)
		}
		params := map[string]any{"temperature": 0, "ignore_eos": forced}
		setLength(params, "max_new_tokens", p.Output)
		fields["sampling_params"] = params
	default:
		fields["model"], fields["temperature"] = c.opt.Model, 0
		if forced {
			fields["ignore_eos"] = true
		}
		if !c.opt.DisableStream {
			fields["stream_options"] = map[string]any{"include_usage": true}
		}
		if c.endpoint == chat {
			fields["messages"] = messages(p)
			setLength(fields, "max_completion_tokens", p.Output)
			break
		}
		if p.IDs != nil {
			ids = "prompt"
		} else {
			fields["prompt"] = plainText(p)
		}
		setLength(fields, "max_tokens", p.Output)
	}
	for name, value := range c.extra {
		fields[name] = value
	}
	for name, value := range p.Body {
		fields[name] = value
	}
	body := bodies.Get().(*bytes.Buffer)
	body.Reset()
	if err := json.NewEncoder(body).Encode(fields); err != nil { // every value above can be encoded; extra was valid JSON
		panic(err)
	}
	body.Truncate(body.Len() - len("\n"))
	if _, given := fields[ids]; ids != "" && !given {
		body.Truncate(body.Len() - len("}"))
		body.Grow(len(ids) + 7*len(p.IDs) + 8) // six digits and a comma
		body.Write(appendIDs(body.AvailableBuffer(), ids, p.IDs))
	}
	return body
}

// exact is how many tokens the answer to p must have, 0 where that is left open: by the model's end,
// or by a field of the body that has its own word on length, end or number of answers.
func (c *Client) exact(p dataset.Prompt) int {
	if c.opt.DisableIgnoreEOS || c.extraDecides || decides(p.Body) {
		return 0
	}
	return p.Output
}

// deciding are the fields that say how long an answer is, when it ends and how many there are.
// /generate has them all in sampling_params, which takes the place of ours.
var deciding = []string{
	"max_tokens", "max_completion_tokens", "min_tokens", "ignore_eos", "n", "best_of",
	"stop", "stop_token_ids", "stop_regex", "sampling_params",
}

func decides(body map[string]json.RawMessage) bool {
	return slices.ContainsFunc(deciding, func(name string) bool {
		value, given := body[name]
		return given && !(name == "ignore_eos" && string(value) == "true") // as it is sent anyway
	})
}

// setLength asks for an answer of n tokens; for 0 it leaves the length to model and server.
func setLength(fields map[string]any, name string, n int) {
	if n > 0 {
		fields[name] = n
	}
}

// messages are a prompt for a chat endpoint: a text is what a user says.
func messages(p dataset.Prompt) []dataset.Message {
	switch {
	case p.Messages != nil:
		return p.Messages
	case p.IDs != nil:
		return []dataset.Message{{Role: "user", Content: dataset.Words(p.IDs)}}
	}
	return []dataset.Message{{Role: "user", Content: p.Text}}
}

// plainText is a prompt for an endpoint that knows no chat: what was said, a line each.
func plainText(p dataset.Prompt) string {
	if p.Messages == nil {
		return p.Text
	}
	var lines []string
	for _, m := range p.Messages {
		lines = append(lines, m.Content)
	}
	return strings.Join(lines, "\n")
}

// appendIDs appends a field of token ids and the end of the object.
func appendIDs(b []byte, field string, ids []int32) []byte {
	b = append(b, `,"`...)
	b = append(b, field...)
	b = append(b, `":[`...)
	for i, id := range ids {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendInt(b, int64(id), 10)
	}
	return append(b, "]}"...)
}
