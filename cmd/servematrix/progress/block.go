package progress

import (
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/mattn/go-runewidth"

	"servematrix/journal"
)

// tallest is how many lines the block has at most, widest how far its rule goes.
const (
	tallest = 7
	widest  = 80
)

// size is what the terminal has now, or what people expect of one.
func (v *View) size() (width, height int) {
	if v.opt.Size != nil {
		width, height = v.opt.Size()
	}
	if width <= 0 {
		width = 80
	}
	if height <= 0 {
		height = 24
	}
	return width, height
}

// block draws what stands under the history: a rule, the run, what it does, what the
// files say, and when it will be done. No line is wider than the terminal.
func (v *View) block(now time.Time) []string {
	if v.track.state.Sessions == 0 || v.track.state.Ended != nil {
		return nil
	}
	width, height := v.size()
	lines := v.drawing(now, width-1)
	if len(lines) > height-1 { // the cursor stands below
		lines = lines[len(lines)-max(height-1, 0):]
	}
	return lines
}

func (v *View) drawing(now time.Time, width int) []string {
	inner := width - 1 // a space stands before each line
	lines := []string{v.head(now, min(inner, widest-1))}
	doing := v.doing(now)
	if whole := strings.Join(doing, "   "); len(doing) > 0 && columns(whole) <= inner {
		doing = []string{whole}
	} else if len(doing) > 1 {
		doing = []string{cut(doing[0], inner), pick(inner, v.chains(now)...)}
	}
	facts := flow(inner, v.facts(now))
	lines = append(lines, doing...)
	lines = append(lines, facts[:min(len(facts), tallest-2-len(lines))]...)
	lines = append(lines, pick(inner, v.eta(now)...))
	for i, l := range lines {
		lines[i] = " " + cut(l, inner)
	}
	return append([]string{strings.Repeat("─", min(width, widest)/runewidth.RuneWidth('─'))}, lines...)
}

// head writes the run, its counts, and since when it goes on, as far as there is room.
func (v *View) head(now time.Time, width int) string {
	t := v.track
	counts := fmt.Sprintf("%d/%d  %s", t.done(), t.total, tally(t.counts))
	elapsed := "elapsed " + running(v.moment(now))
	began := "since " + v.clock(t.state.Since, now)
	for _, right := range []string{began + "   " + elapsed, elapsed, ""} {
		if room := width - columns(right) - len("  "); columns(v.name()+"  "+counts) <= room {
			left := v.name() + "  " + counts
			return strings.TrimRight(left+strings.Repeat(" ", width-columns(left)-columns(right))+right, " ")
		}
	}
	if room := width - len("  ") - columns(counts); room >= 8 { // else too little of it is left to know it by
		return cut(v.name(), room) + "  " + counts
	}
	return cut(counts, width)
}

// clock writes a time of day, with the weekday where it is not today, and the zone.
func (v *View) clock(at, now time.Time) string {
	at, now = at.In(v.zone), now.In(v.zone)
	if at.Format(time.DateOnly) != now.Format(time.DateOnly) {
		return at.Format("Mon 15:04 MST")
	}
	return at.Format("15:04 MST")
}

// doing names what is in hand and its phases; empty between two launches.
func (v *View) doing(now time.Time) []string {
	switch v.track.phase {
	case phaseNone:
		return nil
	case phaseWarmup, phaseBench:
		return []string{v.unitName(v.track.unit, v.track.attempt), v.chains(now)[0]}
	}
	return []string{v.launchName(), v.chains(now)[0]}
}

// chains writes the phases of the launch in hand, "start✓0.1s ready✓74s ▶bench 2m10s/~4m":
// whole, and without its older ones.
func (v *View) chains(now time.Time) (longestFirst []string) {
	t := v.track
	var links []string
	for _, s := range t.steps {
		links = append(links, string(s.phase)+"✓"+short(s.took))
	}
	if t.phase != phaseIdle {
		links = append(links, "▶"+string(t.phase)+" "+running(v.moment(now)-t.since)+v.expected())
	}
	for from := range links {
		longestFirst = append(longestFirst, strings.Join(links[from:], " "))
	}
	if len(links) == 0 {
		return []string{""}
	}
	return longestFirst
}

// expected writes "/~4m" where a phase such as the one in hand was seen before.
func (v *View) expected() string {
	t := v.track
	var s span
	ok := false
	switch t.phase {
	case phaseReady:
		s, ok = t.seen.start.of(t.serverID())
	case phaseBench:
		s, ok = t.seen.client.of(t.cells[t.unit.Cell].Client)
	case phaseWarmup:
		s, ok = t.seen.warmup.of(t.cells[t.unit.Cell].Client)
	case phaseStop:
		s, ok = t.seen.stop.of(t.serverID())
	}
	if !ok {
		return ""
	}
	return "/~" + roughly(seconds(s.mid))
}

func (t *tracker) serverID() string {
	if l := t.state.Last(); l != nil {
		return l.Launch.Server
	}
	return ""
}

// facts are what the files say: the client's own progress, its server's devices, and
// the age of the server's log.
func (v *View) facts(now time.Time) (out []string) {
	t := v.track
	l := t.state.Last()
	if l == nil || t.phase == phaseNone {
		return nil
	}
	if folder := v.clientFolder(); folder != "" {
		if c := v.client.look(now, folder, v.shows(t.cells[t.unit.Cell].Client)); c != "" {
			out = append(out, "client "+c)
		}
		if d := v.devices.look(now, filepath.Join(folder, journal.TelemetryFile)); d != "" {
			out = append(out, d)
		}
	}
	if len(l.Launch.Logs) > 0 && v.over == "" {
		paths := make([]string, len(l.Launch.Logs))
		for i, p := range l.Launch.Logs {
			paths[i] = v.opt.Folder.Path(p)
		}
		if age, ok := v.log.age(now, paths); ok {
			out = append(out, "server log "+age+" ago")
		}
	}
	return out
}
