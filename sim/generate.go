package sim

import (
	"net/http"
	"strconv"
)

// generate is SGLang's native endpoint; a stream repeats the whole text in every event.
func (s *server) generate(w http.ResponseWriter, q *http.Request) {
	s.handle(w, func() (generation, error) { return s.parseGenerate(w, q) }, func(a *answer, stream bool) {
		if stream {
			a.streamGenerate(w, q)
			return
		}
		a.wholeGenerate(w, q)
	})
}

func (a *answer) wholeGenerate(w http.ResponseWriter, q *http.Request) {
	results := make([]map[string]any, len(a.requests))
	for i, r := range a.requests {
		tokens, err := r.stream.collect(q.Context())
		if err != nil {
			panic(http.ErrAbortHandler)
		}
		a.made[i] = len(tokens)
		results[i] = a.generated(i, words(tokens), true)
	}
	if a.s.each("reset", a.n) {
		resetConnection(w)
		return
	}
	if len(results) == 1 {
		a.s.json(w, http.StatusOK, results[0])
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write([]byte(mustJSON(results))) // the client may have gone
}

// generated is the native answer for one prompt as far as it has come.
func (a *answer) generated(i int, text string, done bool) map[string]any {
	r := a.requests[i]
	completion := a.made[i]
	if a.s.each("wrong-usage", a.n) {
		completion /= 2
	}
	var reason any
	if done {
		reason = map[string]any{"type": r.finishReason(), "length": completion}
	}
	return map[string]any{
		"text": text, "simulated": true, "index": i,
		"meta_info": map[string]any{
			"id": strconv.FormatInt(a.n, 10), "prompt_tokens": r.prompt, "completion_tokens": completion,
			"cached_tokens": r.stream.cachedTokens(), "finish_reason": reason,
		},
	}
}

func (a *answer) streamGenerate(w http.ResponseWriter, q *http.Request) {
	out := newEvents(w)
	for i := range a.requests {
		var text []byte
		var tokens []int32
		for done := false; !done; {
			var spoilt bool
			if tokens, done, spoilt = a.step(w, q, out, i, tokens[:0]); spoilt {
				return
			}
			for _, t := range tokens {
				text = appendWord(text, t)
			}
			out.send([]byte("data: " + mustJSON(a.generated(i, string(text), done))))
		}
	}
	out.send([]byte("data: [DONE]"))
}
