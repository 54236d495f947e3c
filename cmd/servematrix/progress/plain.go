package progress

import (
	"fmt"
	"strings"
	"time"

	"servematrix/journal"
	"servematrix/orchestrator"
)

// heartbeat is how long plain mode stays silent while a phase goes on.
const heartbeat = 60 * time.Second

// change gives plain mode's line for a new phase.
func (v *View) change(e journal.Event) []string {
	u := orchestrator.Unit{Cell: e.Cell, Block: e.Block}
	switch e.Type {
	case journal.RunStarted:
		text := v.name() + ": " + oneOf(v.track.total, "sample")
		if n := v.track.state.Session.Blocks; n > 1 {
			text += fmt.Sprintf(" in %d blocks", n)
		}
		if u := v.track.state.Session.Until; u != nil {
			text += fmt.Sprintf(", then block after block until all are known to ±%.2g%%, %d at most", 100*u.Precision, u.Most)
		}
		return []string{v.entry(e.Time, "run", text)}
	case journal.LaunchStarted:
		return []string{v.entry(e.Time, "start", v.launchName()+"  "+e.Launch)}
	case journal.LaunchReady:
		return []string{v.entry(e.Time, "ready", fmt.Sprintf("%s after %s", v.launchName(), short(v.track.readyIn)))}
	case journal.LaunchFailed:
		d, err := journal.Decode[journal.Failure](e)
		if err != nil {
			return nil
		}
		return []string{v.entry(e.Time, "down", fmt.Sprintf("%s: %s after %s", v.launchName(), d.Class, short(v.track.at-v.track.launched)))}
	case journal.ClientStarted:
		text := v.unitName(u, e.Attempt)
		if v.track.warmup {
			text += "  warm-up"
		}
		return []string{v.entry(e.Time, "bench", text)}
	case journal.LaunchEnded:
		d, err := journal.Decode[journal.Gone](e)
		if err != nil {
			return nil
		}
		how := ""
		if d.Killed {
			how = ", with SIGKILL"
		}
		return []string{v.entry(e.Time, "stop", fmt.Sprintf("%s in %s%s", v.launchName(), short(seconds(d.Seconds)), how))}
	}
	return nil
}

// beat is plain mode's sign of life.
func (v *View) beat(now time.Time) string {
	text := fmt.Sprintf("%s/%d  %s  %s", fmt.Sprint(v.track.done()), v.track.total, tally(v.track.counts), strings.Join(v.doing(now), "   "))
	for _, fact := range v.facts(now) {
		text += "  " + fact
	}
	return v.entry(now, "...", text+"  "+v.eta(now)[0])
}
