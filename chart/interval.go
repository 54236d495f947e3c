package chart

import (
	"math"
	"slices"

	"servematrix/oneline"
)

// Interval draws values with their intervals around a baseline: one row each, as beside the
// lines of an A/B table.
type Interval struct {
	Frame
	Axis Axis
	// Baseline is where nothing differs: 1 for ratios, 0 for differences. BaselineName stands
	// at its line.
	Baseline     float64
	BaselineName string
	// Same is the range in which a difference is too small to matter; nil for none.
	Same *Range
	Rows []IntervalRow
}

// IntervalRow is one comparison.
type IntervalRow struct {
	Mark
	Name    string
	Value   float64
	Range   *Range // nil where there is no interval
	Verdict Verdict
	// Text stands at the end of the row: the same in figures.
	Text string
}

// Verdict gives a row its colour and shape.
type Verdict int

// The verdicts of a comparison.
const (
	Inconclusive Verdict = iota
	Better
	Worse
	Equivalent
)

// verdicts are their classes and shapes: a dot to the good, a square to the bad, a diamond
// for no difference, an open ring where nothing is known.
var verdicts = [...]struct{ class, outline markup }{
	Inconclusive: {"unclear", outlines[0]},
	Better:       {"better", outlines[0]},
	Worse:        {"worse", outlines[1]},
	Equivalent:   {"alike", outlines[3]},
}

const (
	intervalRow = 26.0 // height of a row of the figure
	smallWidth  = 160.0
	smallHeight = 18.0
)

// SVG draws all rows as one figure: names, intervals over a common axis, figures.
func (c Interval) SVG() []byte {
	if len(c.Rows) == 0 || !c.seen().any {
		return c.vacant("interval")
	}
	names, texts := 0.0, 0.0
	for _, r := range c.Rows {
		names = math.Max(names, width(oneline.Of(r.Name)))
		texts = math.Max(texts, width(oneline.Of(r.Text)))
	}
	w := or(c.Width, 960)
	names, texts = math.Min(names, w/3), math.Min(texts, w/4)
	in := plot{left: 4 + names + 20, right: w - 4 - texts - 20, top: 26}
	in.bottom = in.top + intervalRow*float64(len(c.Rows))
	s := c.scale(in.left, in.right)
	p := c.begin("interval", w, in.bottom+46, len(c.Rows) <= focusable)
	c.ground(p, s, in.top, in.bottom)
	p.rules(in, s)
	p.across(in, s, c.Axis.heading())
	base := s.at(c.Baseline)
	p.put(`<path class="baseline" d="M% %V%"/>`, base, in.top-4, in.bottom)
	half := math.Min(base-4, w-4-base)
	p.label("note", base, in.top-10, "middle", c.BaselineName, 2*half)
	p.put("\n")
	for i, r := range c.Rows {
		y := in.top + intervalRow*(float64(i)+.5)
		p.label("label", 4, y+4, "start", r.Name, names)
		c.row(p, r, s, y, len(c.Rows))
		p.label("label figures", w-4, y+4, "end", r.Text, texts)
		p.put("\n")
	}
	return p.end()
}

// Small draws each row as a picture of its own, for a column of a table; all have the same
// axis, which the figures of the table explain.
func (c Interval) Small() [][]byte {
	s := c.scale(6, smallWidth-6)
	rows := make([][]byte, len(c.Rows))
	for i, r := range c.Rows {
		p := &picture{}
		p.put(`<svg xmlns="http://www.w3.org/2000/svg" class="chart small" viewBox="0 0 % %" role="img" aria-label="%">`,
			smallWidth, smallHeight, oneline.Of(r.Text))
		c.ground(p, s, 0, smallHeight)
		p.put(`<path class="baseline" d="M% 0V%"/>`, s.at(c.Baseline), smallHeight)
		c.row(p, r, s, smallHeight/2, focusable+1)
		p.put("</svg>")
		rows[i] = p.b
	}
	return rows
}

// ground draws the range of differences that do not matter.
func (c Interval) ground(p *picture, s scale, top, bottom float64) {
	if c.Same != nil {
		p.put(`<path class="same" d="M% %H%V%H%z"/>`, s.at(c.Same.Low), top, s.at(c.Same.High), bottom, s.at(c.Same.Low))
	}
}

// row draws one interval and its value. An end beyond the axis, or an open one, is an arrow.
func (c Interval) row(p *picture, r IntervalRow, s scale, y float64, n int) {
	if !s.holds(r.Value) {
		return
	}
	v := verdicts[Inconclusive]
	if r.Verdict > 0 && int(r.Verdict) < len(verdicts) {
		v = verdicts[r.Verdict]
	}
	p.put(`<g%>`, r.Mark.as(" "+v.class, n))
	if r.Range.known() {
		low, high := s.span(r.Range)
		p.put(`<path class="whisker" d="M% %H%`, low, y, high)
		if !(r.Range.Low >= s.lo) {
			p.put("M% %l-5 4 5 4", low+5, y-4)
		} else {
			p.put("M% %v8", low, y-4)
		}
		if !(r.Range.High <= s.hi) {
			p.put("M% %l5 4-5 4", high-5, y-4)
		} else {
			p.put("M% %v8", high, y-4)
		}
		p.put(`"/>`)
	}
	p.put(`<path class="point" d="M% %%"/></g>`, s.at(r.Value), y, v.outline)
}

// seen is what the axis should show: all values, the baseline, and of the intervals as much
// as leaves the others legible. A few wide ones would else press all others flat.
func (c Interval) seen() extent {
	var values extent
	var lengths []float64
	for _, r := range c.Rows {
		if !finite(r.Value) || c.Axis.Log && r.Value <= 0 {
			continue
		}
		values.add(r.Value)
		if r.Range.known() {
			lengths = append(lengths, math.Abs(c.apart(r.Range.Low, r.Range.High)))
		}
	}
	if !values.any {
		return values
	}
	values.add(c.Baseline)
	values.ranged(c.Same)
	room := math.Abs(c.apart(values.lo, values.hi))
	if slices.Sort(lengths); len(lengths) > 0 {
		if usual := lengths[len(lengths)/2]; finite(usual) {
			room = math.Max(room, 1.5*usual)
		}
	}
	least, most := values.lo-room, values.hi+room
	if c.Axis.Log {
		least, most = values.lo*math.Exp(-room), values.hi*math.Exp(room)
	}
	e := values
	for _, r := range c.Rows {
		if r.Range.known() && finite(r.Value) {
			e.add(math.Max(r.Range.Low, least), math.Min(r.Range.High, most))
		}
	}
	return e
}

// apart is the distance of two values on the axis.
func (c Interval) apart(a, b float64) float64 {
	if c.Axis.Log {
		return math.Log(b / a)
	}
	return b - a
}

func (c Interval) scale(from, to float64) scale {
	seen := c.seen()
	return c.Axis.scale(seen, from, to, 80).tight(seen, .04)
}
