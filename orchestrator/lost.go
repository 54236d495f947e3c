package orchestrator

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
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
// journal survived. all are the units to look at, but for those in units, which are
// measured anyway. The channel gives what was found once, in the order of all.
func FindLost(ctx context.Context, folder journal.Folder, state *State, all, units []Unit) <-chan []Unit {
	out := make(chan []Unit, 1)
	measured := make(map[Unit]bool, len(units))
	for _, u := range units {
		measured[u] = true
	}
	type sample struct {
		unit         Unit
		path, digest string
		lost         bool
	}
	var samples []sample
	for _, u := range all {
		if o := state.Outcomes[u]; o != nil && o.Status == StatusOK && !measured[u] {
			samples = append(samples, sample{unit: u, path: folder.Path(journal.AttemptName(u.Cell, u.Block, o.Attempts), journal.SampleFile), digest: o.SHA256})
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
					data, err := os.ReadFile(part[i].path)
					sum := sha256.Sum256(data)
					part[i].lost = err != nil || hex.EncodeToString(sum[:]) != part[i].digest
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
