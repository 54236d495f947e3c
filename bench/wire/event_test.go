package wire

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"testing"
)

// chunks are events as real servers send them.
var chunks = map[string]event{
	`{"id":"cmpl-1","object":"text_completion","created":1,"model":"m","choices":[{"index":0,"text":" a","logprobs":null,"finish_reason":null}]}`:                           {content: true, choice: true},
	`{"choices":[{"index":0,"text":"","finish_reason":"length","matched_stop":null}],"usage":null}`:                                                                         {choice: true, finished: true},
	`{"choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}]}`:                                                                              {choice: true},
	`{"choices":[{"index":0,"delta":{"content":"x\"}]"},"finish_reason":null}]}`:                                                                                            {content: true, choice: true},
	`{"choices":[{"index":0,"delta":{"content":null,"reasoning_content":"hm"}}]}`:                                                                                           {content: true, choice: true},
	`{"choices":[{"delta":{"tool_calls":[{"function":{"arguments":"{\"a\": 1}"}}]},"finish_reason":"tool_calls"}]}`:                                                         {choice: true, finished: true},
	`{"id":"1","choices":[],"usage":{"prompt_tokens":128,"total_tokens":192,"completion_tokens":64,"prompt_tokens_details":{"cached_tokens":7}}}`:                           {hasUsage: true, prompt: 128, completion: 64},
	`{"error":{"message":"EngineCore encountered an issue","type":"InternalServerError","param":null,"code":500}}`:                                                          {failed: true},
	`{"error":null,"choices":[{"text":"a"}]}`:                                                                                                                               {content: true, choice: true},
	`{"text":" a b","meta_info":{"id":"x","finish_reason":null,"prompt_tokens":11,"completion_tokens":2,"cached_tokens":0,"e2e_latency":0.5}}`:                              {content: true, choice: true, hasUsage: true, prompt: 11, completion: 2},
	"\n{ \"text\" : \"a\" , \"meta_info\" : { \"finish_reason\" : { \"type\" : \"length\" , \"length\" : 8 } , \"completion_tokens\" : 8.0 , \"prompt_tokens\":1e0 } }\r\n": {content: true, choice: true, finished: true, hasUsage: true, prompt: 1, completion: 8},
	`{"object":"error","message":"no","type":"BadRequestError","param":null,"code":400}`:                                                                                    {failed: true},
	`{"choices":[{"text":"","finish_reason":"abort"}]}`:                                                                                                                     {choice: true, finished: true, failed: true},
	`{"text":"a","meta_info":{"finish_reason":{"type":"abort","message":"gone","status_code":500}}}`:                                                                        {content: true, choice: true, hasUsage: true, finished: true, failed: true},
	`{"object":"chat.completion.chunk","choices":[{"delta":{"content":"","reasoning":"b"}}],"usage":null}`:                                                                  {content: true, choice: true},
	`{}`: {},
}

func TestParseEvent(t *testing.T) {
	for data, want := range chunks {
		got, ok := parseEvent([]byte(data))
		if got.text = nil; !ok || !reflect.DeepEqual(got, want) {
			t.Errorf("%s\ngot  %+v, %v\nwant %+v", data, got, ok, want)
		}
	}
	for _, bad := range []string{``, `null`, `[]`, `"a"`, `{`, `{"choices":[`, `{"choices":[{"text":"a`, `{"a":1,}`, `{"a" 1}`, `{"a":}`, `{"usage":{"prompt_tokens":`, `{"a":1]`} {
		if e, ok := parseEvent([]byte(bad)); ok {
			t.Errorf("%q passes as %+v", bad, e)
		}
	}
}

func TestParseEventMakesNoGarbage(t *testing.T) {
	for data := range chunks {
		b := []byte(data)
		if n := testing.AllocsPerRun(100, func() { parseEvent(b) }); n != 0 {
			t.Errorf("%v allocations for %s", n, data)
		}
	}
}

// FuzzParseEvent checks that whatever encoding/json takes for an object is read, with the same
// content as encoding/json reads where the keys have their usual types, and that nothing hangs
// or panics.
func FuzzParseEvent(f *testing.F) {
	for data := range chunks {
		f.Add([]byte(data))
	}
	f.Add([]byte(`{"choices":[{"text":"\\"}],"choices":[{"text":"\u0022"}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		got, ok := parseEvent(data)
		var object map[string]json.RawMessage
		if json.Unmarshal(data, &object) != nil || object == nil {
			return
		}
		if !ok {
			t.Fatalf("an object is refused: %q", data)
		}
		var want struct {
			Choices []struct {
				Text  string
				Delta struct{ Content string }
			}
		}
		// encoding/json also takes keys in other cases and merges keys that come twice; compare
		// only what is written once and as the servers write it.
		if json.Unmarshal(data, &want) != nil || bytes.Count(data, []byte(`"`)) > 40 || strings.ContainsAny(string(data), `\`) {
			return
		}
		for _, key := range []string{`"choices"`, `"text"`, `"delta"`, `"content"`, `"message"`, `"reasoning`} {
			if n := bytes.Count(bytes.ToLower(data), []byte(key)); n > 1 || n != bytes.Count(data, []byte(key)) || key[1] == 'm' && n > 0 || key[1] == 'r' && n > 0 {
				return
			}
		}
		content := false
		for _, c := range want.Choices {
			content = content || c.Text != "" || c.Delta.Content != ""
		}
		if content && !got.content {
			t.Fatalf("content of %q was not seen", data)
		}
	})
}
