package report

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"servematrix/journal"
	"servematrix/result"
)

// end writes what closes the report when the run has ended: the table of all cells, the
// failures, the warnings and where everything lies. A run that goes on has no end.
func (d *drawer) end() error {
	if d.verdict == nil || d.err != nil {
		return d.err
	}
	rows := d.table()
	rule := strings.Repeat("=", bannerRule)
	d.printf("\n%s\n[%s] %s\n%s\n", rule, d.words.results, d.summary(rows), rule)
	if simulated(rows) {
		d.printf("*** %s ***\n", d.words.simulatedNumbers)
	}
	d.printf("\n")
	if d.err == nil {
		d.err = Table(d.out, rows, d.words.lang)
	}
	d.failures(rows)
	d.warningList()
	d.places()
	return d.err
}

// summary says in one line how the run went.
func (t *tally) summaryCounts(rows []Row, words words) string {
	n := count(rows)
	var parts []string
	for _, status := range []string{result.StatusOK, result.StatusInvalid, result.StatusFailed, result.StatusSkipped, StatusMissing} {
		if n[status] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n[status], words.statusOf(status)))
		}
	}
	return strings.Join(parts, ", ")
}

func (d *drawer) summary(rows []Row) string {
	return fmt.Sprintf("%s: %s", visible(d.plan.Name), d.summaryCounts(rows, d.words))
}

// Table draws rows as a table in columns; lang is "en" or "zh".
func Table(w io.Writer, rows []Row, lang string) error {
	words := wordsOf(lang)
	columns := []column{{words.server, false}, {words.client, false}, {words.block, true}, {words.attempt, true}, {words.state, false}}
	for _, head := range words.numbers {
		columns = append(columns, column{head, true})
	}
	columns = append(columns, column{words.requests, true}, column{words.note, false})
	lines := make([][]string, 0, len(rows))
	for _, row := range rows {
		line := []string{visible(row.Server), visible(row.Client), strconv.Itoa(row.Block), attempt(row), words.statusOf(row.Status)}
		for _, name := range numbers {
			line = append(line, number(row, name))
		}
		lines = append(lines, append(line, requests(row), note(row, words)))
	}
	return alignTable(w, columns, lines)
}

// numbers are the metrics of the end table, in the order of its columns. A column of output
// tokens and one of all tokens: what tok/s counts is always said.
var numbers = []string{
	"output_throughput", "total_throughput", "mean_ttft_ms", "p99_ttft_ms", "mean_tpot_ms", "mean_itl_ms", "mean_e2e_latency_ms",
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

// note says in a word what is to be known of a row: simulated, why it failed, what is wrong with it.
func note(row Row, words words) string {
	var parts []string
	if row.Simulated {
		parts = append(parts, words.simulatedRow)
	}
	if row.Failure != nil {
		parts = append(parts, visible(row.Failure.Class))
	}
	for _, reason := range row.Reasons {
		parts = append(parts, visible(reason))
	}
	return strings.Join(parts, " ")
}

func simulated(rows []Row) bool {
	for _, row := range rows {
		if row.Simulated {
			return true
		}
	}
	return false
}

// trouble is one kind of failure and the rows that it befell.
type trouble struct {
	failure *journal.Failure // of the first of them, nil for invalid samples
	reasons string
	rows    []Row
}

// troubles groups the rows without a valid result by what went wrong, in the order of the
// table: one broken server flag can fail a hundred cells.
func troubles(rows []Row) []*trouble {
	var out []*trouble
	known := map[string]*trouble{}
	for _, row := range rows {
		if row.Status == result.StatusOK || row.Status == StatusMissing {
			continue
		}
		reasons := strings.Join(row.Reasons, ", ")
		key := reasons
		if f := row.Failure; f != nil {
			key += "\x00" + f.Class + "\x00" + f.Phase + "\x00" + f.Message
		}
		if known[key] == nil {
			known[key] = &trouble{failure: row.Failure, reasons: reasons}
			out = append(out, known[key])
		}
		known[key].rows = append(known[key].rows, row)
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
		} else {
			d.printf("%s\n", visible(t.reasons))
		}
		for _, row := range t.rows {
			d.detail("%s: %s", d.words.statusOf(row.Status), rowName(row))
		}
		if t.failure != nil {
			d.where(*t.failure)
		}
	}
}

// rowName names a row's cell, block and attempt, with its folder where it has one.
func rowName(row Row) string {
	name := fmt.Sprintf("%s × %s  b%d", visible(row.Server), visible(row.Client), row.Block)
	if row.Attempt > 0 {
		name += fmt.Sprintf("-a%d  %s", row.Attempt, visible(journal.AttemptName(row.Cell, row.Block, row.Attempt)))
	}
	return name
}

func (d *drawer) warningList() {
	if len(d.warnings) == 0 {
		return
	}
	d.printf("\n[%s]\n", d.words.warnings)
	for _, w := range d.warnings {
		if w.times > 1 {
			d.printf("%s (×%d)\n", visible(w.message), w.times)
			continue
		}
		d.printf("%s\n", visible(w.message))
	}
}

// places says when the run was and where its files lie, by names that hold wherever the run
// folder is.
func (d *drawer) places() {
	d.printf("\n[%s]\n", d.words.files)
	for _, line := range d.words.legend {
		d.printf("%s\n", line)
	}
	d.printf("\n"+d.words.span+"\n", stamp(d.began), stamp(d.last), d.last.Sub(d.began).Round(time.Second), d.sessions)
	if d.repeated > 0 {
		d.printf(d.words.repeated+"\n", d.repeated)
	}
	if d.verdict.Missing > 0 {
		d.printf("\n"+d.words.incomplete+"\n", d.verdict.Missing)
		return
	}
	d.printf("\n%s%s\n", d.words.AllDone, reportFile)
}

// stamp writes a time to the second, with its zone.
func stamp(t time.Time) string { return t.UTC().Format("2006-01-02 15:04:05 UTC") }
