package report

import (
	"testing"
	"time"

	"servematrix/journal"
)

// TestSpanOfARunWhoseClockWasSet: within a session the monotonic clock counts,
// between two the wall clock, which cannot make a run shorter.
func TestSpanOfARunWhoseClockWasSet(t *testing.T) {
	day := time.Date(2026, 11, 21, 22, 0, 0, 0, time.UTC)
	for name, tc := range map[string]struct {
		set  time.Duration // in the midst of the first session
		off  time.Duration // by the clock, from the first session's end to the second's begin
		want time.Duration
	}{
		"never":                      {0, 30 * time.Minute, 2*time.Hour + 30*time.Minute},
		"back":                       {-5 * time.Hour, 30 * time.Minute, 2*time.Hour + 30*time.Minute},
		"forth":                      {5 * time.Hour, 30 * time.Minute, 2*time.Hour + 30*time.Minute},
		"back while no session runs": {0, -3 * time.Hour, 2 * time.Hour},
	} {
		var tl tally
		tell := func(at time.Time, mono time.Duration, what journal.Type) {
			tl.pass(journal.Event{Time: at, Mono: mono.Seconds(), Type: what})
		}
		tell(day, 0, journal.RunStarted)
		tell(day.Add(20*time.Minute), 20*time.Minute, journal.SampleEnded)
		end := day.Add(time.Hour + tc.set)
		tell(end, time.Hour, journal.RunInterrupted)
		again := end.Add(tc.off)
		tell(again, 0, journal.RunResumed)
		tell(again.Add(time.Hour), time.Hour, journal.RunEnded)
		if tl.took.Round(time.Millisecond) != tc.want {
			t.Errorf("%s: %v, want %v", name, tl.took, tc.want)
		}
	}
}
