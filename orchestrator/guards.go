package orchestrator

import (
	"context"
	"sync"

	"servematrix/process"
)

// guards keeps guards that were started ahead of their use, so that no re-exec
// stands between a ready server and its client, or between two launches. Each
// is asked for by prepare when there is time, and fetched by take when there is none.
type guards struct {
	mu    sync.Mutex
	ready []chan prepared
}

type prepared struct {
	guard *process.Guard
	err   error
}

// prepare starts one guard beside whatever happens now.
func (g *guards) prepare() {
	ch := make(chan prepared, 1)
	g.mu.Lock()
	g.ready = append(g.ready, ch)
	g.mu.Unlock()
	go func() {
		guard, err := process.Prepare(context.Background())
		ch <- prepared{guard, err}
	}()
}

// take gives a prepared guard, or starts one: also where the prepared one has
// been killed meanwhile.
func (g *guards) take() (*process.Guard, error) {
	for {
		g.mu.Lock()
		if len(g.ready) == 0 {
			g.mu.Unlock()
			return process.Prepare(context.Background())
		}
		ch := g.ready[0]
		g.ready = g.ready[1:]
		g.mu.Unlock()
		if p := <-ch; p.err != nil || p.guard.Waits() {
			return p.guard, p.err
		}
	}
}

// have tells how many are prepared or on their way.
func (g *guards) have() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return len(g.ready)
}

// close ends the guards that nobody took.
func (g *guards) close() {
	g.mu.Lock()
	left := g.ready
	g.ready = nil
	g.mu.Unlock()
	for _, ch := range left {
		if p := <-ch; p.err == nil {
			p.guard.Discard()
		}
	}
}
