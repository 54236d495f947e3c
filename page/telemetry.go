package page

import (
	"html/template"

	"servematrix/chart"
)

// bandsMost is how many phases the ground of the telemetry shows.
const bandsMost = 2000

// telemetry draws what was sampled beside the run on a ground of its phases.
func (v *view) telemetry() *figure {
	if len(v.Data.Telemetry) == 0 {
		return nil
	}
	c := chart.Bands{Frame: v.frame("bands", "telemetry", Text{"Samples over time on a ground of the run's phases.", "随时间变化的采样，背景为运行阶段。"}),
		X: chart.Axis{Title: v.term(Text{"since the run began", "自运行开始"}), Format: chart.Duration}}
	c.Width = fullWidth
	for _, p := range phaseNames {
		c.Phases = append(c.Phases, v.word(p))
	}
	for _, p := range v.Data.Phases {
		if len(v.Data.Phases) > bandsMost {
			break // they would be a haze
		}
		for i, name := range phaseNames {
			if name == p.Name {
				span := chart.Span{Phase: i, From: p.From, To: p.To, Failed: p.Failed}
				if p.Cell >= 0 {
					span.Mark = mark(p.Cell)
				}
				c.Spans = append(c.Spans, span)
			}
		}
	}
	t := &figureTable{Heads: []template.HTML{both(words["value"]), both(words["low"]), both(words["mean"]), both(words["high"])}}
	for _, p := range v.Data.Telemetry {
		title := p.Title
		if p.Unit != "" {
			title = Text{title.EN + " (" + p.Unit + ")", title.ZH + " (" + p.Unit + ")"}
		}
		panel := chart.Panel{Y: chart.Axis{Title: v.term(title), Zero: true}}
		for _, s := range p.Series {
			panel.Lines = append(panel.Lines, chart.Line{Name: s.Name, Times: s.X, Values: s.Y})
			low, mean, high := spread(s.Y)
			t.add(-1, func() []any {
				return []any{Text{s.Name + " " + title.EN, s.Name + " " + title.ZH}, significant(low), significant(mean), significant(high)}
			})
		}
		c.Panels = append(c.Panels, panel)
	}
	return &figure{ID: "telemetry", Word: "telemetry", Full: true, Views: []figureView{{Charts: lone(c.SVG()), Table: t}}}
}

// spread gives the least, the mean and the greatest of the finite values.
func spread(values []float64) (low, mean, high float64) {
	low, mean, high = nan, nan, nan
	n, sum := 0, 0.0
	for _, v := range values {
		if !finite(v) {
			continue
		}
		if n == 0 {
			low, high = v, v
		}
		n, sum = n+1, sum+v
		low, high = min(low, v), max(high, v)
	}
	if n > 0 {
		mean = sum / float64(n)
	}
	return low, mean, high
}
