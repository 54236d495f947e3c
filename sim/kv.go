package sim

// kvPool keeps the books of KV memory, in tokens: what running requests hold for themselves and
// what the prefix cache holds, shared. Pages are not rounded up for private tokens; only the
// cache counts in whole pages.
type kvPool struct {
	capacity int
	held     int         // private tokens of running requests
	cache    *radixCache // nil when the prefix cache is off
}

func (p *kvPool) free() int {
	if p.cache == nil {
		return p.capacity - p.held
	}
	return p.capacity - p.held - p.cache.tokens
}

// available is what free would be after evicting all that can be evicted.
func (p *kvPool) available() int {
	if p.cache == nil {
		return p.free()
	}
	return p.free() + p.cache.evictable()
}

// take makes n tokens private to somebody, evicting from the cache where it must.
func (p *kvPool) take(n int) bool {
	if n > p.available() {
		return false
	}
	if lack := n - p.free(); lack > 0 {
		p.cache.evict(lack)
	}
	p.held += n
	return true
}

// used is the share of the pool that cannot be evicted, 0 to 1: the engines' "token usage".
func (p *kvPool) used() float64 {
	return 1 - float64(p.available())/float64(p.capacity)
}

// admit gives r its KV slots: the cached prefix is locked and shared, the rest is its own.
// At least the last token is always computed, since its logits are needed. reserve tokens must
// stay available besides. It reports false, and changes nothing, where memory does not suffice.
func (p *kvPool) admit(r *request, reserve int) bool {
	shared := 0
	var node *radixNode
	if p.cache != nil {
		node, shared = p.cache.match(r.tokens[:len(r.tokens)-1])
		p.cache.lock(node)
	}
	need := len(r.tokens) - shared
	if need+reserve > p.available() || !p.take(need) {
		if node != nil {
			p.cache.unlock(node)
		}
		return false
	}
	r.node, r.shared, r.private, r.computed = node, shared, need, shared
	return true
}

// share puts what r has computed into the cache, for others and for after its end. Tokens that
// the cache already has by now (another request computed the same) become free.
func (p *kvPool) share(r *request) {
	if p.cache == nil {
		return
	}
	node, length, _ := p.cache.insert(r.tokens[:r.computed])
	p.cache.lock(node)
	p.cache.unlock(r.node)
	moved := length - r.shared
	r.node, r.shared = node, length
	r.private -= moved
	p.held -= moved
}

// release gives back what r holds. What it shared stays in the cache, evictable.
func (p *kvPool) release(r *request) {
	p.held -= r.private
	if r.node != nil {
		p.cache.unlock(r.node)
	}
	r.node, r.shared, r.private, r.computed = nil, 0, 0, 0
}

// flush empties the cache. Callers make sure that nobody runs.
func (p *kvPool) flush() {
	if p.cache != nil {
		p.cache = newRadixCache(p.cache.page)
	}
}
