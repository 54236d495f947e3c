package sim

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"
)

// answerShape is how one endpoint writes its answers.
type answerShape struct {
	id, object, chunkObject string
	chat                    bool
}

func (s *server) completions(w http.ResponseWriter, q *http.Request) {
	s.openAI(w, q, answerShape{id: "cmpl-", object: "text_completion", chunkObject: "text_completion"})
}

func (s *server) chat(w http.ResponseWriter, q *http.Request) {
	s.openAI(w, q, answerShape{id: "chatcmpl-", object: "chat.completion", chunkObject: "chat.completion.chunk", chat: true})
}

func (s *server) openAI(w http.ResponseWriter, q *http.Request, shape answerShape) {
	s.handle(w, func() (generation, error) { return s.parseOpenAI(w, q, shape.chat) }, func(a *answer, stream bool) {
		shape.id += strconv.FormatInt(a.n, 10)
		if stream {
			a.streamOpenAI(w, q, shape)
			return
		}
		a.wholeOpenAI(w, q, shape)
	})
}

// handle counts a request to generate, parses it, hands it to the engine and lets
// respond write what comes; whatever is in the way is answered here.
func (s *server) handle(w http.ResponseWriter, parse func() (generation, error), respond func(a *answer, stream bool)) {
	s.answering.Add(1)
	defer s.answering.Add(-1)
	n := s.countRequest()
	g, err := parse()
	if err != nil {
		s.refuse(w, err)
		return
	}
	if s.each("http-500", n) {
		s.failRequest(w, http.StatusInternalServerError, "InternalServerError", "the simulated server fails this request, as --fault http-500 asks")
		return
	}
	a, err := s.begin(g, n)
	if err != nil {
		s.refuse(w, err)
		return
	}
	defer a.abort()
	respond(a, g.stream)
}

// refuse answers a request that cannot be served.
func (s *server) refuse(w http.ResponseWriter, err error) {
	var r *requestError
	if !errors.As(err, &r) {
		r = badRequest("%v", err)
	}
	s.failRequest(w, r.status, r.kind, r.message)
}

// answer is one HTTP request's generations on their way.
type answer struct {
	s        *server
	g        generation
	n        int64 // number of the request, for faults that concern each N-th
	requests []*request
	made     []int // tokens that have come, per request
}

// begin submits all prompts of a request.
func (s *server) begin(g generation, n int64) (*answer, error) {
	a := &answer{s: s, g: g, n: n, made: make([]int, len(g.prompts))}
	for _, p := range g.prompts {
		r := newRequest(p, g.maxTokens, g.minTokens, g.ignoreEOS)
		if err := s.engine.submit(r); err != nil {
			a.abort()
			return nil, badRequest("%v", err)
		}
		a.requests = append(a.requests, r)
	}
	return a, nil
}

// abort frees what a client that has gone leaves unfinished.
func (a *answer) abort() {
	for i, r := range a.requests {
		if a.made[i] < r.length {
			a.s.engine.abort(r)
		}
	}
}

// usage is the answer's token count. cached_tokens is always reported; the real engines do so
// with --enable-cache-report (SGLang) or --enable-prompt-tokens-details (vLLM).
func (a *answer) usage() map[string]any {
	prompt, completion, cached := 0, 0, 0
	for i, r := range a.requests {
		prompt, completion, cached = prompt+r.prompt, completion+a.made[i], cached+r.stream.cachedTokens()
	}
	if a.s.each("wrong-usage", a.n) {
		completion /= 2
	}
	return map[string]any{
		"prompt_tokens": prompt, "completion_tokens": completion, "total_tokens": prompt + completion,
		"prompt_tokens_details": map[string]any{"cached_tokens": cached},
	}
}

// wholeOpenAI answers without streaming.
func (a *answer) wholeOpenAI(w http.ResponseWriter, q *http.Request, shape answerShape) {
	choices := make([]any, len(a.requests))
	for i, r := range a.requests {
		tokens, err := r.stream.collect(q.Context())
		if err != nil {
			panic(http.ErrAbortHandler) // the client has gone, or the server was told to drop its answers
		}
		a.made[i] = len(tokens)
		choice := map[string]any{"index": i, "logprobs": nil, "finish_reason": r.finishReason()}
		if shape.chat {
			choice["message"] = map[string]any{"role": "assistant", "content": words(tokens)}
		} else {
			choice["text"] = words(tokens)
		}
		choices[i] = choice
	}
	if a.s.each("reset", a.n) {
		resetConnection(w)
		return
	}
	a.s.json(w, http.StatusOK, map[string]any{
		"id": shape.id, "object": shape.object, "created": time.Now().Unix(), "model": a.s.opt.ServedModelName,
		"choices": choices, "usage": a.usage(),
	})
}

// streamOpenAI answers by server-sent events, prompt after prompt.
func (a *answer) streamOpenAI(w http.ResponseWriter, q *http.Request, shape answerShape) {
	out := newEvents(w)
	head := fmt.Sprintf(`data: {"id":%q,"object":%q,"created":%d,"model":%s,"simulated":true,"choices":[`,
		shape.id, shape.chunkObject, time.Now().Unix(), quote(a.s.opt.ServedModelName))
	text, closing := `,"text":"`, `"`
	if shape.chat {
		text, closing = `,"delta":{"content":"`, `"}`
	}
	var tokens []int32
	for i, r := range a.requests {
		if shape.chat {
			out.send([]byte(head + `{"index":` + strconv.Itoa(i) + `,"delta":{"role":"assistant","content":""},"logprobs":null,"finish_reason":null}]}`))
		}
		for done := false; !done; {
			var spoilt bool
			if tokens, done, spoilt = a.step(w, q, out, i, tokens[:0]); spoilt {
				return
			}
			b := append(out.buf[:0], head...)
			b = append(b, `{"index":`...)
			b = strconv.AppendInt(b, int64(i), 10)
			b = append(b, text...)
			for _, t := range tokens {
				b = appendWord(b, t)
			}
			b = append(b, closing...)
			b = append(b, `,"logprobs":null,"finish_reason":`...)
			if done {
				b = append(b, quote(r.finishReason())...)
			} else {
				b = append(b, `null`...)
			}
			b = append(b, `}]`...)
			if a.g.perStep {
				b = append(b, `,"usage":`...)
				b = append(b, mustJSON(a.usage())...)
			}
			out.send(append(b, '}'))
		}
	}
	if a.g.usage {
		out.send([]byte(head + `],"usage":` + mustJSON(a.usage()) + `}`))
	}
	out.send([]byte("data: [DONE]"))
}

// step waits for the next tokens of a request's stream, and lets a fault cut it short.
func (a *answer) step(w http.ResponseWriter, q *http.Request, out *events, i int, buf []int32) (tokens []int32, done, spoilt bool) {
	r := a.requests[i]
	tokens, done, err := r.stream.take(q.Context(), buf)
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	a.made[i] += len(tokens)
	return tokens, done, a.spoil(w, out, a.made[i], r.length)
}

// spoil plays the faults that cut an answer short once half of it has come.
func (a *answer) spoil(w http.ResponseWriter, out *events, made, length int) bool {
	if 2*made < length {
		return false
	}
	switch {
	case a.s.each("truncate", a.n):
	case a.s.each("reset", a.n):
		resetConnection(w)
	case a.s.each("error-chunk", a.n):
		out.send([]byte(`data: {"error":{"message":"EngineCore encountered an issue (simulated, as --fault error-chunk asks)","type":"InternalServerError","param":null,"code":500},"simulated":true}`))
		out.send([]byte("data: [DONE]"))
	default:
		return false
	}
	return true
}

// events writes server-sent events, each flushed at once.
type events struct {
	w   http.ResponseWriter
	rc  *http.ResponseController
	buf []byte
}

func newEvents(w http.ResponseWriter) *events {
	w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
	w.WriteHeader(http.StatusOK)
	return &events{w: w, rc: http.NewResponseController(w), buf: make([]byte, 0, 512)}
}

// send ends event's line, writes and flushes it. A client that has gone shows as the end of the
// request's context; no error need be looked at here.
func (e *events) send(event []byte) {
	e.buf = append(event, '\n', '\n')
	_, _ = e.w.Write(e.buf)
	_ = e.rc.Flush()
}

func quote(s string) string { return mustJSON(s) }

// mustJSON encodes values that cannot fail: strings and maps of numbers.
func mustJSON(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(b)
}
