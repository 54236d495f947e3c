package bench

import (
	"context"
	"math"
	"math/rand/v2"
	"sync"
	"time"
)

// load sends all prompts and gives the records of those that ended before ctx did. done is
// called after each, from any goroutine.
//
// Without a rate this is a closed loop: MaxConcurrency senders take the next prompt when their
// last answer is complete. With a rate it is an open one: request i is sent at the i-th point of a
// Poisson process that begins with the run, whatever became of the ones before. Both combine: an
// arrival that finds MaxConcurrency requests in flight waits for its turn, and this waiting,
// which happens in the client, is no part of its latency, as in sglang.bench_serving.
func (c *client) load(ctx context.Context, prompts []prompt, done func(record)) []record {
	began := time.Now()
	var mu sync.Mutex
	records := make([]record, 0, len(prompts))
	send := func(p prompt) {
		r := c.send(ctx, p, began)
		if ctx.Err() != nil && r.failed != nil {
			return // cut short by us, which says nothing about the server
		}
		mu.Lock()
		records = append(records, r)
		mu.Unlock()
		done(r)
	}
	var wait sync.WaitGroup
	queue := make(chan prompt)
	if limit := c.opt.MaxConcurrency; limit > 0 {
		for range min(limit, len(prompts)) {
			wait.Go(func() {
				for p := range queue {
					send(p)
				}
			})
		}
	}
	arrivals := arrivals{rate: c.opt.RequestRate, rng: c.opt.random(streamArrivals)}
	for _, p := range prompts {
		if !arrivals.wait(ctx, began) {
			break
		}
		if c.opt.MaxConcurrency == 0 {
			wait.Go(func() { send(p) })
			continue
		}
		select {
		case queue <- p:
		case <-ctx.Done():
		}
	}
	close(queue)
	wait.Wait()
	return records
}

// arrivals gives the points in time at which requests are due. Points are absolute, so that
// a late wake-up does not delay those after it.
type arrivals struct {
	rate float64
	rng  *rand.Rand
	next time.Duration
}

// wait waits for the next arrival; the first is due at once. Gaps are exponential with mean 1/rate.
func (a *arrivals) wait(ctx context.Context, began time.Time) bool {
	if ctx.Err() != nil {
		return false
	}
	if math.IsInf(a.rate, 1) {
		return true
	}
	due := a.next
	a.next += time.Duration(a.rng.ExpFloat64() / a.rate * float64(time.Second))
	timer := time.NewTimer(due - time.Since(began))
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}
