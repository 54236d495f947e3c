// Package load decides when each prompt is sent: as fast as a number of senders gets answers (a
// closed loop), or at points in time that do not ask what became of earlier ones (an open loop).
// It neither makes prompts nor knows how they are sent.
package load

import (
	"context"
	"math"
	"math/rand/v2"
	"sync"
	"time"

	"servematrix/bench/dataset"
)

// streamArrivals is the stream of randomness of arrivals; those of package dataset are others.
const streamArrivals = 4

// Run calls send for all prompts, from many goroutines, until all have returned. It sends no more
// when ctx ends. began is the beginning of the run.
//
// Without a rate this is a closed loop: MaxConcurrency senders take the next prompt when their
// last answer is complete. With a rate it is an open one: request i is sent at the i-th point of a
// Poisson process that begins with the run, whatever became of the ones before. Both combine: an
// arrival that finds MaxConcurrency requests in flight waits for its turn, and this waiting,
// which happens in the client, is no part of its latency, as in sglang.bench_serving.
func (o Options) Run(ctx context.Context, began time.Time, set *dataset.Set, send func(dataset.Prompt)) {
	var wait sync.WaitGroup
	queue := make(chan dataset.Prompt)
	if o.MaxConcurrency > 0 {
		for range min(o.MaxConcurrency, set.Count) {
			wait.Go(func() {
				for p := range queue {
					send(p)
				}
			})
		}
	}
	arrivals := arrivals{rate: o.RequestRate, rng: rand.New(rand.NewPCG(o.Seed, streamArrivals))}
	for p := range set.Prompts {
		if !arrivals.wait(ctx, began) {
			break
		}
		if o.MaxConcurrency == 0 {
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
