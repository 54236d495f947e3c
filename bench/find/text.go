package find

import (
	"fmt"
	"io"
	"strings"
	"time"
)

// WritePlan tells, before anything is sent, what is searched for and what that takes.
func (o Options) WritePlan(w io.Writer) {
	most, plain := o.Cost()
	what, each := "request rate", fmt.Sprintf("Each probe sends for %v, and %d requests at least.", o.Probe, o.MinRequests)
	if o.whole() {
		what = "concurrency"
	}
	if o.Requests > 0 {
		each = fmt.Sprintf("Each probe sends %d requests.", o.Requests)
	}
	write(w, "Search: the largest %s with %s\n", what, o.SLO)
	write(w, "From %s to %s %s, as close as %s%%. %s\n", number(o.From), number(o.To), o.Unit(), short(o.Precision*100), each)
	write(w, "At most %v; where nothing has to be repeated, at most %v.\n", most, plain)
}

// Table writes probes as they end, a line each.
type Table struct {
	w     io.Writer
	opt   Options
	slo   SLO
	lines int
}

// NewTable makes the table of a search.
func NewTable(w io.Writer, o Options) *Table {
	slo, _ := ParseSLO(o.SLO) // checked
	return &Table{w: w, opt: o, slo: slo}
}

// Add writes the line of a probe, behind the head where it is the first.
func (t *Table) Add(p Probe) {
	head := []string{"PROBE", "RATE", "SENT", "REQUESTS"}
	row := []string{fmt.Sprint(p.Number), number(p.Level), fmt.Sprintf("%.4g", p.Sent), fmt.Sprint(p.Requests)}
	if t.opt.whole() {
		head[1], head[2] = "CONC", "REQ/S"
		row[2] = short(p.Metrics.Value("request_throughput"))
	}
	if p.Nothing != "" {
		row[2] = "-"
	}
	for _, o := range t.slo {
		head, row = append(head, o.String()), append(row, o.shown(p.Metrics))
	}
	if t.lines == 0 {
		t.line(head, head, "VERDICT")
	}
	t.lines++
	t.line(head, row, p.verdict())
}

// line writes cells to the right of columns that are as wide as their heads, or eight signs.
func (t *Table) line(head, cells []string, last string) {
	var b strings.Builder
	for i, cell := range cells {
		fmt.Fprintf(&b, "%*s  ", max(len(head[i]), 5), cell)
	}
	write(t.w, "%s%s\n", b.String(), last)
}

// verdict is what a probe said, in a few words.
func (p Probe) verdict() string {
	said := "met"
	if !p.Met {
		said = "not met: " + p.why()
	}
	if p.Confirm {
		return "long, " + said
	}
	return said
}

// Write tells what was found.
func (r *Result) Write(w io.Writer) {
	write(w, "\n%s\n", r.Sentence())
	for _, note := range r.Notes {
		write(w, "Note: %s\n", note)
	}
}

// Sentence is the result in one line.
func (r *Result) Sentence() string {
	quantity, probes := r.Options.Quantity, fmt.Sprintf("(%d probes)", len(r.Probes))
	switch {
	case r.Outcome == None || r.Best == nil && len(r.Probes) > 0:
		lowest := r.lowest()
		return fmt.Sprintf("Found: nothing. Not even %s meets %s: %s %s", quantity(lowest.Level), r.SLO, lowest.why(), probes)
	case r.Best == nil:
		return "Found: nothing, no probe has ended"
	case r.Outcome == AtLeast:
		return fmt.Sprintf("Found: at least %s %s", quantity(r.Level()), probes)
	case r.Outcome == Interrupted:
		return fmt.Sprintf("Found so far: %s, not confirmed; the search was cut short %s", quantity(r.Level()), probes)
	}
	return fmt.Sprintf("Found: %s; %s fails %s", quantity(r.Level()), number(r.Above), probes)
}

// lowest is the last probe of the smallest level.
func (r *Result) lowest() (lowest Probe) {
	for i, p := range r.Probes {
		if i == 0 || p.Level <= lowest.Level {
			lowest = p
		}
	}
	return lowest
}

// write prints; where nobody reads, the JSON line still counts.
func write(w io.Writer, format string, args ...any) { _, _ = fmt.Fprintf(w, format, args...) }

// seconds is a duration for JSON.
func seconds(d time.Duration) float64 { return d.Seconds() }
