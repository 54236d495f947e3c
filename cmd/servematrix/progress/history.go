package progress

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"servematrix/journal"
	"servematrix/orchestrator"
)

// indent is where the second line of an entry stands: under its text.
const indent = "               "

// colours of the words at a line's begin, by word.
var colours = map[string]string{
	"ok": "32", "FAIL": "1;31", "INVAL": "33", "skip": "33", "retry": "33", "warn": "33", "end": "1", "stop!": "33", "cut": "33",
}

// entry writes "22:11:02 word  text", the word padded and perhaps coloured.
func (v *View) entry(at time.Time, word, text string) string {
	padded := fmt.Sprintf("%-5s", word)
	if c := colours[word]; v.color && c != "" {
		padded = "\x1b[" + c + "m" + padded + "\x1b[0m"
	}
	return at.In(v.zone).Format("15:04:05") + " " + padded + " " + text
}

// history gives the lines that an event leaves in the scrolling part, in every mode.
func (v *View) history(e journal.Event) []string {
	t := v.track
	switch e.Type {
	case journal.RunResumed:
		next := "goes on"
		if len(v.opt.Units) == 0 && t.state.Session.Until == nil { // else a look decides whether a block follows
			next = "nothing is missing"
		}
		return []string{v.entry(e.Time, "again", fmt.Sprintf("%s: %d of %d done, %s", v.name(), t.done(), t.total, next))}
	case journal.SampleEnded:
		return v.sampleEnded(e)
	case journal.CellSkipped:
		return v.skipped(e)
	case journal.LaunchEnded:
		d, err := journal.Decode[journal.Gone](e)
		if err != nil || (d.Survivors == 0 && d.PortFree) {
			return nil
		}
		var wrong []string
		if d.Survivors > 0 {
			wrong = append(wrong, oneOf(d.Survivors, "process")+" left behind")
		}
		if !d.PortFree {
			wrong = append(wrong, "port still taken")
		}
		if d.Note != "" {
			wrong = append(wrong, Clean(d.Note))
		}
		return []string{v.entry(e.Time, "warn", fmt.Sprintf("stop of %s: %s", v.launchName(), strings.Join(wrong, "; ")))}
	case journal.CacheFlushed:
		d, err := journal.Decode[journal.Flushed](e)
		if err != nil || d.OK {
			return nil
		}
		return []string{v.entry(e.Time, "warn", fmt.Sprintf("cache flush %s failed: %d %s", d.Request, d.Status, Clean(d.Error+" "+d.Body)))}
	case journal.BlockEnded:
		return v.note(e, "block")
	case journal.Warning:
		return v.note(e, "warn")
	case journal.RunInterrupted:
		lines := v.note(e, "stop!")
		if l := t.state.Last(); l != nil && l.Ended == nil {
			lines = append(lines, indent+"ending in order: the client first, then the server; once more skips the grace")
		}
		return lines
	case journal.RunEnded:
		return v.runEnded(e)
	}
	return nil
}

func (v *View) note(e journal.Event, word string) []string {
	d, err := journal.Decode[journal.Note](e)
	if err != nil {
		return nil
	}
	return []string{v.entry(e.Time, word, Clean(d.Message))}
}

// name is what the run is called: its folder.
func (v *View) name() string { return visible(filepath.Base(string(v.opt.Folder))) }

func (v *View) launchName() string {
	if l := v.track.state.Last(); l != nil {
		return visible(l.Launch.Name)
	}
	return ""
}

// unitName writes "flashinfer × rand256x32 b1", with the attempt where it is not the first.
func (v *View) unitName(u orchestrator.Unit, attempt int) string {
	c := v.track.cells[u.Cell]
	s := fmt.Sprintf("%s × %s b%d", v.track.serverName(c.Server), v.track.clientName(c.Client), u.Block)
	if attempt > 1 {
		s += fmt.Sprintf(" a%d", attempt)
	}
	return s
}

// ordinal writes "  3/128": the settled units so far.
func (v *View) ordinal() string {
	total := fmt.Sprint(v.track.total)
	return fmt.Sprintf("%*d/%s", len(total), v.track.done(), total)
}

func (v *View) sampleEnded(e journal.Event) []string {
	d, err := journal.Decode[journal.Ended](e)
	if err != nil {
		return nil
	}
	t := v.track
	u := orchestrator.Unit{Cell: e.Cell, Block: e.Block}
	who := v.ordinal() + " " + v.unitName(u, e.Attempt)
	if l := t.state.Last(); l != nil && l.Launch.Simulated {
		who += " (simulated)"
	}
	if d.Status == orchestrator.StatusOK {
		return []string{v.entry(e.Time, "ok", strings.Join(append([]string{who, v.took()}, v.figures(u)...), "  "))}
	}
	word := "FAIL"
	switch {
	case d.Status == orchestrator.StatusInvalid:
		word = "INVAL"
	case !d.Final:
		word = "retry"
	}
	f := d.Failure
	if f != nil && f.Class == "interrupted" {
		word = "cut"
	}
	if f == nil {
		f = &journal.Failure{Message: strings.Join(d.Reasons, ", ")}
	}
	what := f.Class
	if what == "" {
		what = Clean(f.Message)
	}
	lines := []string{v.entry(e.Time, word, fmt.Sprintf("%s  %s after %s", who, what, short(v.track.at-v.unitBegin(u))+v.means(f, u)))}
	if detail := v.detail(f); detail != "" && detail != what {
		lines = append(lines, indent+detail)
	}
	return append(lines, v.explained(e, d)...)
}

// detail writes "launches/…/server.log:812 message".
func (v *View) detail(f *journal.Failure) string {
	s := Clean(f.Message)
	if f.File != "" {
		place := f.File
		if f.Line > 0 {
			place = fmt.Sprintf("%s:%d", place, f.Line)
		}
		s = strings.TrimSpace(place + " " + s)
	}
	return s
}

// unitBegin is when the work on a unit began: with its launch, where it is the
// launch's first, else with its sample.
func (v *View) unitBegin(u orchestrator.Unit) time.Duration {
	t := v.track
	if t.unit == u && t.unitBegan > t.launched && t.samples > 1 {
		return t.unitBegan
	}
	return t.launched
}

func (v *View) took() string {
	t := v.track
	s := short(t.at - v.unitBegin(t.unit))
	if t.samples <= 1 {
		s += " ready " + short(t.readyIn)
	}
	return s
}

// figures are the numbers that people look at first, and how a line shows them.
var figures = []struct {
	metric, form string
	number       func(float64) string
}{
	{"max_request_rate", "%s req/s within SLO", number},
	{"max_concurrency_found", "concurrency %s within SLO", func(v float64) string { return fmt.Sprintf("%.0f", v) }},
	{"output_throughput", "%s tok/s", number},
	{"p99_ttft_ms", "ttft.p99 %sms", number},
}

// figures reads from the sample those that it has.
func (v *View) figures(u orchestrator.Unit) []string {
	data, err := os.ReadFile(v.opt.Folder.Path(v.track.state.Of(u).Folder, journal.SampleFile))
	if err != nil {
		return nil
	}
	var sample struct {
		Metrics map[string]*float64 `json:"metrics"`
	}
	if json.Unmarshal(data, &sample) != nil {
		return nil
	}
	var out []string
	for _, f := range figures {
		if x := sample.Metrics[f.metric]; x != nil {
			out = append(out, fmt.Sprintf(f.form, f.number(*x)))
		}
	}
	return out
}

// skipped names the first of the cells in a row that one failure makes pointless, and counts the others.
func (v *View) skipped(e journal.Event) []string {
	d, err := journal.Decode[journal.Skip](e)
	if err != nil {
		return nil
	}
	v.skips.at = e.Time
	if slices.Contains(v.skips.causes, d.Cause) {
		v.skips.more++
		return nil
	}
	v.skips.causes = append(v.skips.causes, d.Cause)
	u := orchestrator.Unit{Cell: e.Cell, Block: e.Block}
	lines := []string{v.entry(e.Time, "skip", fmt.Sprintf("%s %s  not tried: %s at %s", v.ordinal(), v.unitName(u, 0), d.Failure.Class, d.Cause))}
	if why := (blame{d.Failure.Class, d.Failure.Phase, d.Failure.Message}); !v.blamed[why] && !v.skips.said[why] {
		v.skips.said[why] = true
		lines = append(lines, indent+v.detail(&d.Failure))
	}
	return lines
}

// skipsOver closes a row of skipped cells.
func (v *View) skipsOver() []string {
	more, reason := v.skips.more, "reason"
	if len(v.skips.causes) > 1 {
		reason = "reasons"
	}
	v.skips.causes, v.skips.more = v.skips.causes[:0], 0
	if more == 0 {
		return nil
	}
	return []string{v.entry(v.skips.at, "skip", fmt.Sprintf("%s and %s more for the same %s", v.ordinal(), oneOf(more, "cell"), reason))}
}

func (v *View) runEnded(e journal.Event) []string {
	d, err := journal.Decode[journal.Verdict](e)
	if err != nil {
		return nil
	}
	text := fmt.Sprintf("%s: %s in %s", v.name(), tally(map[string]int{
		orchestrator.StatusOK: d.OK, orchestrator.StatusInvalid: d.Invalid, orchestrator.StatusFailed: d.Failed,
		orchestrator.StatusSkipped: d.Skipped, orchestrator.StatusMissing: d.Missing,
	}), short(seconds(e.Mono)))
	return []string{v.entry(e.Time, "end", text)}
}

// tally writes "3 ok 1 failed", the statuses that there are; ok always.
func tally(n map[string]int) string {
	out := []string{fmt.Sprintf("%d ok", n[orchestrator.StatusOK])}
	for _, s := range []string{orchestrator.StatusInvalid, orchestrator.StatusFailed, orchestrator.StatusSkipped, orchestrator.StatusMissing} {
		if n[s] > 0 {
			out = append(out, fmt.Sprintf("%d %s", n[s], s))
		}
	}
	return strings.Join(out, " ")
}
