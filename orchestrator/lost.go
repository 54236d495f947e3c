package orchestrator

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"

	"servematrix/journal"
)

// FindLost looks beside the session for samples that the journal calls ok but
// whose sample.json is gone or is not what was written: a disk can lose a file that a
// journal survived. all are the units to look at, but for those in units, a part of all in
// the same order: they are measured anyway. The channel gives what was found, once, in that order.
func FindLost(ctx context.Context, folder journal.Folder, state *State, all, units []Unit) <-chan []Unit {
	out := make(chan []Unit, 1)
	type sample struct {
		unit    Unit
		attempt int
		digest  string
		lost    bool
	}
	var samples []sample // a copy: the session goes on changing the state
	for _, u := range all {
		if len(units) > 0 && u == units[0] {
			units = units[1:]
		} else if o := state.Outcomes[u]; o != nil && o.Status == StatusOK {
			samples = append(samples, sample{unit: u, attempt: o.Attempts, digest: o.SHA256})
		}
	}
	go func() {
		var workers sync.WaitGroup
		n := runtime.GOMAXPROCS(0)
		for part := range slices.Chunk(samples, max(1, (len(samples)+n-1)/n)) {
			workers.Go(func() {
				for i := range part {
					if ctx.Err() != nil {
						return
					}
					u := part[i].unit
					data, err := os.ReadFile(folder.Path(journal.AttemptName(u.Cell, u.Block, part[i].attempt), journal.SampleFile))
					part[i].lost = err != nil || journal.Digest(data) != part[i].digest
				}
			})
		}
		workers.Wait()
		var lost []Unit
		for _, s := range samples {
			if s.lost {
				lost = append(lost, s.unit)
			}
		}
		out <- lost
	}()
	return out
}

// namedMost is how many lost samples the warning names.
const namedMost = 5

// lost waits for the units that FindLost found, says so, and makes them missing.
func (r *runner) lost(ctx context.Context) ([]Unit, error) {
	if r.Lost == nil {
		return nil, nil
	}
	var units []Unit
	select {
	case units = <-r.Lost:
		r.Lost = nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	if len(units) == 0 {
		return nil, nil
	}
	var names []string
	for _, u := range units[:min(len(units), namedMost)] {
		names = append(names, fmt.Sprintf("%s block %d", u.Cell, u.Block))
	}
	if more := len(units) - len(names); more > 0 {
		names = append(names, fmt.Sprintf("%d more", more))
	}
	r.warn(fmt.Sprintf("samples were lost or changed since they were measured (the file is not the one that the journal vouches for); they are measured again: %s",
		strings.Join(names, ", ")))
	r.reopen(units)
	return units, nil
}

// reopen makes units missing: what they were before counts no more.
func (r *runner) reopen(units []Unit) {
	for _, u := range units {
		if o := r.state.Outcomes[u]; o != nil {
			o.Status, o.Final = StatusMissing, false
			if r.Afresh {
				o.Tried = 0
			}
		}
	}
}
