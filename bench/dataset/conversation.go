package dataset

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// entry is one value of a file of conversations, in any of the layouts that sglang.bench_serving
// and vllm bench serve read:
//
//	{"conversations": [{"from": "human", "value": …}, {"from": "gpt", "value": …}, …]}   ShareGPT
//	{"conversations": [{"role": "user", "content": …}, …]}                               custom
//	{"prompt": …, "output_tokens": …}                                                    custom, vLLM's
//	{"messages": [{"role": …, "content": …}, …], "max_tokens": …, …}                     openai
type entry struct {
	Conversations       []said    `json:"conversations"`
	Conversation        []said    `json:"conversation"`
	Prompt              *string   `json:"prompt"`
	OutputTokens        *int      `json:"output_tokens"`
	Messages            []Message `json:"messages"`
	MaxTokens           *int      `json:"max_tokens"`
	MaxCompletionTokens *int      `json:"max_completion_tokens"`
	Image               any       `json:"image"`
	Video               any       `json:"video"`
}

// pictured says that an entry has an image or a video.
func (e entry) pictured() bool {
	return e.Image != nil && e.Image != "" || e.Video != nil && e.Video != ""
}

type said struct {
	From    string `json:"from"`
	Role    string `json:"role"`
	Value   string `json:"value"`
	Content string `json:"content"`
}

func (s said) text() string { return s.Value + s.Content } // one of them is there

// talk is a conversation to send.
type talk struct {
	turns    []turn
	messages []Message                  // before the first turn; all of an openai request
	body     map[string]json.RawMessage // fields of an openai request besides
	pictured bool                       // it has an image or a video, which count with RulesVLLM alone
}

// turn is what a user says and what was answered then.
type turn struct {
	text, answer string
	output       int // tokens of the answer, where the file says so
}

// errPassedOver is of a conversation that is well-formed but not of use.
var errPassedOver = errors.New("passed over")

// talk reads an entry. It gives errPassedOver where it has less than two messages.
func (m *maker) talk(raw []byte) (t talk, err error) {
	var e entry
	if err := decode(raw, &e); err != nil {
		return t, err
	}
	list := append(e.Conversations, e.Conversation...)
	switch {
	case m.Name == OpenAI:
		return m.openAI(e, raw)
	case m.Name == Custom && e.Prompt != nil:
		if e.OutputTokens != nil && (*e.OutputTokens < 1 || *e.OutputTokens > maxTokens) {
			return t, fmt.Errorf("output_tokens %d: want from 1 to %d", *e.OutputTokens, maxTokens)
		}
		if e.OutputTokens == nil && m.ShareGPTOutputLen == 0 {
			return t, fmt.Errorf("%w: give it, or --sharegpt-output-len for all", missing("output_tokens", raw))
		}
		one := turn{text: *e.Prompt}
		if e.OutputTokens != nil {
			one.output = *e.OutputTokens
		}
		t.turns = []turn{one}
		return t, nil
	case m.Rules == RulesVLLM && m.Name == Custom:
		return t, missing("prompt", raw)
	case m.Rules == RulesVLLM && len(e.Conversations) < 2:
		return t, errPassedOver
	case e.Conversations == nil && e.Conversation == nil && m.Name == Custom:
		return t, missing("conversations and no prompt", raw)
	case e.Conversations == nil && e.Conversation == nil:
		return t, missing("conversations", raw)
	case len(list) < 2:
		return t, errPassedOver
	case !m.MultiTurn: // the first two, whoever says them, as in sglang.bench_serving
		t.turns = []turn{{text: list[0].text(), answer: list[1].text()}}
		t.pictured = e.pictured()
		return t, nil
	}
	for i, s := range list {
		switch role := s.From + s.Role; role {
		case "human", "user":
			t.turns = append(t.turns, turn{text: s.text()})
		case "system":
			t.messages = append(t.messages, Message{"system", s.text()})
		case "gpt", "assistant", "chatgpt", "bing", "bard", "model":
			if len(t.turns) > 0 {
				t.turns[len(t.turns)-1].answer += s.text()
			}
		default:
			return t, fmt.Errorf("message %d is from %q: want human, gpt or system, or user, assistant or system", i+1, role)
		}
	}
	if len(t.turns) == 0 {
		return t, errPassedOver
	}
	return t, nil
}

// openAI reads a request in the layout of OpenAI's chat API.
func (m *maker) openAI(e entry, raw []byte) (t talk, err error) {
	if len(e.Messages) == 0 {
		return t, missing("messages", raw)
	}
	var fields struct{ Messages []map[string]json.RawMessage }
	_ = json.Unmarshal(raw, &fields) // decoded before
	for i, message := range fields.Messages {
		for field := range message {
			if field != "role" && field != "content" {
				return t, fmt.Errorf("message %d has %s: only role and content can be sent", i+1, field)
			}
		}
	}
	t.messages = e.Messages
	one := turn{output: 256} // what sglang.bench_serving takes
	for _, n := range []*int{e.MaxCompletionTokens, e.MaxTokens} {
		if n == nil {
			continue
		}
		if *n < 1 || *n > maxTokens {
			return t, fmt.Errorf("max_tokens %d: want from 1 to %d", *n, maxTokens)
		}
		one.output = *n
	}
	t.turns = []turn{one}
	_ = json.Unmarshal(raw, &t.body) // decoded before
	for _, ours := range []string{"messages", "max_tokens", "max_completion_tokens", "model", "stream", "stream_options"} {
		delete(t.body, ours)
	}
	return t, nil
}

// lengths are the tokens of each turn's prompt, with what was said before, and of its answer.
type lengths [][2]int

// measure finds the lengths of t's turns and how many of them can be sent: those before the first
// that is too short or does not fit --sharegpt-context-len. It gives errPassedOver for none.
func (m *maker) measure(t talk) (lengths, error) {
	var all lengths
	before := m.around()
	for _, message := range t.messages {
		before += m.count(message.Content)
	}
	for _, turn := range t.turns {
		output := turn.output
		switch {
		case m.ShareGPTOutputLen > 0:
			output = m.ShareGPTOutputLen
		case output == 0 && m.tokenizer == nil:
			return nil, errors.New("how long is the answer? Give --tokenizer to count its tokens, or --sharegpt-output-len for all")
		case output == 0:
			output = m.around() + m.count(turn.answer) // sglang.bench_serving counts the token before a text here too
		}
		input := m.count(m.suffixed(turn.text))
		if m.unfit(turn.text, m.around()+input, output) {
			break
		}
		if input += before; m.ShareGPTContextLen > 0 && input+output > m.ShareGPTContextLen {
			break
		}
		all = append(all, [2]int{input, output})
		before = input + output
	}
	switch {
	case len(all) == 0:
		return nil, errPassedOver
	case m.Rules == RulesVLLM && t.pictured: // vLLM passes over for their length before it looks
		return nil, errors.New("has an image or a video: only text can be sent")
	}
	if m.tokenizer == nil {
		for i := range all {
			all[i][0] = 0
		}
	}
	return all, nil
}

// unfit says that a prompt is passed over for its length and its answer's.
func (m *maker) unfit(text string, input, output int) bool {
	switch {
	case m.Name == OpenAI:
		return false
	case m.Rules == RulesVLLM:
		return m.Name == ShareGPT && m.unfitForVLLM(input, output)
	}
	return text == "" || m.tokenizer != nil && (input < 2 || output < 2) // sglang.bench_serving's rule
}

// assistantSuffix ends a prompt that wants an assistant's answer; --prompt-suffix goes before it.
const assistantSuffix = "Assistant:"

func (m *maker) suffixed(text string) string {
	if m.PromptSuffix == "" {
		return text
	}
	return strings.TrimSuffix(text, assistantSuffix) + m.PromptSuffix + assistantSuffix
}

// request makes the prompt of a conversation, of as many turns as have lengths.
func (m *maker) request(t talk, all lengths) Prompt {
	first := Prompt{Input: all[0][0], Output: all[0][1], Body: t.body}
	if len(all) == 1 && t.messages == nil {
		first.Text = m.suffixed(t.turns[0].text)
		return first
	}
	first.Messages = t.messages
	if m.Name != OpenAI {
		first.Messages = append(first.Messages, Message{"user", m.suffixed(t.turns[0].text)})
	}
	last := &first
	for i := 1; i < len(all); i++ {
		last.Next = &Prompt{Messages: []Message{{"user", m.suffixed(t.turns[i].text)}}, Input: all[i][0], Output: all[i][1]}
		last = last.Next
	}
	return first
}
