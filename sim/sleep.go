package sim

import (
	"context"
	"time"
)

// timerSlack is how late a Go timer may fire: the runtime waits for timers in whole milliseconds.
const timerSlack = 1200 * time.Microsecond

// sleepUntil sleeps to within some 60 µs of t: by a timer, which the context can cut short, as
// long as that is safe, and by the kernel's nanosleep for the rest.
func sleepUntil(ctx context.Context, t time.Time) bool {
	if d := time.Until(t) - timerSlack; d > 0 {
		timer := time.NewTimer(d)
		defer timer.Stop()
		select {
		case <-ctx.Done():
			return false
		case <-timer.C:
		}
	}
	for d := time.Until(t); d > 0; d = time.Until(t) {
		nanosleep(d)
	}
	return ctx.Err() == nil
}
