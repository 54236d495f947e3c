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
// primary one and the 99th percentile of TTFT, or its mean where no client told the percentile.
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
	for _, name := range []string{"p99_ttft_ms", "mean_ttft_ms"} {
		known := slices.ContainsFunc(r.Pairs, func(p compare.Pair) bool { _, ok := p.Of(name); return ok })
		if known && name != r.Primary {
			return append(columns, name)
		}
	}
	return columns
}

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
		columns = append(columns, column{compareHead(name), false}, column{"Δ % [95 % CI]", false})
	}
	verdict := "VERDICT"
	if !slices.Contains(c.shown, c.Primary) {
		verdict += " (" + compareHead(c.Primary) + ")"
	}
	return append(columns, column{verdict, false})
}

// compareHead is a metric's short heading with its unit.
func compareHead(name string) string {
	if at := slices.Index(numbers, name); at >= 0 && at < len(english.numbers) {
		return english.numbers[at]
	}
	info, _ := metric.Lookup(name)
	return info.Label
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
	text := compare.Percent(m.Ratio.Ratio)
	if !math.IsNaN(m.Ratio.Low) {
		text += " [" + compare.Percent(m.Ratio.Low) + ", " + compare.Percent(m.Ratio.High) + "]"
	}
	return text
}

// verdict says what may be said of a pair by the primary metric, and what is missing for more.
func (c comparison) verdict(p *compare.Pair) string {
	word, why, tested := c.ruling(p)
	text := string(word)
	switch {
	case !tested:
		text = "no verdict: " + why
	case why != "":
		text = "~ " + text + " (" + why + ")"
	case word == stats.Inconclusive:
		text = "~ " + text
	}
	if lost := c.lostOf(p); lost != "" {
		text += "; " + lost
	}
	return text
}

// ruling gives the verdict of the primary metric and what is missing for one; tested is false
// where there was nothing to test.
func (c comparison) ruling(p *compare.Pair) (word stats.Verdict, why string, tested bool) {
	m, ok := p.Of(c.Primary)
	switch {
	case !ok:
		return stats.Inconclusive, c.without(p), false
	case m.Note != "":
		return stats.Inconclusive, m.Note, false
	case m.Ratio.N < 2:
		return stats.Inconclusive, "one start per arm", false
	case m.Verdict == stats.Inconclusive:
		missing := slices.DeleteFunc([]string{c.doubt(m), needed(m.Needed)}, func(s string) bool { return s == "" })
		return m.Verdict, strings.Join(missing, "; "), true
	}
	return m.Verdict, "", true
}

// lostOf names the blocks of both arms that no average takes in.
func (c comparison) lostOf(p *compare.Pair) string {
	var parts []string
	for _, l := range []struct {
		arm  string
		lost compare.Lost
	}{{c.Arms[0], p.BaselineLost}, {p.Arm, p.ArmLost}} {
		if l.lost.Total() > 0 {
			parts = append(parts, l.arm+": "+lost(l.lost))
		}
	}
	return strings.Join(parts, "; ")
}

// without says what a pair lacks of the primary metric: valid starts, or starts that have it.
func (c comparison) without(p *compare.Pair) string {
	switch {
	case p.BaselineStarts == 0 && p.ArmStarts == 0:
		return "neither arm has a valid start"
	case p.BaselineStarts == 0:
		return c.Arms[0] + " has no valid start"
	case p.ArmStarts == 0:
		return p.Arm + " has no valid start"
	case p.BaselineWith == 0 && p.ArmWith == 0:
		return "no start has " + c.Primary
	case p.BaselineWith == 0:
		return "no start of " + c.Arms[0] + " has " + c.Primary
	case p.ArmWith == 0:
		return "no start of " + p.Arm + " has " + c.Primary
	}
	return "no block has " + c.Primary + " of both arms"
}

// doubt says why there is no verdict though the interval excludes "no difference"; else "".
func (c comparison) doubt(m compare.Comparison) string {
	switch excludes := m.Ratio.Low > 1 || m.Ratio.High < 1; {
	case !excludes:
		return ""
	case m.P > 1-c.Confidence:
		return "p " + strconv.FormatFloat(m.P, 'g', 2, 64) + " after Holm"
	}
	return fmt.Sprintf("less than %s %%", percentOf(c.MinEffect))
}

func percentOf(share float64) string { return strconv.FormatFloat(share*100, 'g', 4, 64) }

func needed(n int) string {
	switch {
	case n == 0:
		return ""
	case n > stats.MostNeeded:
		return fmt.Sprintf("more than %d starts per arm", stats.MostNeeded)
	}
	return fmt.Sprintf("about %d starts per arm", n)
}

// lost says which blocks were left out: "1 invalid, 2 failed (oom, requests_failed)".
func lost(l compare.Lost) string {
	var parts []string
	for _, n := range []struct {
		n    int
		word string
	}{{l.Invalid, "invalid"}, {l.Failed, "failed"}, {l.Skipped, "skipped"}} {
		if n.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n.n, n.word))
		}
	}
	text := strings.Join(parts, ", ")
	if len(l.Why) > 0 {
		text += " (" + strings.Join(l.Why, ", ") + ")"
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

// remarks are sentences below the tables.
func (c comparison) remarks() []string {
	var out []string
	if c.Chosen != "" {
		out = append(out, "No baseline was given: "+c.Chosen+".")
	}
	if n := len(c.Alone); n > 0 {
		out = append(out, fmt.Sprintf("Without a counterpart, and left out: %s.", listed(c.Alone, 10)))
	}
	unpaired := 0
	for _, p := range c.Pairs {
		if m, ok := p.Of(c.Primary); ok && !p.Paired && m.Ratio.N > 1 {
			unpaired++
		}
	}
	if unpaired > 0 {
		out = append(out, fmt.Sprintf("%d of %d cells were compared without pairing by blocks (Welch): their starts were not mixed in time.", unpaired, len(c.Pairs)))
	}
	if against := c.against(); len(against) > 0 {
		out = append(out, fmt.Sprintf("The means and Δ %% point in opposite directions in %s: the means are arithmetic over starts, Δ %% is geometric, and a lone start far from the others moves them differently.", listed(against, 10)))
	}
	out = append(out, c.Notes...)
	return append(out, fmt.Sprintf("Verdicts go by %s, a smallest effect of %s %% and p values adjusted over the cells (Holm); other metrics are exploratory.",
		c.Primary, percentOf(c.MinEffect)))
}

// against names the cells and shown metrics of which the means rise where Δ falls, or fall where
// it rises, by more than what is rounded away.
func (c comparison) against() []string {
	var out []string
	for _, p := range c.Pairs {
		for _, name := range c.shown {
			m, ok := p.Of(name)
			if !ok || math.IsNaN(m.Ratio.Ratio) || compare.Percent(m.Ratio.Ratio) == "0.0" {
				continue
			}
			if rise := m.Arm.Mean - m.Baseline.Mean; rise*(m.Ratio.Ratio-1) < 0 && significant(m.Arm.Mean) != significant(m.Baseline.Mean) {
				text := p.Cell + " (" + compareHead(name) + ")"
				if len(c.Arms) > 2 {
					text = p.Arm + " " + text
				}
				out = append(out, text)
			}
		}
	}
	return out
}

func listed(names []string, most int) string {
	if len(names) <= most {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
}

// warnings are what has to be seen before any number.
func (c comparison) warnings() []string {
	var out []string
	if c.Smoke {
		out = append(out, "SMOKE RUN: these are rehearsals with a few requests; nothing here is a measurement.")
	}
	if c.Simulated {
		out = append(out, "SIMULATED: these are numbers of the embedded simulated server. They say nothing about any engine or device.")
	}
	return out
}
