package sim

import (
	"context"
	"math"
	"slices"
	"sync"
	"time"
)

// request is one sequence on its way through the engine. The engine's loop alone touches its
// fields, but for stream, which the HTTP handler reads.
type request struct {
	prompt    int // tokens of the prompt
	maxTokens int // tokens to generate at most
	length    int // tokens this answer has: maxTokens, or fewer when the model ends it
	stream    *stream

	tokens    []int32 // prompt and what was generated so far
	computed  int     // tokens whose keys and values exist
	generated int
	cached    int // prompt tokens found in the prefix cache when it was admitted
	state     uint64

	node    *radixNode // end of the cached prefix that is locked for this request
	shared  int        // tokens of that prefix
	private int        // KV slots of its own

	arrived, first, last time.Time
	aborted              bool
}

// meanAnswer is the mean natural length of an answer, in tokens, where the client did not ask
// for ignore_eos: each token ends the answer with probability 1/meanAnswer.
const meanAnswer = 256

func newRequest(prompt []int32, maxTokens, minTokens int, ignoreEOS bool) *request {
	r := &request{prompt: len(prompt), maxTokens: maxTokens, length: maxTokens, tokens: prompt, stream: newStream()}
	for _, t := range prompt {
		r.state = mix(r.state, t)
	}
	if !ignoreEOS {
		// Inverse of the geometric distribution's function at a point that the prompt decides.
		u := (float64(mix(r.state, -1)>>11) + 1) / (1 << 53)
		natural := 1 + int(math.Log(u)/math.Log(1-1.0/meanAnswer))
		r.length = min(maxTokens, max(natural, minTokens, 1))
	}
	return r
}

// remaining is how many tokens it takes until the next one can be generated.
func (r *request) remaining() int { return len(r.tokens) - r.computed }

// decoding tells a sequence that generates from one that is in prefill.
func (r *request) decoding() bool { return r.generated > 0 && r.remaining() == 1 }

// finishReason is in OpenAI's terms.
func (r *request) finishReason() string {
	if r.length < r.maxTokens {
		return "stop"
	}
	return "length"
}

// stream carries generated tokens from the engine to a handler. The engine never waits for a
// slow reader: what has piled up is taken at once, and becomes one chunk, as in real servers.
type stream struct {
	mu      sync.Mutex
	tokens  []int32
	done    bool
	cached  int
	arrived chan struct{} // holds one element when there is news
}

func newStream() *stream { return &stream{arrived: make(chan struct{}, 1)} }

func (s *stream) push(token int32, cached int, done bool) {
	s.mu.Lock()
	s.tokens = append(s.tokens, token)
	s.cached, s.done = cached, done
	s.mu.Unlock()
	select {
	case s.arrived <- struct{}{}:
	default:
	}
}

// take waits for news and appends the tokens to buf. done says that they are the last; err is
// the context's.
func (s *stream) take(ctx context.Context, buf []int32) (tokens []int32, done bool, err error) {
	select {
	case <-ctx.Done():
		return buf, false, context.Cause(ctx)
	case <-s.arrived:
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	buf = append(buf, s.tokens...)
	s.tokens = s.tokens[:0]
	return buf, s.done, nil
}

// collect waits for the whole answer.
func (s *stream) collect(ctx context.Context) ([]int32, error) {
	var all []int32
	for {
		var done bool
		var err error
		all, done, err = s.take(ctx, all)
		if done || err != nil {
			return all, err
		}
	}
}

func (s *stream) cachedTokens() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.cached
}

// remove takes r out of list.
func remove(list []*request, r *request) []*request {
	return slices.DeleteFunc(list, func(other *request) bool { return other == r })
}
