package process

import (
	"context"
	"errors"
	"slices"
	"time"
)

// deathPoll is the pace where processes can only be looked at. A variable for
// the tests only.
var deathPoll = time.Second

// FirstDeath waits until one of the processes has ended, a zombie counting as
// ended, and says which; of several at once, the one that stands first. The
// error is ctx's when that ended before.
//
// The kernel wakes it: 64 processes cost 65 descriptors and one goroutine, but
// no thread, and while they live no work at all. Where there are no pidfds (a
// kernel before 5.3, a sandbox, no descriptor left) it looks into /proc once a
// second instead, one small read for each process.
func FirstDeath(ctx context.Context, ids []Identity) (Identity, error) {
	if len(ids) == 0 {
		return Identity{}, errors.New("no process to wait for")
	}
	bell, err := newDeathBell(ids)
	if err == nil {
		defer bell.close()
	}
	return firstDeath(ctx, ids, bell)
}

func firstDeath(ctx context.Context, ids []Identity, bell *deathBell) (Identity, error) {
	for {
		// Looked at after the pidfds were opened: whoever ended before, or has
		// left its pid to another process, is known by its identity.
		if i := slices.IndexFunc(ids, func(id Identity) bool { return !id.Alive() }); i >= 0 {
			return ids[i], nil
		}
		if bell == nil || bell.wait(ctx) != nil {
			select {
			case <-time.After(deathPoll):
			case <-ctx.Done():
			}
		}
		if ctx.Err() != nil {
			return Identity{}, context.Cause(ctx)
		}
	}
}
