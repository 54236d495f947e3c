package page

import (
	"html/template"
	"strconv"

	"servematrix/chart"
)

// pareto draws throughput against latency, one view for each way to look at latency.
func (v *view) pareto(full bool) *figure {
	y := v.perDevice()
	if y.metric < 0 {
		return nil
	}
	f := &figure{ID: "pareto", Word: "pareto", Choice: "xaxis", Full: full}
	label := Text{"output tok/s per user (1000 / mean TPOT in ms)", "每用户输出 tok/s（1000 / 平均 TPOT，单位 ms）"}
	v.paretoView(f, "paretouser", Text{"tok/s per user", "每用户 tok/s"}, label, 1, y, func(c Cell) Estimate { return c.PerUser })
	if m := v.latency(); m >= 0 && len(v.Data.Cells)*len(f.Views) <= curvePoints {
		metric := v.Data.Metrics[m]
		v.paretoView(f, "paretottft", metric.Label, metric.Label, -1, y, func(c Cell) Estimate { return c.Numbers[m] })
	}
	if len(f.Views) == 0 {
		return nil
	}
	return f
}

// throughput is what a chart has as its y: of the whole server, or for each of its devices where
// their number is known of all cells that are drawn. One chart never has both.
type throughput struct {
	metric  int
	label   Text
	devices bool
	note    template.HTML
}

func (v *view) perDevice() throughput {
	y := throughput{metric: v.metric("output_throughput")}
	if y.metric < 0 {
		return y
	}
	y.label, y.note = v.Data.Metrics[y.metric].Label, v.tokens(y.metric)
	least, most := 0, 0
	for _, c := range v.Data.Cells {
		switch {
		case c.Starts == 0 || !finite(c.Numbers[y.metric].Mean):
			continue
		case c.Devices == 0:
			return y
		case least == 0:
			least = c.Devices
		}
		least, most = min(least, c.Devices), max(most, c.Devices)
	}
	if most > 0 {
		y.devices = true
		y.label = Text{y.label.EN + " per device", "每设备" + y.label.ZH}
		y.note = both(words["tokens.device"].with(least, most))
		if least == most {
			y.note = both(words["tokens.devices"].with(most))
		}
	}
	return y
}

// of gives a cell's.
func (y throughput) of(c Cell) Estimate {
	e := c.Numbers[y.metric]
	if y.devices {
		n := float64(c.Devices)
		e.Mean, e.Low, e.High = e.Mean/n, e.Low/n, e.High/n
	}
	return e
}

func (v *view) paretoView(f *figure, id string, name, label Text, better int, throughput throughput, latency func(Cell) Estimate) {
	names, of := v.series()
	c := chart.Pareto{Frame: v.frame(id, "pareto", Text{"Each point is a cell; the line joins those that no other cell beats in both.", "每个点是一个单元；折线连接在两方面都不被其他单元超过的单元。"}),
		X: v.axisOf(label, better), Y: v.axisOf(throughput.label, 1), Frontier: v.term(Text{"frontier", "前沿"})}
	if f.Full {
		c.Width = fullWidth
	}
	for _, n := range names {
		c.Series = append(c.Series, chart.Series{Name: n})
	}
	t := &figureTable{Heads: []template.HTML{both(words["cell"]), both(label), both(throughput.label)}}
	var xs, ys []float64
	intervals := false
	for i, cell := range v.Data.Cells {
		x, y := latency(cell), throughput.of(cell)
		if cell.Starts == 0 || x.N == 0 || !finite(x.Mean) || !finite(y.Mean) {
			continue
		}
		pt := chart.Point{Mark: mark(i), X: round(x.Mean), Y: round(y.Mean), XRange: v.bar(x), YRange: v.bar(y)}
		if len(v.Data.Cells) <= 200 {
			pt.Label = cell.Server + " × " + cell.Client
		}
		s := &c.Series[of[i]]
		s.Points = append(s.Points, pt)
		xs, ys = append(xs, x.Mean), append(ys, y.Mean)
		intervals = intervals || pt.XRange != nil || pt.YRange != nil
		t.add(i, func() []any { return []any{cell.Server + " × " + cell.Client, x.plusMinus(), y.plusMinus()} })
	}
	if len(xs) == 0 {
		return
	}
	c.X.Log, c.Y.Log = wide(xs), wide(ys)
	view := figureView{Name: name, Charts: lone(c.SVG()), Notes: []template.HTML{throughput.note}, Table: t}
	if intervals {
		view.Notes = append(view.Notes, both(words["bars"]))
	}
	f.Views = append(f.Views, view)
}

// bar is an estimate's interval where a chart shows it.
func (v *view) bar(e Estimate) *chart.Range {
	if len(v.Data.Cells) > pointsMost {
		return nil
	}
	return e.interval()
}

// round keeps five digits: more cannot be seen.
func round(v float64) float64 {
	if !finite(v) {
		return v
	}
	rounded, _ := strconv.ParseFloat(strconv.FormatFloat(v, 'g', 5, 64), 64) // what was just written is a number
	return rounded
}
