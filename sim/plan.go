package sim

import "slices"

// pass is what one forward pass computes.
type pass struct {
	decode        []*request
	prefill       []*request
	chunks        []int // prompt tokens of each of prefill in this pass
	prefillTokens int
	started       int // requests admitted for this pass
	cached        int // of their prompt tokens, found in the cache
}

// plan admits what can be admitted and gives the next pass, nil when there is nothing to do.
func (e *engine) plan() *pass {
	e.dropAborted()
	if e.stalled {
		return nil
	}
	p := &pass{}
	budget := e.budget
	if budget <= 0 {
		budget = int(^uint(0) >> 1)
	}
	for _, r := range e.running {
		if r.decoding() {
			p.decode = append(p.decode, r)
		}
	}
	retracted := e.stats.retracted
	if e.mixed {
		e.makeRoom(p)
		budget -= len(p.decode)
	}
	add := func(r *request) {
		chunk := min(r.remaining(), budget)
		budget -= chunk
		p.prefill, p.chunks, p.prefillTokens = append(p.prefill, r), append(p.chunks, chunk), p.prefillTokens+chunk
	}
	for _, r := range e.running {
		if !r.decoding() && budget > 0 {
			add(r)
		}
	}
	for len(e.waiting) > 0 && budget > 0 && len(e.running) < e.slots && e.stats.retracted == retracted {
		r := e.waiting[0]
		if !e.kv.admit(r, e.reserveFor(r)) {
			break
		}
		e.waiting = e.waiting[1:]
		e.running = append(e.running, r)
		if r.generated == 0 {
			r.cached = r.shared
			e.stats.cacheQueries += uint64(r.prompt)
			e.stats.cacheHits += uint64(r.shared)
		}
		p.started++
		p.cached += r.shared
		add(r)
	}
	switch {
	case e.mixed:
	case len(p.prefill) > 0:
		p.decode = nil
	default:
		e.makeRoom(p)
	}
	if len(p.decode)+len(p.prefill) == 0 {
		return nil
	}
	return p
}

// reserveFor is what admission of r keeps free for tokens still to come. A lone request is
// admitted without a reserve: submit made sure that it fits.
func (e *engine) reserveFor(r *request) int {
	if len(e.running) == 0 {
		return 0
	}
	ahead := r.maxTokens - r.generated
	for _, other := range e.running {
		ahead += other.maxTokens - other.generated
	}
	return int(e.reserve * float64(ahead))
}

// makeRoom gives each decoding sequence of p the slot of its next token, retracting the youngest
// running requests while memory does not suffice.
func (e *engine) makeRoom(p *pass) {
	for len(p.decode) > 0 && !e.kv.take(len(p.decode)) {
		victim := e.running[len(e.running)-1]
		e.running = e.running[:len(e.running)-1]
		e.kv.release(victim)
		e.waiting = slices.Insert(e.waiting, 0, victim)
		e.stats.retracted++
		p.decode = remove(p.decode, victim)
	}
	for _, r := range p.decode {
		r.private++
	}
}
