package report

import (
	"fmt"
	"strings"

	"servematrix/journal"
	"servematrix/result"
)

// trouble is one kind of failure or warning and the rows that it befell.
type trouble struct {
	failure *journal.Failure // of the first of them; nil when the samples are only doubtful
	reasons []result.Reason
	rows    []Row
}

// grouping collects rows by what befell them, in the order of the table: one broken server flag
// can fail a hundred cells.
type grouping struct {
	all   []*trouble
	known map[string]*trouble
}

func (g *grouping) add(row Row, failure *journal.Failure, reasons []result.Reason) {
	var key strings.Builder
	for _, r := range reasons {
		fmt.Fprintf(&key, "%q %q\n", r.Reason, r.Detail)
	}
	if failure != nil {
		fmt.Fprintf(&key, "%q %q %q", failure.Class, failure.Phase, failure.Message)
	}
	t := g.known[key.String()]
	if t == nil {
		t = &trouble{failure: failure, reasons: reasons}
		g.known[key.String()] = t
		g.all = append(g.all, t)
	}
	t.rows = append(t.rows, row)
}

// troubles groups the rows without a valid result by what went wrong. What was not tried or cut
// short did not go wrong.
func troubles(rows []Row) []*trouble {
	g := grouping{known: map[string]*trouble{}}
	for _, row := range rows {
		switch {
		case row.Former, row.Status == result.StatusOK, row.Status == StatusMissing, row.Status == StatusInterrupted:
		default:
			g.add(row, row.Failure, row.Reasons)
		}
	}
	return g.all
}

// doubts groups the findings against valid results.
func doubts(rows []Row) []*trouble {
	g := grouping{known: map[string]*trouble{}}
	for _, row := range rows {
		if row.Former || row.Status != result.StatusOK {
			continue
		}
		for _, r := range row.Reasons {
			g.add(row, nil, []result.Reason{r})
		}
	}
	return g.all
}

// findings are a sample's validity reasons, each once with all its details; codes are what the
// journal says of them when the sample itself cannot be read.
func findings(s *result.Sample, codes []string) []result.Reason {
	var all []result.Reason
	if s.Validity != nil {
		all = s.Validity.Reasons
	} else {
		for _, code := range codes {
			all = append(all, result.Reason{Reason: code})
		}
	}
	var out []result.Reason
	at := map[string]int{}
	for _, r := range all {
		i, known := at[r.Reason]
		if !known {
			at[r.Reason] = len(out)
			out = append(out, r)
			continue
		}
		out[i].Detail += "; " + r.Detail
	}
	for i := range out {
		out[i].Detail = clip(out[i].Detail, lineMost)
	}
	return out
}

func (d *drawer) failures(rows []Row) {
	all := troubles(rows)
	if len(all) == 0 {
		return
	}
	d.printf("\n[%s]\n", d.words.failures)
	for i, t := range all {
		if i > 0 {
			d.printf("\n")
		}
		if t.failure != nil {
			d.printf("%s\n", d.because(*t.failure))
		}
		d.findings(t.reasons)
		for _, row := range t.rows {
			name := rowName(row)
			if row.Log != "" {
				name += "  " + visible(row.Log)
			}
			d.detail("%s: %s", d.words.statusOf(row.Status), name)
		}
		if t.failure != nil {
			d.explained(t.explained(d.explain))
		}
	}
}

// explained is all that is known of a failure, as of the first of the rows that it befell.
func (t *trouble) explained(x *Explainer) Failure {
	row := t.rows[0]
	return x.Explain(*t.failure, row.Cell, row.Block, row.Start)
}

func (d *drawer) explained(f Failure) {
	if f.Means != "" {
		d.detail("%s", f.Means)
	}
	if f.Place != "" {
		d.detail("%s", f.Place)
	}
	for _, l := range f.Lines {
		if l.Place != "" {
			d.printf("  | %s: %s\n", l.Place, l.Text)
		} else {
			d.tail([]string{l.Text})
		}
	}
	for _, line := range f.advice(d.words) {
		d.detail("%s", line)
	}
}

// advice says what to do about a failure, a line each.
func (f Failure) advice(words words) (lines []string) {
	if f.Hint != "" {
		lines = append(lines, fmt.Sprintf(words.helps, f.Hint, f.Source))
	}
	for _, c := range f.Commands {
		if c.Server {
			lines = append(lines, fmt.Sprintf(words.tryServer, c.Line))
		} else {
			lines = append(lines, fmt.Sprintf(words.tryClient, c.Line))
		}
	}
	if f.Logs != "" {
		lines = append(lines, fmt.Sprintf(words.logs, f.Logs))
	}
	return lines
}

func (d *drawer) findings(reasons []result.Reason) {
	for _, r := range reasons {
		line := visible(r.Reason)
		if r.Detail != "" {
			line += ": " + visible(r.Detail)
		}
		d.printf("%s\n", line)
	}
}

// warningList gives the run's warnings and what is doubtful about valid results.
func (d *drawer) warningList(rows []Row) {
	doubtful := doubts(rows)
	if len(d.warnings)+len(doubtful) == 0 {
		return
	}
	d.printf("\n[%s]\n", d.words.warnings)
	for _, w := range d.warnings {
		d.printf("%s\n", w.written("%s (×%d)"))
	}
	for _, t := range doubtful {
		d.findings(t.reasons)
		for _, row := range t.rows {
			d.detail("%s", rowName(row))
		}
	}
}

// written puts the number of times behind the words when there was more than one.
func (t tallied) written(form string) string {
	if t.times > 1 {
		return fmt.Sprintf(form, visible(t.message), t.times)
	}
	return visible(t.message)
}

// rowName names a row's cell, block and attempt, with its folder where it has one.
func rowName(row Row) string {
	if row.Source != nil {
		return fmt.Sprintf("%s × %s  %s", visible(row.Server), visible(row.Client), visible(sourceOf(row.Source)))
	}
	name := fmt.Sprintf("%s × %s  b%d", visible(row.Server), visible(row.Client), row.Block)
	if row.Attempt > 0 {
		name += fmt.Sprintf("-a%d  %s", row.Attempt, visible(journal.AttemptName(row.Cell, row.Block, row.Attempt)))
	}
	return name
}
