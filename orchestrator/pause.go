package orchestrator

import (
	"context"
	"time"
)

// askEvery is how often a cooldown looks whether somebody asked for the end.
const askEvery = time.Second

// pause ends the session where somebody asked for it, and keeps the cooldown
// since the last server left nothing behind.
func (r *runner) pause(ctx context.Context) error {
	until := r.freed.Add(time.Duration(r.Plan.Run.Cooldown))
	for {
		if ctx.Err() != nil { // whoever interrupts a run that was asked to end later means now
			return context.Cause(ctx)
		}
		if r.stopAsked() {
			return ErrStopAsked
		}
		wait := time.Until(until)
		if r.freed.IsZero() || wait <= 0 {
			return nil
		}
		select {
		case <-ctx.Done():
		case <-time.After(min(wait, askEvery)):
		}
	}
}
