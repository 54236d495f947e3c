package page

import (
	"html/template"
	"strings"

	"servematrix/chart"
)

// abView is a comparison as the page shows it.
type abView struct {
	Comparison
	Judged              string // name of the metric whose verdict counts
	Heads               []template.HTML
	Tokens              template.HTML
	Rows                []abRow
	Listed              []Arm // the first arms
	AllClean, NoneClean bool
	CleanArms           int
	Doubt               Text // the first reason against the first arm that is not clean
	Totals              []verdictCount
}

type verdictCount struct {
	Verdict string
	N       int
}

type abRow struct {
	Cell, Arm, Starts, Verdict string
	Why                        Text
	Cells                      [2]int
	Compared                   []abMetric
}

type abMetric struct {
	Base, With, Delta string
	Whisker           template.HTML
	Lone              bool // there is a difference, but no interval
}

// PairsMost is how many pairs of one comparison a page lists.
const PairsMost = 200

// armsMost is how many arms say in the page what else differs.
const armsMost = 12

func (v *view) compare() error {
	for _, c := range v.Data.Comparisons {
		one, err := v.compared(c)
		if err != nil {
			return err
		}
		v.Comparisons = append(v.Comparisons, one)
	}
	if len(v.Comparisons) > 0 {
		v.First = v.Comparisons[0]
	}
	return nil
}

func (v *view) compared(c Comparison) (*abView, error) {
	if over := len(c.Pairs) - PairsMost; over > 0 {
		c.Pairs, c.Left = c.Pairs[:PairsMost], c.Left+over
	}
	out := &abView{Comparison: c, Listed: c.Arms[:min(len(c.Arms), armsMost)]}
	for i, m := range c.Metrics {
		if i == 0 {
			out.Judged = v.Data.Metrics[m].Name
		}
		out.Heads = append(out.Heads, both(v.Data.Metrics[m].Label))
	}
	out.Tokens = v.tokens(c.Metrics...)
	var sum Verdicts
	for _, a := range c.Arms {
		sum.Better, sum.Worse = sum.Better+a.Verdicts.Better, sum.Worse+a.Verdicts.Worse
		sum.Equivalent, sum.Inconclusive = sum.Equivalent+a.Verdicts.Equivalent, sum.Inconclusive+a.Verdicts.Inconclusive
		if a.Clean {
			out.CleanArms++
		} else if out.Doubt.EN == "" && len(a.Why) > 0 {
			out.Doubt = a.Why[0]
		}
	}
	out.AllClean, out.NoneClean = out.CleanArms == len(c.Arms), out.CleanArms == 0
	for _, t := range []verdictCount{{"better", sum.Better}, {"worse", sum.Worse}, {"equivalent", sum.Equivalent}, {"inconclusive", sum.Inconclusive}} {
		if t.N > 0 {
			out.Totals = append(out.Totals, t)
		}
	}
	whiskers := v.whiskers(c)
	for i, p := range c.Pairs {
		row := abRow{Cell: p.Cell, Arm: p.Arm, Starts: p.Starts, Verdict: p.Verdict, Why: p.Why, Cells: p.Cells}
		for j, m := range p.Compared {
			row.Compared = append(row.Compared, abMetric{Base: m.Baseline.plusMinus(), With: m.Arm.plusMinus(), Delta: delta(m), Whisker: whiskers[j][i], Lone: finite(m.Ratio) && !m.interval()})
		}
		out.Rows = append(out.Rows, row)
	}
	return out, nil
}

// verdicts are those of a chart.
var verdicts = map[string]chart.Verdict{"better": chart.Better, "worse": chart.Worse, "equivalent": chart.Equivalent, "inconclusive": chart.Inconclusive}

// whiskers draws the ratio of each pair with its interval: for each metric one picture a pair.
func (v *view) whiskers(c Comparison) [][]template.HTML {
	out := make([][]template.HTML, len(c.Metrics))
	for j := range c.Metrics {
		figure := chart.Interval{Axis: chart.Axis{Format: chart.Change}, Baseline: 1}
		if j == 0 && c.MinEffect > 0 {
			figure.Same = &chart.Range{Low: 1 / (1 + c.MinEffect), High: 1 + c.MinEffect}
		}
		for _, p := range c.Pairs {
			m := p.Compared[j]
			row := chart.IntervalRow{Value: m.Ratio, Verdict: verdicts[m.Verdict], Text: delta(m) + " %"}
			if p.Cells[1] >= 0 {
				row.Mark = mark(p.Cells[1])
			}
			if m.interval() {
				row.Range = &chart.Range{Low: m.Low, High: m.High}
			}
			figure.Rows = append(figure.Rows, row)
		}
		for i, svg := range figure.Small() {
			if !finite(c.Pairs[i].Compared[j].Ratio) {
				svg = nil
			}
			out[j] = append(out[j], template.HTML(svg))
		}
	}
	return out
}

func (m Compared) interval() bool { return finite(m.Low) && finite(m.High) }

// delta writes "+5.2 [+4.1, +6.3]", without the interval where there is none.
func delta(m Compared) string {
	text := percent(m.Ratio)
	if m.interval() {
		text += " [" + percent(m.Low) + ", " + percent(m.High) + "]"
	}
	return text
}

// tokens says what tok/s counts of the metrics that are shown.
func (v *view) tokens(metrics ...int) template.HTML {
	var said []string
	for _, m := range metrics {
		key := ""
		switch name := v.Data.Metrics[m].Name; {
		case strings.HasPrefix(name, "output_throughput"):
			key = "tokens.output"
		case strings.HasPrefix(name, "total_throughput"):
			key = "tokens.total"
		default:
			continue
		}
		said = append(said, string(both(words[key])))
	}
	return template.HTML(strings.Join(said, " "))
}
