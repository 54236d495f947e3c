package page

import (
	"cmp"
	"fmt"
	"html/template"
	"slices"

	"servematrix/chart"
)

// curves draws metrics over the load that clients asked for: max concurrency, else request rate.
func (v *view) curves() *figure {
	load, label := Load.byConcurrency, Text{"max concurrency", "最大并发"}
	if distinct(v.Data.Cells, load) < 2 {
		load, label = Load.byRate, Text{"request rate (req/s)", "请求速率（req/s）"}
		if distinct(v.Data.Cells, load) < 2 {
			return nil
		}
	}
	f := &figure{ID: "curves", Word: "curves", Choice: "metric", Full: true}
	if len(v.Data.Metrics) == 0 {
		return nil
	}
	metrics := []int{v.Data.Primary}
	for _, m := range []int{v.latency(), v.metric("mean_tpot_ms")} {
		if m >= 0 && !slices.Contains(metrics, m) {
			metrics = append(metrics, m)
		}
	}
	lines := v.lines(load)
	for _, m := range metrics {
		if v.measured(m) && len(v.Data.Cells)*len(f.Views) <= curvePoints {
			f.Views = append(f.Views, v.curvesView(m, load, label, lines))
		}
	}
	if len(f.Views) == 0 {
		return nil
	}
	return f
}

const (
	curvePoints = 6_000 // of all views, besides the first
	linesMost   = 24    // of one chart
)

// A load is rounded because means of the same one differ in their last digits.
func (l Load) byConcurrency() float64 { return round(l.Concurrency) }
func (l Load) byRate() float64        { return round(l.Rate) }

func distinct(cells []Cell, load func(Load) float64) int {
	known := map[float64]bool{}
	for _, c := range cells {
		if x := load(c.Load); finite(x) {
			known[x] = true
		}
	}
	return len(known)
}

func (v *view) curvesView(m int, load func(Load) float64, label Text, of lines) figureView {
	c := chart.Curves{Frame: v.frame(fmt.Sprintf("curve%d", m), "curves", Text{"A line for each server variant and kind of workload over the load.", "每个服务器变体与负载类型一条曲线，横轴为负载大小。"}), X: v.axisOf(label, 0), Y: v.axis(m)}
	c.Width = fullWidth
	lines := newList[string]()
	var xs, ys []float64
	t := &figureTable{Heads: []template.HTML{both(words["cell"]), both(label), both(v.Data.Metrics[m].Label)}}
	left := map[string]bool{}
	intervals, apart := false, false
	for i, cell := range v.Data.Cells {
		x, y := load(cell.Load), cell.Numbers[m]
		if !finite(x) || !finite(y.Mean) || cell.Starts == 0 {
			continue
		}
		name := of.names[i]
		if _, known := lines.at[name]; !known && len(lines.all) == linesMost {
			left[name] = true
			continue
		}
		at := lines.of(name)
		if at == len(c.Series) {
			c.Series = append(c.Series, chart.Series{Name: name, Apart: of.apart[name]})
		}
		c.Series[at].Points = append(c.Series[at].Points, chart.Point{Mark: mark(i), X: x, Y: round(y.Mean), YRange: v.bar(y)})
		xs, ys = append(xs, x), append(ys, y.Mean)
		intervals = intervals || v.bar(y) != nil
		apart = apart || of.apart[name]
		t.add(i, func() []any { return []any{cell.Server + " × " + cell.Client, significant(x), y.plusMinus()} })
	}
	for _, s := range c.Series {
		slices.SortStableFunc(s.Points, func(a, b chart.Point) int { return cmp.Compare(a.X, b.X) })
	}
	c.X.Log, c.Y.Log, c.Y.Zero = wide(xs), wide(ys), !wide(ys)
	view := figureView{Name: v.Data.Metrics[m].Label, Charts: lone(c.SVG()), Notes: []template.HTML{v.tokens(m)}, Table: t}
	if intervals {
		view.Notes = append(view.Notes, both(words["bars"]))
	}
	if apart {
		view.Notes = append(view.Notes, both(words["apart"]))
	}
	if len(left) > 0 {
		view.Notes = append(view.Notes, both(words["morelines"].with(linesMost, linesMost+len(left))))
	}
	return view
}
