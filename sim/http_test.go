package sim

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
)

func TestEndpointsAreLabelledAsSimulated(t *testing.T) {
	for style, paths := range map[string][]string{
		SGLang: {"/v1/models", "/server_info", "/get_server_info", "/model_info", "/get_model_info"},
		VLLM:   {"/v1/models", "/server_info", "/version"},
	} {
		s := ready(t, Options{Style: style})
		for _, path := range paths {
			response, answer := s.do("GET", path, "")
			var body map[string]any
			if err := json.Unmarshal(answer, &body); err != nil || body["simulated"] != true || response.StatusCode != 200 {
				t.Errorf("%s %s: %s %s (%v)", style, path, response.Status, answer, err)
			}
			if response.Header.Get(SimulatedHeader) != "true" {
				t.Errorf("%s %s lacks the header", style, path)
			}
		}
		if response, _ := s.do("GET", "/nothing", ""); response.StatusCode != 404 || response.Header.Get(SimulatedHeader) != "true" {
			t.Errorf("%s: an unknown path gives %s", style, response.Status)
		}
		if code := s.stop(); code != 0 {
			t.Errorf("%s: exit code %d at the end of the context", style, code)
		}
	}
}

func TestPromptForms(t *testing.T) {
	s := ready(t, Options{})
	for body, want := range map[string][2]float64{ // prompt and completion tokens
		`{"prompt":"one two three","max_tokens":4,"ignore_eos":true}`:                                          {3, 4},
		`{"prompt":[5,6,7,8],"max_tokens":3,"ignore_eos":true}`:                                                {4, 3},
		`{"prompt":["a","b c"],"max_tokens":2,"ignore_eos":true}`:                                              {3, 4},
		`{"prompt":[[1,2],[3,4,5]],"max_tokens":2,"ignore_eos":true}`:                                          {5, 4},
		`{"prompt":[9],"ignore_eos":true}`:                                                                     {1, 16},
		`{"prompt":[9],"max_tokens":50,"max_completion_tokens":2,"ignore_eos":true,"temperature":0,"seed":42}`: {1, 2},
	} {
		status, answer := s.post("/v1/completions", body)
		usage, _ := answer["usage"].(map[string]any)
		if status != 200 || usage["prompt_tokens"] != want[0] || usage["completion_tokens"] != want[1] || answer["simulated"] != true {
			t.Errorf("%s: %d %v", body, status, answer)
		}
	}
	for _, bad := range []string{`{"prompt":""}`, `{"prompt":[]}`, `{"prompt":[[]]}`, `{"prompt":5}`, `{}`, `{"prompt":["",""]}`, `{`,
		`{"prompt":"x","n":2}`, `{"prompt":"x","max_tokens":0}`, `{"prompt":"x","max_tokens":40000}`} {
		if status, answer := s.post("/v1/completions", bad); status != 400 || answer["message"] == "" {
			t.Errorf("%s: %d %v", bad, status, answer)
		}
	}
}

func TestChat(t *testing.T) {
	s := ready(t, Options{})
	status, answer := s.post("/v1/chat/completions", `{"model":"any","messages":[{"role":"system","content":"Be brief."},{"role":"user","content":[{"type":"text","text":"Hello"}]}],"max_tokens":3,"ignore_eos":true}`)
	choice := answer["choices"].([]any)[0].(map[string]any)
	message := choice["message"].(map[string]any)
	if status != 200 || choice["finish_reason"] != "length" || message["role"] != "assistant" || len(strings.Fields(message["content"].(string))) != 3 {
		t.Errorf("%d %v", status, answer)
	}
	if status, _ := s.post("/v1/chat/completions", `{"messages":[]}`); status != 400 {
		t.Errorf("no messages: %d", status)
	}
	if status, _ := s.post("/v1/chat/completions", `{"messages":[{"role":"user","content":5}]}`); status != 400 {
		t.Errorf("content that is no text: %d", status)
	}
}

func TestStreamSaysTheSameAsTheWholeAnswer(t *testing.T) {
	s := ready(t, Options{})
	for path, input := range map[string]string{"/v1/completions": `"prompt":[1,2,3]`, "/v1/chat/completions": `"messages":[{"role":"user","content":"hi"}]`} {
		_, whole := s.post(path, `{`+input+`,"max_tokens":20,"ignore_eos":true}`)
		events := s.events(path, `{`+input+`,"max_tokens":20,"ignore_eos":true,"stream":true,"stream_options":{"include_usage":true}}`)
		if n := len(events); n < 3 || events[n-1] != "[DONE]" {
			t.Fatalf("%s: %q", path, events)
		}
		var text strings.Builder
		var reason any
		var usage map[string]any
		for _, data := range events[:len(events)-1] {
			var chunk struct {
				Simulated bool
				Choices   []struct {
					Text         string
					Delta        struct{ Content string }
					FinishReason any `json:"finish_reason"`
				}
				Usage map[string]any
			}
			if err := json.Unmarshal([]byte(data), &chunk); err != nil || !chunk.Simulated {
				t.Fatalf("%s: %v in %s", path, err, data)
			}
			for _, c := range chunk.Choices {
				text.WriteString(c.Text + c.Delta.Content)
				if c.FinishReason != nil {
					reason = c.FinishReason
				}
			}
			usage = chunk.Usage
		}
		choice := whole["choices"].([]any)[0].(map[string]any)
		want, _ := choice["text"].(string)
		if message, ok := choice["message"].(map[string]any); ok {
			want = message["content"].(string)
		}
		if text.String() != want || reason != "length" || usage["completion_tokens"] != 20.0 {
			t.Errorf("%s: streamed %q (%v, %v), whole %q", path, text.String(), reason, usage, want)
		}
	}
}

func TestGenerate(t *testing.T) {
	s := ready(t, Options{})
	status, answer := s.post("/generate", `{"input_ids":[1,2,3],"sampling_params":{"max_new_tokens":4,"ignore_eos":true}}`)
	meta := answer["meta_info"].(map[string]any)
	if status != 200 || meta["prompt_tokens"] != 3.0 || meta["completion_tokens"] != 4.0 || answer["simulated"] != true {
		t.Errorf("%d %v", status, answer)
	}
	events := s.events("/generate", `{"text":"one two","stream":true,"sampling_params":{"max_new_tokens":4,"ignore_eos":true}}`)
	var last struct {
		Text string
		Meta struct {
			Completion int `json:"completion_tokens"`
			Reason     struct{ Type string }
		} `json:"meta_info"`
	}
	if err := json.Unmarshal([]byte(events[len(events)-2]), &last); err != nil || len(strings.Fields(last.Text)) != 4 || last.Meta.Completion != 4 {
		t.Errorf("last event %s: %v", events[len(events)-2], err)
	}
	if _, several := s.do("POST", "/generate", `{"text":["a","b"],"sampling_params":{"max_new_tokens":1}}`); !bytes.HasPrefix(several, []byte("[{")) {
		t.Errorf("two prompts give %s", several)
	}
	for _, bad := range []string{`{`, `{"text":""}`, `{"text":"a","sampling_params":{"max_new_tokens":0}}`} {
		if status, _ := s.post("/generate", bad); status != 400 {
			t.Errorf("%s: %d", bad, status)
		}
	}
}

func TestVLLMInsistsOnItsModel(t *testing.T) {
	s := ready(t, Options{Style: VLLM, Model: "/models/m", ServedModelName: "m"})
	if status, answer := s.post("/v1/completions", `{"model":"other","prompt":"x"}`); status != 404 || answer["error"].(map[string]any)["type"] != "NotFoundError" {
		t.Errorf("%d %v", status, answer)
	}
	if status, _ := s.post("/v1/completions", `{"model":"m","prompt":"x","max_tokens":1}`); status != 200 {
		t.Errorf("its own model: %d", status)
	}
}

func TestFlush(t *testing.T) {
	sglang, vllm := ready(t, Options{}), ready(t, Options{Style: VLLM})
	for _, method := range []string{"GET", "POST"} {
		if status := sglang.status(method, "/flush_cache"); status != 200 {
			t.Errorf("%s while idle: %d", method, status)
		}
	}
	if _, answer := vllm.post("/reset_prefix_cache", ""); answer["success"] != true {
		t.Errorf("vLLM while idle: %v", answer)
	}
	endA, endB := sglang.busy(), vllm.busy()
	if status := sglang.status("POST", "/flush_cache"); status != 400 {
		t.Errorf("while busy: %d", status)
	}
	if status, answer := vllm.post("/reset_prefix_cache", ""); status != 200 || answer["success"] != false {
		t.Errorf("vLLM while busy: %d %v", status, answer)
	}
	endA()
	endB()
	eventually(t, "flush after the client has gone", func() bool { return sglang.status("POST", "/flush_cache") == 200 })
}
