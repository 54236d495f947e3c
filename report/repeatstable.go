package report

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"servematrix/result"
	"servematrix/stats"
)

// confidence is that of every interval in a report.
const confidence = 0.95

// repeatTable is the end table of a run with several blocks: a row for each cell.
type repeatTable struct {
	words   words
	primary string
	metrics []string // in the order of the columns; behind primary stand its spreads
	effect  float64
	cells   []*repeat
}

func (t *tally) repeatTable(cells []*repeat, w words) *repeatTable {
	rows := rowsOf(cells)
	primary := t.primary(rows)
	return &repeatTable{words: w, primary: primary, metrics: shownMetrics(rows, primary), effect: t.plan.Compare.MinEffect, cells: cells}
}

// columns are the heads of the table, left or right.
func (t *repeatTable) columns() []column {
	w := t.words
	columns := []column{{w.server, false}, {w.client, false}, {w.starts, true}}
	for _, name := range t.metrics {
		columns = append(columns, column{w.head(name), true})
		if name == t.primary {
			columns = append(columns, column{w.between, true}, column{w.lowHigh, true})
		}
	}
	return append(columns, column{w.note, false})
}

// line gives the fields of a cell's row. Names are as the plan has them.
func (t *repeatTable) line(r *repeat) []string {
	line := []string{r.server, r.client, fmt.Sprintf("%d/%d", len(r.starts), r.asked)}
	for _, name := range t.metrics {
		values, _ := r.of(name)
		e := stats.Mean(values, confidence)
		line = append(line, plusMinus(e))
		if name == t.primary {
			line = append(line, percent(e.SD/e.Mean), lowHigh(values))
		}
	}
	return append(line, t.note(r))
}

// plusMinus writes a mean of starts with half the width of its interval; a lone start has none.
func plusMinus(e stats.Estimate) string {
	switch {
	case e.N == 0:
		return unknown
	case e.N == 1:
		return decimals(e.Mean)
	}
	return decimals(e.Mean) + " ±" + decimals(e.High-e.Mean)
}

func lowHigh(values []float64) string {
	if len(values) < 2 {
		return unknown
	}
	return decimals(slices.Min(values)) + "–" + decimals(slices.Max(values))
}

func percent(share float64) string {
	if math.IsNaN(share) || math.IsInf(share, 0) {
		return unknown
	}
	return strconv.FormatFloat(100*share, 'f', 2, 64)
}

func decimals(v float64) string { return strconv.FormatFloat(v, 'f', 2, 64) }

// note names what is not averaged, what is doubtful, and a start that lies apart.
func (t *repeatTable) note(r *repeat) string {
	var parts []string
	if simulated(r.rows) {
		parts = append(parts, t.words.simulatedRow)
	}
	for _, kind := range r.kinds() {
		parts = append(parts, kind.text(t.words))
	}
	if block, away, ok := r.apart(t.primary, t.effect); ok {
		parts = append(parts, fmt.Sprintf(t.words.apart, block, 100*away))
	}
	if r.asked < len(r.rows) {
		parts = append(parts, fmt.Sprintf(t.words.startUnknown, len(r.rows)))
	}
	if r.former {
		parts = append(parts, t.words.former)
	}
	return strings.Join(parts, ", ")
}

// kind is what rows of a cell have in common that are not simply valid.
type kind struct {
	status, why string
	blocks      []int
}

func (r *repeat) kinds() []*kind {
	var all []*kind
	add := func(status, why string, block int) {
		i := slices.IndexFunc(all, func(k *kind) bool { return k.status == status && k.why == why })
		if i < 0 {
			i, all = len(all), append(all, &kind{status: status, why: why})
		}
		all[i].blocks = append(all[i].blocks, block)
	}
	for _, row := range r.rows {
		switch row.Status {
		case result.StatusOK:
			for _, reason := range row.Reasons {
				add(row.Status, reason.Reason, row.Block)
			}
		case StatusMissing, StatusInterrupted:
			add(row.Status, "", row.Block)
		default:
			add(row.Status, row.why(), row.Block)
		}
	}
	return all
}

// blocksMost is how many blocks of one kind are named.
const blocksMost = 8

// text says "2 FAILED (oom: b1 b3)", and "text_json_differ (b2)" of a valid one.
func (k *kind) text(w words) string {
	var named []string
	for _, b := range k.blocks[:min(len(k.blocks), blocksMost)] {
		named = append(named, fmt.Sprintf("b%d", b))
	}
	if len(k.blocks) > blocksMost {
		named = append(named, "…")
	}
	blocks := strings.Join(named, " ")
	switch {
	case k.status == result.StatusOK:
		return fmt.Sprintf("%s (%s)", k.why, blocks)
	case k.why == "":
		return fmt.Sprintf("%d %s (%s)", len(k.blocks), w.statusOf(k.status), blocks)
	}
	return fmt.Sprintf("%d %s (%s: %s)", len(k.blocks), w.statusOf(k.status), k.why, blocks)
}

// draw writes the table with the words that say how to read it.
func (t *repeatTable) draw(d *drawer) {
	d.printf("%s\n\n", t.legend())
	lines := make([][]string, 0, len(t.cells))
	for _, r := range t.cells {
		line := t.line(r)
		for _, i := range []int{0, 1, len(line) - 1} { // the others are ours
			line[i] = visible(line[i])
		}
		lines = append(lines, line)
	}
	if d.err == nil {
		d.err = alignTable(d.out, t.columns(), lines)
	}
}

func (t *repeatTable) legend() string { return fmt.Sprintf(t.words.howToRead, t.words.head(t.primary)) }
