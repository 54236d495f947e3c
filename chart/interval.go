package chart

import "math"

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
		names = math.Max(names, width(visible(r.Name)))
		texts = math.Max(texts, width(visible(r.Text)))
	}
	w := or(c.Width, 960)
	names, texts = math.Min(names, w/3), math.Min(texts, w/4)
	in := plot{left: 4 + names + 20, right: w - 4 - texts - 20, top: 26}
	in.bottom = in.top + intervalRow*float64(len(c.Rows))
	s := c.scale(in.left, in.right)
	p := c.begin("interval", w, in.bottom+46, len(c.Rows) <= focusable)
	c.ground(p, s, in.top, in.bottom)
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
			smallWidth, smallHeight, visible(r.Text))
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
	v := verdicts[r.Verdict]
	p.put(`<g%>`, r.Mark.as(" "+v.class, n))
	if r.Range != nil {
		low, high := s.at(orEnd(r.Range.Low, s.lo)), s.at(orEnd(r.Range.High, s.hi))
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

func orEnd(v, end float64) float64 {
	if finite(v) {
		return v
	}
	return end
}

// seen is what the axis should show: all values, the baseline, and the intervals unless they
// are so wide that nothing else could be told apart.
func (c Interval) seen() extent {
	var values extent
	for _, r := range c.Rows {
		if finite(r.Value) && (!c.Axis.Log || r.Value > 0) {
			values.add(r.Value)
		}
	}
	if !values.any {
		return values
	}
	values.add(c.Baseline)
	if c.Same != nil {
		values.ranged(c.Same)
	}
	far := Range{math.Inf(-1), math.Inf(1)}
	if c.Axis.Log && c.Baseline > 0 {
		far = Range{math.Min(values.lo, c.Baseline/2), math.Max(values.hi, c.Baseline*2)}
	}
	e := values
	for _, r := range c.Rows {
		if r.Range != nil && finite(r.Value) {
			e.add(math.Max(r.Range.Low, far.Low), math.Min(r.Range.High, far.High))
		}
	}
	return e
}

func (c Interval) scale(from, to float64) scale {
	return c.Axis.scale(c.seen(), from, to, 80)
}
