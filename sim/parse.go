package sim

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
)

// generation is what the three generating endpoints have in common after parsing.
type generation struct {
	prompts                [][]int32
	maxTokens, minTokens   int // maxTokens 0: what the context allows
	ignoreEOS              bool
	stream, usage, perStep bool // perStep: usage in each chunk (continuous_usage_stats)
}

// openAIBody holds the fields of /v1/completions and /v1/chat/completions that matter here;
// sampling parameters change nothing in a simulation and are accepted.
type openAIBody struct {
	Model               string          `json:"model"`
	Prompt              json.RawMessage `json:"prompt"`
	Messages            []message       `json:"messages"`
	MaxTokens           *int            `json:"max_tokens"`
	MaxCompletionTokens *int            `json:"max_completion_tokens"`
	MinTokens           int             `json:"min_tokens"`
	IgnoreEOS           bool            `json:"ignore_eos"`
	N                   *int            `json:"n"`
	Stream              bool            `json:"stream"`
	StreamOptions       struct {
		IncludeUsage         bool `json:"include_usage"`
		ContinuousUsageStats bool `json:"continuous_usage_stats"`
	} `json:"stream_options"`
}

type message struct {
	Role    string          `json:"role"`
	Content json.RawMessage `json:"content"`
}

// maxBody bounds a request's size: a megatoken prompt as ids fits.
const maxBody = 64 << 20

// requestError is a refusal: what to answer.
type requestError struct {
	status  int
	kind    string
	message string
}

func (e *requestError) Error() string { return e.message }

func badRequest(format string, args ...any) *requestError {
	return &requestError{http.StatusBadRequest, "BadRequestError", fmt.Sprintf(format, args...)}
}

func (s *server) parseOpenAI(w http.ResponseWriter, q *http.Request, chat bool) (generation, error) {
	var body openAIBody
	if err := json.NewDecoder(http.MaxBytesReader(w, q.Body, maxBody)).Decode(&body); err != nil {
		return generation{}, badRequest("the body is no valid JSON request: %v", err)
	}
	// SGLang serves one model under any name; vLLM insists on it.
	if s.opt.Style == VLLM && body.Model != "" && body.Model != s.opt.ServedModelName {
		return generation{}, &requestError{http.StatusNotFound, "NotFoundError", fmt.Sprintf("The model `%s` does not exist.", body.Model)}
	}
	if body.N != nil && *body.N != 1 {
		return generation{}, badRequest("n=%d: the simulated server gives one answer per prompt", *body.N)
	}
	g := generation{
		minTokens: body.MinTokens, ignoreEOS: body.IgnoreEOS, stream: body.Stream,
		usage: body.StreamOptions.IncludeUsage, perStep: body.StreamOptions.ContinuousUsageStats,
	}
	limit := body.MaxCompletionTokens
	if limit == nil {
		limit = body.MaxTokens
	}
	if limit != nil {
		if *limit < 1 {
			return g, badRequest("max_tokens must be at least 1, got %d", *limit)
		}
		g.maxTokens = *limit
	} else if !chat {
		g.maxTokens = 16 // OpenAI's default for completions
	}
	var err error
	if chat {
		g.prompts, err = chatPrompt(body.Messages)
	} else {
		g.prompts, err = completionPrompts(body.Prompt)
	}
	if err != nil {
		return g, err
	}
	return g, s.checkLengths(&g)
}

// checkLengths fills in the default length and refuses what the context cannot hold.
func (s *server) checkLengths(g *generation) error {
	limit := s.opt.ContextLength
	for _, p := range g.prompts {
		room := limit - len(p)
		if g.maxTokens == 0 {
			g.maxTokens = max(room, 1)
		}
		if room < g.maxTokens {
			return badRequest("This model's maximum context length is %d tokens. However, you requested %d tokens (%d in the prompt, %d in the completion).",
				limit, len(p)+g.maxTokens, len(p), g.maxTokens)
		}
	}
	return nil
}

// completionPrompts reads a prompt: a string, a list of strings, a list of token ids, or a list
// of lists of token ids.
func completionPrompts(raw json.RawMessage) ([][]int32, error) {
	var text string
	if json.Unmarshal(raw, &text) == nil && len(raw) > 0 && raw[0] == '"' {
		return nonEmpty([][]int32{tokenize(text)})
	}
	var ids []int32
	if json.Unmarshal(raw, &ids) == nil && len(ids) > 0 {
		return nonEmpty([][]int32{ids})
	}
	var texts []string
	if json.Unmarshal(raw, &texts) == nil && len(texts) > 0 {
		prompts := make([][]int32, len(texts))
		for i, t := range texts {
			prompts[i] = tokenize(t)
		}
		return nonEmpty(prompts)
	}
	var lists [][]int32
	if json.Unmarshal(raw, &lists) == nil && len(lists) > 0 {
		return nonEmpty(lists)
	}
	return nil, badRequest("prompt must be a string, a list of strings, a list of token ids or a list of such lists, and not empty")
}

func nonEmpty(prompts [][]int32) ([][]int32, error) {
	for _, p := range prompts {
		if len(p) == 0 {
			return nil, badRequest("prompt is empty")
		}
	}
	return prompts, nil
}

// chatPrompt renders messages by a chat template of the common kind and makes tokens of it.
func chatPrompt(messages []message) ([][]int32, error) {
	if len(messages) == 0 {
		return nil, badRequest("messages is empty")
	}
	var b strings.Builder
	for i, m := range messages {
		text, err := contentText(m.Content)
		if err != nil {
			return nil, badRequest("messages[%d].content: %v", i, err)
		}
		b.WriteString(" <|im_start|>" + m.Role + " " + text + " <|im_end|>")
	}
	b.WriteString(" <|im_start|>assistant")
	return [][]int32{tokenize(b.String())}, nil
}

// contentText gives the text of a message's content: a string, or a list of parts.
func contentText(raw json.RawMessage) (string, error) {
	var text string
	if len(raw) == 0 || json.Unmarshal(raw, &text) == nil {
		return text, nil
	}
	var parts []struct {
		Type string `json:"type"`
		Text string `json:"text"`
	}
	if err := json.Unmarshal(raw, &parts); err != nil {
		return "", errors.New("want a string or a list of parts")
	}
	for _, p := range parts {
		text += p.Text
	}
	return text, nil
}

// parseGenerate reads SGLang's native request.
func (s *server) parseGenerate(w http.ResponseWriter, q *http.Request) (generation, error) {
	var body struct {
		Text           json.RawMessage `json:"text"`
		InputIDs       json.RawMessage `json:"input_ids"`
		Stream         bool            `json:"stream"`
		SamplingParams struct {
			MaxNewTokens *int `json:"max_new_tokens"`
			MinNewTokens int  `json:"min_new_tokens"`
			IgnoreEOS    bool `json:"ignore_eos"`
		} `json:"sampling_params"`
	}
	if err := json.NewDecoder(http.MaxBytesReader(w, q.Body, maxBody)).Decode(&body); err != nil {
		return generation{}, badRequest("the body is no valid JSON request: %v", err)
	}
	input := body.InputIDs
	if len(input) == 0 || string(input) == "null" {
		input = body.Text
	}
	p := body.SamplingParams
	g := generation{minTokens: p.MinNewTokens, ignoreEOS: p.IgnoreEOS, stream: body.Stream, maxTokens: 128}
	if p.MaxNewTokens != nil {
		g.maxTokens = *p.MaxNewTokens
	}
	if g.maxTokens < 1 {
		return g, badRequest("max_new_tokens must be at least 1, got %d", g.maxTokens)
	}
	var err error
	if g.prompts, err = completionPrompts(input); err != nil {
		return g, badRequest("give text or input_ids: a string, token ids, or a list of either")
	}
	return g, s.checkLengths(&g)
}
