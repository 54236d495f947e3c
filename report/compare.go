package report

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"servematrix/compare"
	"servematrix/metric"
	"servematrix/stats"
)

// CompareColumns gives the metrics that a table of a comparison shows: those asked for, else the
// primary one, what was searched for and the goodput where clients told them, and the 99th percentile
// of TTFT, or its mean where no client told the percentile.
func CompareColumns(r *compare.Result, asked []string) []string {
	if len(asked) > 0 {
		var once []string
		for _, name := range asked {
			if !slices.Contains(once, name) {
				once = append(once, name)
			}
		}
		return once
	}
	columns := []string{r.Primary}
	known := func(name string) bool {
		return name != r.Primary && slices.ContainsFunc(r.Pairs, func(p compare.Pair) bool { _, ok := p.Of(name); return ok })
	}
	for _, name := range sometimes {
		if known(name) {
			columns = append(columns, name)
		}
	}
	if at := slices.IndexFunc(compareTTFT, known); at >= 0 {
		columns = append(columns, compareTTFT[at])
	}
	return columns
}

// compareTTFT are those of which a table of a comparison shows the first that is known.
var compareTTFT = []string{"p99_ttft_ms", "mean_ttft_ms"}

// CompareCandidates are the metrics besides the primary one that CompareColumns chooses from where none is asked for.
func CompareCandidates() []string { return append(slices.Clone(sometimes), compareTTFT...) }

// comparison draws a result as tables of text that is not escaped yet.
type comparison struct {
	*compare.Result
	shown []string // metrics
}

// heading says what is set against what.
func (c comparison) heading() string {
	return fmt.Sprintf("baseline %s → %s   paired on %s   n = server starts", c.Arms[0], strings.Join(c.Arms[1:], ", "), orNothing(c.PairedOn))
}

func orNothing(s string) string {
	if s == "" {
		return "nothing (one cell)"
	}
	return s
}

func (c comparison) columns() []column {
	columns := []column{{"CELL", false}, {"n", true}}
	for _, name := range c.shown {
		columns = append(columns, column{english.head(name), false}, column{"Δ % [95 % CI]", false})
	}
	verdict := "VERDICT"
	if !slices.Contains(c.shown, c.Primary) {
		verdict += " (" + english.head(c.Primary) + ")"
	}
	return append(columns, column{verdict, false})
}

// rows are the pairs of one arm.
func (c comparison) rows(arm string) [][]string {
	var rows [][]string
	for i := range c.Pairs {
		if p := &c.Pairs[i]; p.Arm == arm {
			rows = append(rows, c.row(p))
		}
	}
	return rows
}

func (c comparison) row(p *compare.Pair) []string {
	row := []string{p.Cell, starts(p, c.Primary)}
	for _, name := range c.shown {
		m, ok := p.Of(name)
		if !ok {
			row = append(row, unknown, unknown)
			continue
		}
		row = append(row, estimate(m.Baseline)+" → "+estimate(m.Arm), interval(m))
	}
	return append(row, c.verdict(p))
}

// starts gives how many starts the primary metric's comparison rests on: pairs, or the starts of
// both arms where they differ.
func starts(p *compare.Pair, primary string) string {
	m, ok := p.Of(primary)
	switch {
	case !ok:
		return "0"
	case m.Baseline.N == m.Arm.N:
		return strconv.Itoa(m.Arm.N)
	}
	return fmt.Sprintf("%d/%d", m.Baseline.N, m.Arm.N)
}

// estimate writes a mean and half its interval in percent; of one start there is no interval.
func estimate(e stats.Estimate) string {
	text := significant(e.Mean)
	if !math.IsNaN(e.Low) && e.Mean != 0 {
		half := (e.High - e.Low) / 2 / math.Abs(e.Mean) * 100
		digits := 0
		if half < 9.95 {
			digits = 1
		}
		text += " ±" + strconv.FormatFloat(half, 'f', digits, 64) + "%"
	}
	return text
}

// significant writes a number with four digits or all of its whole part.
func significant(v float64) string {
	digits := 0
	for edge := 1000.0; math.Abs(v) < edge && digits < 4; edge /= 10 {
		digits++
	}
	return strconv.FormatFloat(v, 'f', digits, 64)
}

func interval(m compare.Comparison) string {
	if math.IsNaN(m.Ratio.Ratio) {
		return unknown
	}
	text := metric.Percent(m.Ratio.Ratio)
	if !math.IsNaN(m.Ratio.Low) {
		text += " [" + metric.Percent(m.Ratio.Low) + ", " + metric.Percent(m.Ratio.High) + "]"
	}
	return text
}

// answer is one arm's answer to "Is this a clean A/B?".
func answer(c compare.Clean) string {
	if c.Yes {
		return "yes: " + strings.Join(c.Why, "; ")
	}
	return "no: " + strings.Join(c.Why, "; ")
}

var differenceHeads = []string{"WHAT", "BASELINE", "ARM"}

// differences are those of one arm as rows.
func (c comparison) differences(arm string) [][]string {
	var rows [][]string
	for _, d := range c.Differences {
		if d.Arm != arm {
			continue
		}
		what := d.What()
		switch {
		case d.Compared:
			what += " (what is compared)"
		case d.Harmless:
			what += " (without effect)"
		}
		if all := c.pairsOf(arm); d.Pairs < all && d.Kind != compare.KindOrder && d.Kind != compare.KindStarts {
			what += fmt.Sprintf(" (in %d of %d cells)", d.Pairs, all)
		}
		rows = append(rows, []string{what, had(d.Baseline), had(d.Value)})
	}
	return rows
}

func (c comparison) pairsOf(arm string) int {
	n := 0
	for _, p := range c.Pairs {
		if p.Arm == arm {
			n++
		}
	}
	return n
}

const valueMost = 120 // characters

func had(value *string) string {
	if value == nil {
		return compare.Absent
	}
	if *value == "" {
		return `""`
	}
	return clip(*value, valueMost)
}
