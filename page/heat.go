package page

import (
	"fmt"
	"html/template"
	"strings"

	"servematrix/chart"
)

// Bounds of the heat maps of a page.
const (
	heatViews  = 8
	heatFields = 12_000 // of all views, besides the first
	heatFacets = 12     // of one view
	heatHeight = 400    // of a lone one, which stands beside another chart
)

// heat draws a metric over two axes; what other axes there are parts a view into charts.
func (v *view) heat() *figure {
	var axes []int
	for i, a := range v.Data.Axes {
		if len(a.Values) > 1 {
			axes = append(axes, i)
		}
	}
	metrics := []int{v.Data.Primary}
	if m := v.latency(); m >= 0 && m != v.Data.Primary {
		metrics = append(metrics, m)
	}
	f := &figure{ID: "heat", Word: "heat", Choice: "axes"}
	if len(v.Data.Metrics) == 0 || !v.measured(metrics[0]) {
		return nil
	}
	fields := 0
	for _, pair := range pairs(axes, v.Data.Axes) {
		for _, m := range metrics {
			fields += len(v.Data.Cells)
			if len(f.Views) > 0 && (fields > heatFields || len(f.Views) == heatViews) {
				return f
			}
			if v.measured(m) {
				view := v.heatView(pair[0], pair[1], m, len(f.Views))
				f.Full = f.Full || !view.Narrow || len(view.Charts) > 1
				f.Views = append(f.Views, view)
			}
		}
	}
	if len(f.Views) == 0 {
		return nil
	}
	return f
}

func (v *view) measured(m int) bool {
	for _, c := range v.Data.Cells {
		if finite(c.Numbers[m].Mean) {
			return true
		}
	}
	return false
}

// pairs gives the pairs of axes, those of a server's with a client's first; the shorter axis of a
// pair stands upright.
func pairs(of []int, axes []Axis) (out [][2]int) {
	for _, mixed := range []bool{true, false} {
		for i, y := range of {
			for _, x := range of[i+1:] {
				if (axes[x].Server != axes[y].Server) == mixed {
					out = append(out, [2]int{y, x})
				}
			}
		}
	}
	return out
}

func (v *view) heatView(y, x, m, number int) figureView {
	d := v.Data
	label := d.Metrics[m].Label
	names := d.Axes[y].Name + " × " + d.Axes[x].Name
	view := figureView{Name: Text{names + ", " + label.EN, names + "，" + label.ZH}, Narrow: len(d.Axes[x].Values) <= 12}
	t := &figureTable{Heads: []template.HTML{both(words["cell"]), both(words["status"]), both(label)}}
	var order []string
	facets := map[string][]chart.HeatCell{}
	var values []float64
	for i, c := range d.Cells {
		if c.Values[x] < 0 || c.Values[y] < 0 {
			continue
		}
		value := c.Numbers[m]
		field := chart.HeatCell{Mark: mark(i), X: c.Values[x], Y: c.Values[y], Value: round(value.Mean)}
		if c.Status == "failed" || c.Status == "invalid" {
			field.State = chart.Failed
		} else {
			values = append(values, value.Mean) // without one the field stands as not run
		}
		rest := v.rest(c, x, y)
		if facets[rest] == nil {
			order = append(order, rest)
		}
		facets[rest] = append(facets[rest], field)
		t.add(i, func() []any { return []any{c.Server + " × " + c.Client, words[c.Status], value.plusMinus()} })
	}
	for i, rest := range order {
		if i == heatFacets {
			view.Notes = append(view.Notes, both(words["morefacets"].with(len(order)-i)))
			break
		}
		h := chart.Heatmap{Frame: v.frame(fmt.Sprintf("heat%d-%d", number, i), "heat", Text{"One field for each cell. A hatched field failed or was refused, an empty one has not run.", "每格为一个单元。斜线表示失败或被拒绝，空格表示未运行。"}),
			XTitle: d.Axes[x].Name, YTitle: d.Axes[y].Name, XNames: d.Axes[x].Values, YNames: d.Axes[y].Values,
			Value: v.axisOf(label, 0), Cells: facets[rest], Failed: v.word("failed"), NotRun: v.word("missing")}
		switch {
		case !view.Narrow:
			h.Width = fullWidth
		case len(order) == 1:
			h.Height = heatHeight
		}
		h.Value.Log = wide(values)
		h.Value.Range = rangeOf(values)
		view.Charts = append(view.Charts, figureChart{Facet: rest, SVG: template.HTML(h.SVG())})
	}
	view.Notes = append(view.Notes, v.tokens(m))
	view.Table = t
	return view
}

// rangeOf is that of the values, so that charts beside one another can be compared.
func rangeOf(values []float64) *chart.Range {
	var r *chart.Range
	for _, x := range values {
		switch {
		case !finite(x):
		case r == nil:
			r = &chart.Range{Low: x, High: x}
		default:
			r.Low, r.High = min(r.Low, x), max(r.High, x)
		}
	}
	if r != nil && r.Low == r.High {
		return nil
	}
	return r
}

// rest says which values a cell has on the axes that a chart does not show.
func (v *view) rest(c Cell, x, y int) string {
	var parts []string
	for i, a := range v.Data.Axes {
		if i != x && i != y && c.Values[i] >= 0 && len(a.Values) > 1 {
			parts = append(parts, a.Name+" = "+a.Values[c.Values[i]])
		}
	}
	return strings.Join(parts, ", ")
}
