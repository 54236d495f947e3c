package load

import (
	"context"
	"sync"

	"servematrix/bench/dataset"
)

// What is prepared ahead, at most: so many prompts, and of long ones so many bytes.
const (
	aheadPrompts = 1024
	aheadBytes   = 64 << 20
)

// Prepare gives a set whose prompts, in one walk, are made ahead of their sending by a goroutine of
// its own, so that making them (random tokens, a tokenizer, a file) delays none. It returns when as
// much is prepared as is kept, or ctx ends. stop ends that goroutine; set.Err is told after it.
func Prepare(ctx context.Context, set *dataset.Set) (prepared *dataset.Set, stop func()) {
	a := &ahead{}
	a.changed.L = &a.mu
	var maker sync.WaitGroup
	maker.Go(func() { a.fill(set) })
	unwatch := context.AfterFunc(ctx, a.stop)
	a.filled()
	own := *set
	own.Prompts = a.prompts
	return &own, func() {
		unwatch()
		a.stop()
		maker.Wait()
	}
}

// ahead are the prompts that are made and not yet sent.
type ahead struct {
	mu             sync.Mutex
	changed        sync.Cond
	queue          []dataset.Prompt
	bytes          int
	ended, stopped bool // no more are made, no more are wanted
}

// fill makes all prompts, as there is room for them.
func (a *ahead) fill(set *dataset.Set) {
	for p := range set.Prompts {
		if !a.put(p) {
			break
		}
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.ended = true
	a.changed.Broadcast()
}

func (a *ahead) full() bool { return len(a.queue) >= aheadPrompts || a.bytes >= aheadBytes }

// put waits for room. It reports false when no more are wanted.
func (a *ahead) put(p dataset.Prompt) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	for a.full() && !a.stopped {
		a.changed.Wait()
	}
	a.queue, a.bytes = append(a.queue, p), a.bytes+size(p)
	a.changed.Broadcast()
	return !a.stopped
}

// filled waits until there is no room, or nothing to come.
func (a *ahead) filled() {
	a.mu.Lock()
	defer a.mu.Unlock()
	for !a.full() && !a.ended && !a.stopped {
		a.changed.Wait()
	}
}

// take waits for the next prompt. It reports false after the last one, or when no more are wanted.
func (a *ahead) take() (p dataset.Prompt, ok bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for len(a.queue) == 0 && !a.ended && !a.stopped {
		a.changed.Wait()
	}
	if len(a.queue) == 0 || a.stopped {
		return p, false
	}
	p, a.queue[0] = a.queue[0], dataset.Prompt{} // what is sent is not kept
	a.queue, a.bytes = a.queue[1:], a.bytes-size(p)
	a.changed.Broadcast()
	return p, true
}

func (a *ahead) stop() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.stopped = true
	a.changed.Broadcast()
}

func (a *ahead) prompts(yield func(dataset.Prompt) bool) {
	for p, ok := a.take(); ok && yield(p); p, ok = a.take() {
	}
}

// size is how many bytes a prompt's contents take, with those that follow it.
func size(p dataset.Prompt) (n int) {
	for next := &p; next != nil; next = next.Next {
		n += 4*len(next.IDs) + len(next.Text)
		for _, message := range next.Messages {
			n += len(message.Content)
		}
	}
	return n
}
