package bench

import (
	"context"
	"fmt"
	"sync"
	"time"

	"servematrix/bench/dataset"
	"servematrix/bench/wire"
)

// warmUp sends the warm-up requests, all at once as sglang.bench_serving does, but no more than
// MaxConcurrency. It is an error when all of them failed; when some did, note is told.
func (o Options) warmUp(ctx context.Context, client *wire.Client, set *dataset.Set, note func(string)) error {
	var wait sync.WaitGroup
	var mu sync.Mutex
	var failed []*wire.Failure
	slots := make(chan struct{}, max(1, o.warmupsAtOnce()))
	for p := range set.Warmup(o.WarmupRequests) {
		slots <- struct{}{}
		wait.Go(func() {
			defer func() { <-slots }()
			if r := client.Send(ctx, p, time.Now()); r.Failed != nil {
				mu.Lock()
				defer mu.Unlock()
				failed = append(failed, r.Failed)
			}
		})
	}
	wait.Wait()
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case len(failed) == 0:
		return nil
	case len(failed) == o.WarmupRequests:
		return fmt.Errorf("every warm-up request failed (%s): %s", failed[0].Class, failed[0].Message)
	}
	note(fmt.Sprintf("%d of %d warm-up requests failed (%s): %s", len(failed), o.WarmupRequests, failed[0].Class, failed[0].Message))
	return nil
}

// warmupsAtOnce is how many warm-up requests are in flight at once.
func (o Options) warmupsAtOnce() int {
	if o.Load.MaxConcurrency > 0 {
		return min(o.WarmupRequests, o.Load.MaxConcurrency)
	}
	return o.WarmupRequests
}
