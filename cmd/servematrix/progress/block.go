package progress

import (
	"fmt"
	"strings"
	"time"

	"github.com/mattn/go-runewidth"

	"servematrix/journal"
	"servematrix/orchestrator"
)

// block draws what stands under the history: at most five lines.
func (v *View) block(now time.Time) []string {
	t := v.track
	if t.state.Sessions == 0 || t.state.Ended != nil {
		return nil
	}
	width := 80
	if v.opt.Width != nil {
		if w := v.opt.Width(); w > 0 {
			width = w
		}
	}
	left := fmt.Sprintf(" %s  %d/%d  %s", v.name(), t.done(), t.total, tally(t.counts))
	right := "elapsed " + running(v.moment(now))
	lines := []string{
		strings.Repeat("─", min(width-1, 64)),
		left + strings.Repeat(" ", max(2, min(width-1, 64)-runewidth.StringWidth(left)-runewidth.StringWidth(right))) + right,
	}
	if doing := v.doing(now); doing != "" {
		lines = append(lines, " "+doing)
	}
	if facts := v.facts(now); facts != "" {
		lines = append(lines, " "+facts)
	}
	return append(lines, " "+v.eta(now))
}

// doing writes the unit in hand and its phases: "… ready✓74s ▶client 2m10s/~4m".
func (v *View) doing(now time.Time) string {
	t := v.track
	here := running(v.moment(now) - t.since)
	switch t.phase {
	case phaseStart:
		return v.launchName() + "   ▶start " + here + v.expect(&t.seen.start, t.serverID())
	case phaseClient, phaseWarmup:
		return fmt.Sprintf("%s   ready✓%s ▶%s %s%s", v.unitName(t.unit, t.attempt), short(t.readyIn), t.phase, here, v.expect(&t.seen.client, t.cells[t.unit.Cell].Client))
	case phaseReady:
		return v.launchName() + "   ready✓" + short(t.readyIn)
	case phaseStop:
		return v.launchName() + "   ▶stop " + here
	}
	return ""
}

func (t *tracker) serverID() string {
	if l := t.state.Last(); l != nil {
		return l.Launch.Server
	}
	return ""
}

// expect writes "/~4m" where the same phase was seen before.
func (v *View) expect(g *group, id string) string {
	s, ok := g.of(id)
	if !ok {
		return ""
	}
	return "/~" + running(seconds(s.mid))
}

// facts writes what the files say: the client's own progress and the age of the server's log.
func (v *View) facts(now time.Time) string {
	var out []string
	if c := v.watch.client(now, v.clientErr()); c != "" {
		out = append(out, "client "+c)
	}
	if l := v.track.state.Last(); l != nil && v.track.phase != phaseNone && len(l.Launch.Logs) > 0 {
		if age, ok := v.watch.age(now, v.logPaths(l)); ok {
			out = append(out, "server log "+age+" ago")
		}
	}
	return strings.Join(out, "   ")
}

func (v *View) logPaths(l *orchestrator.LaunchState) []string {
	out := make([]string, len(l.Launch.Logs))
	for i, p := range l.Launch.Logs {
		out[i] = v.opt.Folder.Path(p)
	}
	return out
}

// clientErr is the file in which the client in hand shows its progress, "" for none.
func (v *View) clientErr() string {
	t := v.track
	if t.phase != phaseClient && t.phase != phaseWarmup {
		return ""
	}
	return v.opt.Folder.Path(t.state.Of(t.unit).Folder, journal.ClientErr)
}

// eta writes "ETA 9h–11h30m → Fri 07:20–09:50 UTC", "?" before there is data.
func (v *View) eta(now time.Time) string {
	low, high, ok := v.track.remaining(v.moment(now))
	if !ok {
		return "ETA ?"
	}
	span := about(low)
	if s := about(high); s != span {
		span += "–" + s
	}
	from, to := now.Add(low).In(v.zone), now.Add(high).In(v.zone)
	today := now.In(v.zone).Format(time.DateOnly)
	clock := func(at time.Time, day string) string {
		if at.Format(time.DateOnly) != day {
			return at.Format("Mon 15:04")
		}
		return at.Format("15:04")
	}
	at := clock(from, today)
	if s := clock(to, from.Format(time.DateOnly)); s != from.Format("15:04") {
		at += "–" + s
	}
	eta := "ETA " + span + " → " + at + " " + from.Format("MST")
	if s := v.track.state.Session; s.Until != nil { // what follows is not known yet
		eta += fmt.Sprintf(" for block %d", s.Blocks)
	}
	return eta
}

// about writes a duration as coarse as an estimate is.
func about(d time.Duration) string {
	switch {
	case d < time.Minute:
		return fmt.Sprintf("%.0fs", d.Seconds())
	case d < time.Hour:
		return fmt.Sprintf("%.0fm", d.Minutes())
	}
	d = d.Round(10 * time.Minute)
	if m := int(d.Minutes()) % 60; m > 0 {
		return fmt.Sprintf("%dh%02d", int(d.Hours()), m)
	}
	return fmt.Sprintf("%dh", int(d.Hours()))
}
