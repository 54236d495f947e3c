package sim

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"
)

// engine is the simulated scheduler: one loop that plans a forward pass, lets real time go by
// for as long as the cost model says, and hands out the tokens. It sleeps while there is no
// work. Policy, as in the engines:
//   - first come, first served; a request is admitted when a running slot and KV memory are free
//     for its prompt and for a reserve of what it and the running ones may still generate;
//   - sglang: while prompts wait, passes are prefill passes, and decoding stands still meanwhile;
//     vllm: one pass holds all decoding sequences and fills its budget with prompt tokens;
//   - a prompt longer than the budget of a pass is prefilled in chunks;
//   - when memory runs out in decoding, the youngest request is retracted: it gives its memory
//     back, goes to the head of the queue and is prefilled again, generated tokens included.
type engine struct {
	cost    *cost
	mixed   bool    // vllm: prefill and decode share a pass
	slots   int     // most running requests
	budget  int     // prompt tokens per pass; 0: no limit
	reserve float64 // share of the tokens still to generate that admission keeps free

	sleep  func(context.Context, time.Time) bool // until then; false when the context ended first
	onPass func(passReport)                      // called after each pass by the loop

	mu      sync.Mutex
	kv      kvPool
	waiting []*request
	running []*request // in the order of admission
	stalled bool
	stats   counters
	news    chan struct{}
}

var (
	errTooLong = errors.New("the prompt and the tokens asked for exceed what the KV cache can hold")
	errBusy    = errors.New("requests are running or waiting")
)

// submit queues r. The caller reads r.stream and calls abort when it gives up.
func (e *engine) submit(r *request) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if r.prompt+r.maxTokens > e.kv.capacity {
		return errTooLong
	}
	r.arrived = time.Now()
	e.waiting = append(e.waiting, r)
	e.wake()
	return nil
}

// abort forgets r; its memory is free from the next pass on.
func (e *engine) abort(r *request) {
	e.mu.Lock()
	defer e.mu.Unlock()
	r.aborted = true
	e.wake()
}

// load gives the numbers of running and waiting requests.
func (e *engine) load() (running, waiting int) {
	e.mu.Lock()
	defer e.mu.Unlock()
	return len(e.running), len(e.waiting)
}

// flush empties the prefix cache; it refuses with errBusy while there is work.
func (e *engine) flush() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if len(e.running)+len(e.waiting) > 0 {
		return errBusy
	}
	e.kv.flush()
	return nil
}

// stall stops all progress for good, while the HTTP side lives on.
func (e *engine) stall() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.stalled = true
}

func (e *engine) wake() {
	select {
	case e.news <- struct{}{}:
	default:
	}
}

// maxLag is how far real time may run ahead of the planned end of passes before the loop stops
// catching up. Below it a late wake-up shortens the next sleep, so that rates stay exact though
// single tokens jitter; above it the host is too slow and the pass counts as late.
const maxLag = 50 * time.Millisecond

// run is the loop. It ends with the context.
func (e *engine) run(ctx context.Context) {
	planned := time.Now() // when the last pass should have ended
	for {
		e.mu.Lock()
		p := e.plan()
		e.mu.Unlock()
		if p == nil {
			select {
			case <-ctx.Done():
				return
			case <-e.news:
			}
			planned = time.Now()
			continue
		}
		if now := time.Now(); now.Sub(planned) > maxLag {
			e.mu.Lock()
			e.stats.latePasses++
			e.mu.Unlock()
			planned = now
		}
		duration := e.cost.pass(len(p.decode), p.prefillTokens)
		planned = planned.Add(duration)
		if !e.sleep(ctx, planned) {
			return
		}
		e.mu.Lock()
		report := e.commit(p, duration)
		e.mu.Unlock()
		if e.onPass != nil {
			e.onPass(report)
		}
	}
}

// commit books what pass p has computed and hands out its tokens.
func (e *engine) commit(p *pass, took time.Duration) passReport {
	now := time.Now()
	for i, r := range p.prefill {
		r.computed += p.chunks[i]
		if r.remaining() == 0 {
			e.kv.share(r)
			e.emit(r, now)
		}
	}
	for _, r := range p.decode {
		r.computed++
		e.emit(r, now)
	}
	e.running = slices.DeleteFunc(e.running, func(r *request) bool { return r.generated >= r.length })
	e.stats.promptTokens += uint64(p.prefillTokens)
	e.stats.busy += took
	return passReport{
		took: took, decoded: len(p.decode), started: p.started, prefilled: p.prefillTokens, cached: p.cached,
		running: len(e.running), waiting: len(e.waiting), usage: e.kv.used(), tokens: e.kv.capacity - e.kv.available(),
	}
}

// emit generates r's next token, and ends r when it was the last.
func (e *engine) emit(r *request, now time.Time) {
	r.state = mix(r.state, int32(r.generated))
	token := int32(r.state >> 33 % uint64(vocabulary))
	r.tokens = append(r.tokens, token)
	r.generated++
	e.stats.generatedTokens++
	if r.generated == 1 {
		r.first = now
		e.stats.ttft.observe(now.Sub(r.arrived))
	} else {
		e.stats.itl.observe(now.Sub(r.last))
	}
	r.last = now
	done := r.generated >= r.length
	if done {
		e.kv.share(r)
		e.kv.release(r)
		e.stats.finish(r, now)
	}
	r.stream.push(token, r.cached, done)
}

// dropAborted forgets requests whose clients have gone.
func (e *engine) dropAborted() {
	gone := func(r *request) bool {
		if r.aborted {
			e.kv.release(r)
			e.stats.aborted++
		}
		return r.aborted
	}
	e.running = slices.DeleteFunc(e.running, gone)
	e.waiting = slices.DeleteFunc(e.waiting, gone)
}

// passReport tells the log what a pass did.
type passReport struct {
	took             time.Duration
	decoded          int // sequences that decoded one token
	started          int // requests that began
	prefilled        int // prompt tokens computed
	cached           int // prompt tokens that the cache saved
	running, waiting int
	usage            float64 // share of KV memory in use
	tokens           int     // tokens of KV memory in use
}
