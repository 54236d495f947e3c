package wire

import (
	"encoding/json"
	"strconv"
	"strings"

	"servematrix/bench/dataset"
)

// body encodes a request.
func (c *Client) body(p dataset.Prompt) []byte {
	forced := p.Output > 0 && !c.opt.DisableIgnoreEOS // without a length the model must end the answer
	fields := map[string]any{"stream": !c.opt.DisableStream}
	switch c.endpoint {
	case native:
		if p.IDs != nil {
			fields["input_ids"] = idList(p.IDs)
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
			fields["prompt"] = idList(p.IDs)
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
	body, err := json.Marshal(fields)
	if err != nil { // every value above can be encoded; extra was valid JSON
		panic(err)
	}
	return body
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

// idList writes token ids as a JSON list; encoding/json takes ten times as long.
func idList(ids []int32) json.RawMessage {
	b := make([]byte, 0, len(ids)*6+2)
	b = append(b, '[')
	for i, id := range ids {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendInt(b, int64(id), 10)
	}
	return append(b, ']')
}
