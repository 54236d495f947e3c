package report

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"servematrix/result"
)

// end writes what closes the report when the run has ended or crashed: the table of all cells, the
// failures, the warnings and where everything lies. A run that goes on has no end.
func (d *drawer) end() error {
	if d.verdict == nil && !d.crashed() || d.err != nil {
		d.missing()
		return d.err
	}
	rows := d.table()
	rule := strings.Repeat("=", bannerRule)
	d.printf("\n%s\n[%s] %s\n%s\n", rule, d.words.results, d.summary(rows), rule)
	if smoke := d.plan.Smoke; smoke != nil {
		d.printf("*** "+d.words.smoke+" ***\n", smoke.Requests)
	}
	if d.crashed() {
		d.printf("*** %s ***\n", d.crash(d.words))
	}
	d.missing()
	if simulated(rows) {
		d.printf("*** %s ***\n", d.words.simulatedNumbers)
	}
	d.printf("\n")
	several := severalBlocks(rows)
	if several {
		d.repeatTable(repeats(rows), d.words).draw(d)
	} else {
		d.rowTable(rows)
	}
	d.failures(rows)
	d.warningList(rows)
	d.serverSection()
	if several {
		each := d.words.eachStart
		if d.plan.Imported != nil {
			each = d.words.eachSample
		}
		d.printf("\n[%s]\n", each)
		d.rowTable(rows)
	}
	d.places(rows)
	return d.err
}

// missing says what the report lacks.
func (d *drawer) missing() {
	for _, gap := range d.lacks() {
		d.printf("*** %s ***\n", d.words.of(gap))
	}
}

func (d *drawer) rowTable(rows []Row) {
	if d.err == nil {
		d.err = table(d.out, rows, d.columnsOf(rows), d.words)
	}
}

// summary says in one line how the run went.
func (t *tally) summaryCounts(rows []Row, words words) string {
	n, former := count(rows)
	var parts []string
	for _, status := range []string{result.StatusOK, result.StatusInvalid, result.StatusFailed, result.StatusSkipped, StatusInterrupted, StatusMissing} {
		if n[status] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n[status], words.statusOf(status)))
		}
	}
	if former > 0 {
		parts = append(parts, fmt.Sprintf(words.formerCount, former))
	}
	return strings.Join(parts, ", ")
}

func (d *drawer) summary(rows []Row) string {
	return fmt.Sprintf("%s: %s", visible(d.plan.Name), d.summaryCounts(rows, d.words))
}

// table draws rows in columns with these metrics.
func table(w io.Writer, rows []Row, metrics []string, words words) error {
	lines := make([][]string, 0, len(rows))
	for _, row := range rows {
		line := rowLine(row, metrics, words)
		line[0], line[1], line[2] = visible(line[0]), visible(line[1]), visible(line[2])
		lines = append(lines, line)
	}
	return alignTable(w, rowColumns(words, metrics, imported(rows)), lines)
}

// rowColumns are the heads of a table of rows, and rowLine a row's fields.
func rowColumns(words words, metrics []string, imported bool) []column {
	place := []column{{words.block, true}, {words.attempt, true}}
	if imported {
		place = []column{{words.source, false}}
	}
	columns := append([]column{{words.server, false}, {words.client, false}}, append(place, column{words.state, false})...)
	for _, name := range metrics {
		columns = append(columns, column{words.head(name), true})
	}
	return append(columns, column{words.requests, true}, column{words.note, false})
}

func rowLine(row Row, metrics []string, words words) []string {
	place := []string{strconv.Itoa(row.Block), attempt(row)}
	if row.Source != nil {
		place = []string{sourceOf(row.Source)}
	}
	line := append([]string{row.Server, row.Client}, append(place, words.statusOf(row.Status))...)
	for _, name := range metrics {
		line = append(line, number(row, name))
	}
	return append(line, requests(row), note(row, words))
}

const unknown = "-"

func number(row Row, metric string) string {
	if v, ok := row.Metrics.Get(metric); ok {
		return strconv.FormatFloat(v, 'f', 2, 64)
	}
	return unknown
}

func attempt(row Row) string {
	if row.Attempt == 0 {
		return unknown
	}
	return strconv.Itoa(row.Attempt)
}

// requests gives those that were served and those that were asked for.
func requests(row Row) string {
	served, asked := whole(row, "completed"), whole(row, "num_prompts")
	if served == unknown && asked == unknown {
		return unknown
	}
	return served + "/" + asked
}

func whole(row Row, metric string) string {
	if v, ok := row.Metrics.Get(metric); ok {
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
	return unknown
}

// note says in a word what is to be known of a row: simulated, why it failed, what is wrong with
// it, and what befell the attempt before it.
func note(row Row, words words) string {
	var parts []string
	if row.Simulated {
		parts = append(parts, words.simulatedRow)
	}
	if row.Failure != nil && row.Status != StatusInterrupted {
		parts = append(parts, visible(row.Failure.Class))
	}
	for _, r := range row.Reasons {
		parts = append(parts, visible(r.Reason))
	}
	text := strings.Join(parts, " ")
	if row.Attempt > 1 && row.After != "" {
		if text != "" {
			text += ", "
		}
		text += fmt.Sprintf(words.after, visible(row.After))
	}
	if row.Former {
		if text != "" {
			text += ", "
		}
		text += words.former
	}
	return text
}

func simulated(rows []Row) bool {
	for _, row := range rows {
		if row.Simulated {
			return true
		}
	}
	return false
}

// places says when the run was and where its files lie, by names that hold wherever the run
// folder is.
func (d *drawer) places(rows []Row) {
	d.printf("\n[%s]\n", d.words.files)
	if d.plan.Imported != nil {
		for _, line := range d.words.importedLegend {
			d.printf("%s\n", line)
		}
		d.printf("\n%s\n", d.importedLine(d.words))
		d.mending()
		return
	}
	for _, line := range d.words.legend {
		d.printf("%s\n", line)
	}
	d.printf("\n"+d.words.span+"\n", stamp(d.began), stamp(d.last), d.took.Round(time.Second), d.words.sessions.of(d.sessions))
	if n, what := d.repeats(); n == 1 {
		d.printf(d.words.repeatedOne+"\n", what)
	} else if n > 1 {
		d.printf(d.words.repeated+"\n", n, what)
	}
	if d.crashed() {
		d.printf("\n%s\n", d.left(rows, d.words))
	}
	d.mending()
	if d.crashed() || d.first != nil {
		return
	}
	if d.verdict.Missing > 0 {
		d.printf("\n"+d.words.incomplete+"\n", d.verdict.Missing)
		return
	}
	d.printf("\n%s%s\n", d.words.AllDone, reportFile)
}

// mending says how to mend what is damaged.
func (d *drawer) mending() {
	for _, line := range d.mend() {
		d.printf("\n%s\n", d.words.of(line))
	}
}

// repeats counts the attempts that were repeated and says what befell them.
func (t *tally) repeats() (n int, what string) {
	var parts []string
	for _, r := range t.repeated {
		n += r.times
		parts = append(parts, r.written("%s ×%d"))
	}
	return n, strings.Join(parts, ", ")
}

// stamp writes a time to the second, with its zone.
func stamp(t time.Time) string { return t.UTC().Format("2006-01-02 15:04:05 UTC") }
