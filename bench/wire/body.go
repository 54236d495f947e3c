package wire

import (
	"encoding/json"
	"strconv"
	"strings"

	"servematrix/bench/dataset"
)

// body encodes a request.
func (c *Client) body(p dataset.Prompt) []byte {
	fields := map[string]any{"stream": !c.opt.DisableStream}
	switch c.endpoint {
	case native:
		fields["input_ids"] = idList(p.IDs)
		fields["sampling_params"] = map[string]any{"temperature": 0, "max_new_tokens": p.Output, "ignore_eos": !c.opt.DisableIgnoreEOS}
	default:
		fields["model"], fields["temperature"] = c.opt.Model, 0
		if !c.opt.DisableIgnoreEOS {
			fields["ignore_eos"] = true
		}
		if !c.opt.DisableStream {
			fields["stream_options"] = map[string]any{"include_usage": true}
		}
		if c.endpoint == chat {
			fields["messages"] = []any{map[string]any{"role": "user", "content": chatText(p.IDs)}}
			fields["max_completion_tokens"] = p.Output
		} else {
			fields["prompt"] = idList(p.IDs)
			fields["max_tokens"] = p.Output
		}
	}
	for name, value := range c.extra {
		fields[name] = value
	}
	body, err := json.Marshal(fields)
	if err != nil { // every value above can be encoded; extra was valid JSON
		panic(err)
	}
	return body
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

// chatText writes one short word for each token id, since chat messages are text; how many
// tokens that is only the server's tokenizer knows.
func chatText(ids []int32) string {
	var b strings.Builder
	for _, id := range ids {
		b.WriteByte(' ')
		for n, i := int(id), 0; i < 4; i++ {
			b.WriteByte(byte('a' + n%26))
			n /= 26
		}
	}
	return b.String()
}
