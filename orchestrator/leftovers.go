package orchestrator

import (
	"context"
	"fmt"
	"time"

	"servematrix/journal"
	"servematrix/process"
)

const (
	// guardBound is how long a guard whose orchestrator died can take to clean
	// up: its shortened grace, the group's chance and the kill, and some air.
	guardBound = 10 * time.Second
	guardLook  = 20 * time.Millisecond
	// leftoverGrace is what a leftover of a former session gets before SIGKILL.
	leftoverGrace = 2 * time.Second
)

// sweepLeftovers ends what a crashed session left: it waits for guards that
// still clean up, then ends whatever of the journalled sessions or with this
// run's marker still lives.
func (r *runner) sweepLeftovers(ctx context.Context) error {
	var left []process.Survivor
	for _, l := range r.state.Launches {
		if l.Ended == nil {
			r.awaitGuard(ctx, r.Folder.LaunchDir(l.ID))
			left = append(left, sessionOf(l.Running)...)
		}
	}
	if len(r.Past) > 0 {
		marked, err := process.FindLeftovers(r.marker())
		if err != nil {
			r.warn("leftovers of the former session could not be looked for: " + err.Error())
		}
		left = append(left, marked...)
	}
	if len(left) == 0 {
		return nil
	}
	r.warn(fmt.Sprintf("%d processes of a former session still lived and were ended, the first was pid %d (%s)", len(left), left[0].PID, left[0].Cmdline))
	if still := process.EndLeftovers(ctx, left, leftoverGrace); len(still) > 0 {
		return &NotCleanError{fmt.Sprintf("%d processes of a former session cannot be ended, the first is pid %d (%s)", len(still), still[0].PID, still[0].Cmdline)}
	}
	return nil
}

// awaitGuard waits while the guard of an interrupted launch still cleans up.
func (r *runner) awaitGuard(ctx context.Context, dir string) {
	for deadline := time.Now().Add(guardBound); journal.GuardLives(dir) && time.Now().Before(deadline) && ctx.Err() == nil; {
		time.Sleep(guardLook)
	}
}

// sessionOf finds what lives of a journalled launch.
func sessionOf(p *journal.Running) []process.Survivor {
	if p == nil {
		return nil
	}
	found, err := process.FindSession(p.SID, process.Identity{PID: p.PID, StartTicks: p.Start, BootID: p.Boot})
	if err != nil {
		return nil // another boot: nothing of it can live
	}
	return found
}
