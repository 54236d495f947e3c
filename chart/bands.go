package chart

import "math"

// Bands draws measurements over time, panels under one another on one time axis, on a ground
// that shows the phases.
type Bands struct {
	Frame
	X      Axis     // seconds since the start of the run; Format is Duration
	Phases []string // their names; a phase's place gives it its colour
	Spans  []Span   // the phases behind the lines
	Panels []Panel
}

// Panel is one quantity, such as power, with a line for each device. Lines of the same name
// look the same in all panels.
type Panel struct {
	Y     Axis
	Lines []Line
}

// Line is one series of samples, in the order of time. Long ones are thinned to their least
// and greatest values. A value that is not finite is a gap.
type Line struct {
	Name   string
	Times  []float64 // seconds
	Values []float64
}

const (
	panelHeight = 88.0
	panelGap    = 34.0
)

// SVG draws the panels that have values.
func (c Bands) SVG() []byte {
	var seen extent
	var panels []Panel
	for _, panel := range c.Panels {
		if e := panel.times(); e.any {
			seen.add(e.lo, e.hi)
			panels = append(panels, panel)
		}
	}
	if len(panels) == 0 {
		return c.vacant("bands")
	}
	c.Panels = panels
	series := c.series()
	w := or(c.Width, 960)
	p := c.begin("bands", w, 0, false)
	top := 4.0
	if len(c.Spans) > 0 {
		top += p.phases("ground", c.ID, c.Phases, "", false, 4, top, w-4)
	}
	if len(series) > 1 {
		top += p.legend(series, 4, top, w-4, "trace")
	}
	top += panelGap
	left, ys := 0.0, make([]scale, len(panels))
	for i, panel := range panels {
		y := top + float64(i)*(panelHeight+panelGap)
		ys[i] = panel.Y.scale(panel.values(), y+panelHeight, y, 30)
		left = math.Max(left, gutter(ys[i]))
	}
	for _, s := range c.Spans {
		if s.ends() {
			seen.add(s.From, s.To)
		}
	}
	seen.fromZero()
	x := c.X.scale(seen, left, w-24, 90).tight(seen, 0)
	in := plot{left: left, right: w - 24}
	for i, panel := range panels {
		in.top, in.bottom = ys[i].to, ys[i].from
		c.ground(p, in, x)
		p.rules(in, x)
		p.upright(in, ys[i], panel.Y.heading())
		for _, line := range panel.Lines {
			p.trace(line, indexOf(series, line.Name), x, ys[i])
		}
	}
	p.across(in, x, c.X.heading())
	p.height(in.bottom + 48)
	return p.end()
}

// ground draws the phases behind a panel.
func (c Bands) ground(p *picture, in plot, x scale) {
	p.put(`<g class="ground">`)
	for _, s := range c.Spans {
		if !s.ends() {
			continue
		}
		from, to := x.at(s.From), x.at(s.To)
		p.put(`<path% d="M% %h%v%h%z"/>`, s.Mark.as(" "+s.class(), focusable+1), from, in.top, to-from, in.bottom-in.top, from-to)
	}
	p.put("</g>\n")
}

// trace draws one line, in pieces between its gaps. A sample alone between two gaps is a short dash.
func (p *picture) trace(line Line, i int, x, y scale) {
	p.put(`<g class="%" data-series="%"><path class="trace"`, hue(i), i)
	p.dash(i, "trace")
	p.put(` d="`)
	pen := markup("M")
	all := thinned(line, x, y)
	for i, v := range all {
		if math.IsNaN(v.y) {
			pen = "M"
			continue
		}
		p.put("%% %", pen, v.x, v.y)
		if pen == "M" && (i+1 == len(all) || math.IsNaN(all[i+1].y)) {
			p.put("h2")
		}
		pen = "L"
	}
	p.put(`"/></g>` + "\n")
}

// series gives the names of all lines, as the legend wants them.
func (c Bands) series() (series []Series) {
	for _, panel := range c.Panels {
		for _, line := range panel.Lines {
			if indexOf(series, line.Name) < 0 {
				series = append(series, Series{Name: line.Name, Points: make([]Point, 1)})
			}
		}
	}
	return series
}

func indexOf(series []Series, name string) int {
	for i, s := range series {
		if s.Name == name {
			return i
		}
	}
	return -1
}

// samples calls f with each sample of a line that has a time and a value.
func (l Line) samples(f func(t, v float64)) {
	for i := range min(len(l.Times), len(l.Values)) {
		if finite(l.Times[i]) && finite(l.Values[i]) {
			f(l.Times[i], l.Values[i])
		}
	}
}

func (p Panel) times() (e extent) {
	for _, l := range p.Lines {
		l.samples(func(t, _ float64) { e.add(t) })
	}
	return e
}

func (p Panel) values() (e extent) {
	for _, l := range p.Lines {
		l.samples(func(_, v float64) { e.add(v) })
	}
	return e
}
