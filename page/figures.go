package page

import (
	"html/template"
	"math"
	"slices"
	"strconv"

	"servematrix/chart"
)

// figure is a section with charts; of several views one is shown at a time.
type figure struct {
	ID, Word string
	Lang     string
	Choice   string // the word before the choice of a view
	Full     bool   // as wide as the page; else two stand beside each other
	Alone    bool   // made for half of the page, but nothing stands beside it
	Views    []figureView
}

type figureView struct {
	Name   Text
	Narrow bool // two charts fit beside one another
	Charts []figureChart
	Notes  []template.HTML
	Table  *figureTable
}

// figureChart is one picture; Facet says which part of the cells it shows, "" for all.
type figureChart struct {
	Facet string
	SVG   template.HTML
}

// figureTable has the numbers of a figure.
type figureTable struct {
	Heads []template.HTML
	Rows  []figureRow
	All   int // rows that there are
}

type figureRow struct {
	Cell   int // -1: of none
	Fields []template.HTML
}

// Left is how many rows are not listed.
func (t *figureTable) Left() int { return t.All - len(t.Rows) }

// tableMost is how many rows the table beside a chart lists; all cells have a table of their own.
const tableMost = 60

// add appends a row, whose fields are worked out where it is listed; one that is a word of the page is a Text.
func (t *figureTable) add(cell int, fields func() []any) {
	if t.All++; t.All > tableMost {
		return
	}
	row := figureRow{Cell: cell}
	for _, f := range fields() {
		text, ok := f.(Text)
		if !ok {
			text = Text{f.(string), f.(string)}
		}
		row.Fields = append(row.Fields, both(text))
	}
	t.Rows = append(t.Rows, row)
}

// draw makes the figures in the page's order, those for which there is anything.
func (v *view) draw() error {
	heat := v.heat()
	beside := heat != nil && !heat.Full
	pareto := v.pareto(!beside)
	if beside && pareto == nil {
		heat.Full, heat.Alone = true, true
	}
	for _, f := range []*figure{pareto, heat, v.curves(), v.timeline(), v.telemetry()} {
		if f != nil {
			f.Lang = v.Lang
			v.Figures = append(v.Figures, f)
		}
	}
	return nil
}

// term gives a word of a chart and lets the script know it in both languages. A chart is drawn once,
// in English, whose words are the longer ones; the script exchanges them.
func (v *view) term(t Text) string {
	if t.EN != t.ZH && !slices.Contains(v.terms, t) {
		v.terms = append(v.terms, t)
	}
	return t.EN
}

func (v *view) word(key string) string { return v.term(words[key]) }

// axis is that of a metric.
func (v *view) axis(m int) chart.Axis {
	metric := v.Data.Metrics[m]
	return v.axisOf(metric.Label, metric.Better)
}

func (v *view) axisOf(label Text, better int) chart.Axis {
	switch better {
	case 1:
		label = Text{label.EN + " · more is better", label.ZH + " · 越大越好"}
	case -1:
		label = Text{label.EN + " · less is better", label.ZH + " · 越小越好"}
	}
	return chart.Axis{Title: v.term(label), Less: better < 0}
}

func (v *view) frame(id, word string, about Text) chart.Frame {
	return chart.Frame{ID: id, Title: v.word(word), Desc: v.term(about), Lang: "en", Width: halfWidth}
}

// halfWidth is that of a chart beside another one, fullWidth that of one across the page, so that
// a unit is about a pixel.
const (
	halfWidth = 620
	fullWidth = 1240
)

// metric finds a metric by its name, -1 where the data has none.
func (v *view) metric(name string) int {
	return slices.IndexFunc(v.Data.Metrics, func(m Metric) bool { return m.Name == name })
}

// latency is the metric of latency that charts show besides throughput: the 99th percentile of
// TTFT, or its mean where no client told the percentile; -1: neither.
func (v *view) latency() int {
	for _, name := range []string{"p99_ttft_ms", "mean_ttft_ms"} {
		m := v.metric(name)
		if m >= 0 && slices.ContainsFunc(v.Data.Cells, func(c Cell) bool { return finite(c.Numbers[m].Mean) }) {
			return m
		}
	}
	return -1
}

// mark is a cell's; what is read of it the script says from the data of the page.
func mark(cell int) chart.Mark { return chart.Mark{Cell: strconv.Itoa(cell)} }

// interval is that of an estimate, nil where it has none.
func (e Estimate) interval() *chart.Range {
	if !e.spread() {
		return nil
	}
	return &chart.Range{Low: e.Low, High: e.High}
}

// pointsMost is how many points of a chart have their intervals drawn: of more nobody sees them.
const pointsMost = 1000

// lone makes of one picture all that a view shows.
func lone(svg []byte) []figureChart { return []figureChart{{SVG: template.HTML(svg)}} }

// seriesMost is how many series a chart can have that a reader still tells apart.
const seriesMost = 12

// series gives each cell its series: its server variant, of many the value of an axis that has
// few, else all are one.
func (v *view) series() (names []string, of []int) {
	servers := newList[string]()
	for _, c := range v.Data.Cells {
		of = append(of, servers.of(c.Server))
	}
	if len(servers.all) <= seriesMost {
		return servers.all, of
	}
	best := -1
	for i, a := range v.Data.Axes {
		if n := len(a.Values); a.Server && n > 1 && n <= seriesMost && (best < 0 || n > len(v.Data.Axes[best].Values)) {
			best = i
		}
	}
	if best < 0 {
		return []string{v.word("server")}, make([]int, len(of))
	}
	for i, c := range v.Data.Cells {
		of[i] = max(0, c.Values[best])
	}
	for _, value := range v.Data.Axes[best].Values {
		names = append(names, v.Data.Axes[best].Name+" "+value)
	}
	return names, of
}

// wide tells whether values lie so far apart that an axis should be logarithmic.
func wide(values []float64) bool {
	low, high := math.Inf(1), math.Inf(-1)
	for _, x := range values {
		if finite(x) {
			low, high = math.Min(low, x), math.Max(high, x)
		}
	}
	return low > 0 && high/low >= 16
}
