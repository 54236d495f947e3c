package wire

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"servematrix/bench/dataset"
)

// client makes a client of a server at base; change may change its options.
func client(t *testing.T, base string, change func(*Options)) *Client {
	t.Helper()
	opt := Options{Backend: "openai", BaseURL: base, Model: "m", Timeout: time.Minute}
	if change != nil {
		change(&opt)
	}
	opt, err := opt.Resolve()
	if err != nil {
		t.Fatal(err)
	}
	c := New(opt)
	t.Cleanup(c.Close)
	return c
}

// serves gives the address of a server that answers all requests with a body.
func serves(t *testing.T, body string) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		_, _ = io.WriteString(w, body)
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// events writes each text as an event.
func events(texts ...string) string {
	var b strings.Builder
	for _, text := range texts {
		fmt.Fprintf(&b, "data: %s\n\n", text)
	}
	return b.String()
}

// A chat's stream as vLLM sends it: role, text, text, finish reason without text, usage.
func TestCountEmpty(t *testing.T) {
	base := serves(t, events(`{"choices":[{"delta":{"role":"assistant","content":""}}]}`, `{"choices":[{"delta":{"content":"a"}}]}`, `{"choices":[{"delta":{"content":"b"}}]}`,
		`{"choices":[{"delta":{"content":""},"finish_reason":"length"}]}`, `{"choices":[],"usage":{"prompt_tokens":3,"completion_tokens":2}}`, "[DONE]"))
	for countEmpty, gaps := range map[bool]int{false: 1, true: 3} {
		c := client(t, base, func(o *Options) { o.Backend, o.CountEmpty = "openai-chat", countEmpty })
		r := c.Send(t.Context(), dataset.Prompt{IDs: []int32{1}, Output: 2}, time.Now())
		if r.Failed != nil || r.Chunks != 2 || r.Output != 2 || len(r.Gaps) != gaps || r.TTFT > r.E2E || r.E2E > r.End {
			t.Errorf("counting events without text %v: %+v", countEmpty, r)
		}
	}
}

func TestTokensOfChunks(t *testing.T) {
	for name, c := range map[string]struct {
		backend string
		stream  string
		output  int
		tokens  []int32
		gaps    int
	}{
		"usage along": {"openai", events(`{"choices":[{"text":"a"}],"usage":{"prompt_tokens":3,"completion_tokens":1}}`, `{"choices":[{"text":"b c"}],"usage":{"prompt_tokens":3,"completion_tokens":3}}`,
			`{"choices":[{"text":"","finish_reason":"stop"}],"usage":{"prompt_tokens":3,"completion_tokens":4}}`, "[DONE]"), 4, []int32{1, 2}, 1},
		"a role first, then text that holds a silent token": {"openai-chat", events(`{"choices":[{"delta":{"role":"assistant","content":""}}],"usage":{"prompt_tokens":3,"completion_tokens":0}}`,
			`{"choices":[{"delta":{"content":""}}],"usage":{"prompt_tokens":3,"completion_tokens":1}}`, `{"choices":[{"delta":{"content":"é"},"finish_reason":"stop"}],"usage":{"prompt_tokens":3,"completion_tokens":2}}`, "[DONE]"), 2, []int32{2}, 0},
		"usage at the end": {"openai", events(`{"choices":[{"text":"a"}],"usage":null}`, `{"choices":[{"text":"b","finish_reason":"stop"}]}`, `{"choices":[],"usage":{"prompt_tokens":3,"completion_tokens":2}}`, "[DONE]"), 2, nil, 1},
		"usage now and then": {"openai", events(`{"choices":[{"text":"a"}],"usage":null}`, `{"choices":[{"text":"b"}],"usage":{"prompt_tokens":3,"completion_tokens":2}}`,
			`{"choices":[{"text":"c","finish_reason":"stop"}],"usage":{"prompt_tokens":3,"completion_tokens":3}}`, "[DONE]"), 3, nil, 2},
		"usage that goes back": {"openai", events(`{"choices":[{"text":"a"}],"usage":{"prompt_tokens":3,"completion_tokens":2}}`, `{"choices":[{"text":"b"}],"usage":{"prompt_tokens":3,"completion_tokens":1}}`,
			`{"choices":[{"text":"","finish_reason":"stop"}],"usage":{"prompt_tokens":3,"completion_tokens":3}}`, "[DONE]"), 3, nil, 1},
		"/generate says all again": {"sglang", events(`{"text":"","meta_info":{"prompt_tokens":3,"completion_tokens":1,"finish_reason":null}}`, `{"text":"a","output_ids":[7],"meta_info":{"prompt_tokens":3,"completion_tokens":2,"finish_reason":null}}`,
			`{"text":"a b c","meta_info":{"prompt_tokens":3,"completion_tokens":4,"finish_reason":null}}`, `{"text":"a b c","meta_info":{"prompt_tokens":3,"completion_tokens":4,"finish_reason":null}}`,
			`{"text":"a b c d","meta_info":{"prompt_tokens":3,"completion_tokens":5,"finish_reason":{"type":"length","length":5}}}`, "[DONE]"), 5, []int32{2, 2, 1}, 2},
	} {
		r := client(t, serves(t, c.stream), func(o *Options) { o.Backend = c.backend }).Send(t.Context(), dataset.Prompt{IDs: []int32{1, 2, 3}, Input: 3, Output: c.output}, time.Now())
		if r.Failed != nil || r.Output != c.output || r.Input != 3 || len(r.Gaps) != c.gaps || r.Chunks != c.gaps+1 || !slices.Equal(r.Tokens, c.tokens) {
			t.Errorf("%s: %+v", name, r)
		}
	}
}

// TestAnswerIsKept for the next turn of a conversation, and only for that.
func TestAnswerIsKept(t *testing.T) {
	const emoji = "\U0001F600" // two escapes, which a server may part
	for name, c := range map[string]struct {
		backend, stream, want string
		whole                 bool
	}{
		"completions":                {"openai", events(`{"choices":[{"text":"a\n\"b\" \ud83d"}]}`, `{"choices":[{"text":"\ude00é","finish_reason":"stop"}]}`, "[DONE]"), "a\n\"b\" " + emoji + "é", false},
		"chat without its reasoning": {"openai-chat", events(`{"choices":[{"delta":{"reasoning_content":"hm"}}]}`, `{"choices":[{"delta":{"content":"x"}}]}`, `{"choices":[{"delta":{"content":"y"},"finish_reason":"stop"}]}`, "[DONE]"), "xy", false},
		"/generate":                  {"sglang", events(`{"text":"a","meta_info":{"completion_tokens":1}}`, `{"text":"a b","meta_info":{"completion_tokens":3,"finish_reason":{"type":"stop"}}}`, "[DONE]"), "a b", false},
		"whole":                      {"openai-chat", `{"choices":[{"message":{"role":"assistant","content":"all"},"finish_reason":"stop"}],"usage":{"prompt_tokens":1,"completion_tokens":3}}`, "all", true},
	} {
		s := client(t, serves(t, c.stream), func(o *Options) { o.Backend, o.DisableStream, o.DisableIgnoreEOS = c.backend, c.whole, true })
		r := s.Send(t.Context(), dataset.Prompt{Text: "q", Output: 3, Next: &dataset.Prompt{}}, time.Now())
		if r.Failed != nil || r.Answer != c.want {
			t.Errorf("%s: %q, %+v", name, r.Answer, r.Failed)
		}
		if r := s.Send(t.Context(), dataset.Prompt{Text: "q", Output: 3}, time.Now()); r.Failed != nil || r.Answer != "" {
			t.Errorf("%s: kept without need: %q, %+v", name, r.Answer, r.Failed)
		}
	}
}
