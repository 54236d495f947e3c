// Package load decides when each prompt is sent: as fast as a number of senders gets answers (a
// closed loop), or at points in time that do not ask what became of earlier ones (an open loop).
// It neither makes prompts nor knows how they are sent.
package load

import (
	"context"
	"sync"
	"time"

	"servematrix/bench/dataset"
)

// Run calls send for all prompts, from many goroutines, until all have returned. It sends no more
// when ctx ends. began is the beginning of the run; due is when the schedule wanted the prompt
// sent, since then, and 0 where there is no schedule.
//
// Without a schedule this is a closed loop: MaxConcurrency senders take the next prompt when their
// last answer is complete. With one it is an open loop: a prompt is sent when it is due, whatever
// became of the ones before. Both combine: a prompt that is due while MaxConcurrency requests are
// in flight waits for its turn. This waiting happens in the client: it is no part of the request's
// latency, as in both clients that this one follows, but of its lateness.
func (o Options) Run(ctx context.Context, began time.Time, set *dataset.Set, send func(p dataset.Prompt, due time.Duration)) {
	type duePrompt struct {
		dataset.Prompt
		due time.Duration
	}
	var wait sync.WaitGroup
	queue := make(chan duePrompt)
	if o.MaxConcurrency > 0 {
		for range min(o.MaxConcurrency, set.Count) {
			wait.Go(func() {
				for p := range queue {
					send(p.Prompt, p.due)
				}
			})
		}
	}
	schedule := o.schedule(set)
	for p := range set.Prompts {
		due := schedule(p)
		if !sleepUntil(ctx, began.Add(due)) {
			break
		}
		if o.MaxConcurrency == 0 {
			wait.Go(func() { send(p, due) })
			continue
		}
		select {
		case queue <- duePrompt{p, due}:
		case <-ctx.Done():
		}
	}
	close(queue)
	wait.Wait()
}

// sleepUntil waits for a point in time; at once if it has passed. It reports false when ctx ended.
func sleepUntil(ctx context.Context, at time.Time) bool {
	left := time.Until(at)
	if left <= 0 || ctx.Err() != nil {
		return ctx.Err() == nil
	}
	timer := time.NewTimer(left)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}
