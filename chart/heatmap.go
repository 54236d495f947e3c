package chart

import (
	"math"

	"servematrix/oneline"
)

// Heatmap draws one metric over two axes of the matrix. A value, a failure and a cell that
// has not run are three different things.
type Heatmap struct {
	Frame
	XTitle, YTitle string   // what the columns and the rows are
	XNames, YNames []string // the columns from left to right, the rows from top to bottom
	Value          Axis     // the metric; Format Change takes a ramp that parts at a ratio of 1, Range fixes the ends
	Cells          []HeatCell
	Failed, NotRun string // what the two are called in the legend
}

// HeatCell is one field. Several cells in one field lie over each other: leave all but one
// out, or draw a chart for each.
type HeatCell struct {
	Mark
	X, Y  int // column and row
	Value float64
}

// grid says where the fields of a heat map lie.
type grid struct {
	left, top, w, h float64 // of the first field
	gap             float64 // between two
	slant           bool    // the columns' names are slanted
}

// SVG draws the fields, the names of columns and rows, and what the colours say.
func (c Heatmap) SVG() []byte {
	if len(c.XNames) == 0 || len(c.YNames) == 0 || len(c.Cells) == 0 {
		return c.vacant("heatmap")
	}
	r := c.ramp()
	g, w, names, foot := c.layout(r)
	bottom := g.top + g.h*float64(len(c.YNames))
	p := c.begin("heatmap", w, bottom+foot, len(c.Cells) <= focusable)
	c.legend(p, r, w)
	p.label("title", g.left-8, g.top-10, "end", c.YTitle, g.left-12)
	every := int(math.Ceil(15 / g.h))
	for i, name := range c.YNames {
		if i%every == 0 {
			p.label("label", g.left-8, g.top+g.h*(float64(i)+.5)+4, "end", name, names)
		}
	}
	p.put("\n")
	c.columns(p, g, bottom)
	if g.slant {
		p.label("title", g.left+g.w*float64(len(c.XNames)), bottom+foot-10, "end", c.XTitle, w-16)
	} else {
		p.label("title", g.left-8, bottom+18, "end", c.XTitle, g.left-12)
	}
	p.put("\n")
	for _, cell := range c.Cells {
		if cell.X >= 0 && cell.X < len(c.XNames) && cell.Y >= 0 && cell.Y < len(c.YNames) {
			c.field(p, g, r, cell)
		}
	}
	return p.end()
}

// layout finds the size of the fields: as large as the width allows, in the shape of a card; with a
// height as large as fill it.
func (c Heatmap) layout(r ramp) (g grid, w, names, foot float64) {
	w = or(c.Width, 960)
	for _, n := range c.YNames {
		names = math.Max(names, width(oneline.Of(n)))
	}
	names = math.Min(names, w/4)
	g.left = math.Max(names, math.Min(math.Max(width(oneline.Of(c.YTitle)), width(oneline.Of(c.XTitle))), w/4)) + 16
	g.w = math.Min(132, (w-g.left-12)/float64(len(c.XNames)))
	g.h = math.Max(math.Min(36, g.w), math.Min(18, 8*g.w))
	if rows := float64(len(c.YNames)); rows*g.h > 1200 {
		g.h = math.Max(1200/rows, .5)
	}
	if g.w < .5 {
		g.w = .5
		w = g.left + 12 + g.w*float64(len(c.XNames))
	}
	if least := math.Min(g.w, g.h); least > 4 {
		g.gap = math.Min(1.5, least/16)
	}
	g.top = 58
	longest := 0.0
	for _, n := range c.XNames {
		longest = math.Max(longest, width(oneline.Of(n)))
	}
	g.slant = longest > g.w-6
	foot = 28
	if g.slant {
		foot = math.Min(longest, slanted)*.64 + 50
	}
	if c.Height > 0 {
		g.w = math.Min(260, (w-g.left-12)/float64(len(c.XNames)))
		g.h = math.Max(g.h, math.Min(math.Min(64, g.w), (c.Height-g.top-foot)/float64(len(c.YNames))))
	}
	return g, w, names, foot
}

// slanted is how long a column's name may be where names are slanted.
const slanted = 130.0

// columns names the columns below them, slanted where they are too long to stand side by
// side, and only some of them where even that would be too tight.
func (c Heatmap) columns(p *picture, g grid, bottom float64) {
	every := int(math.Ceil(15 / g.w))
	for i, name := range c.XNames {
		x := g.left + g.w*(float64(i)+.5)
		switch {
		case !g.slant:
			p.label("label", x, bottom+18, "middle", name, g.w-6)
		case i%every == 0:
			p.put(`<g transform="translate(% %)rotate(-40)">`, x+4, bottom+14)
			p.label("label", 0, 0, "end", name, math.Min(slanted, (x-4)/.77))
			p.put("</g>")
		}
	}
	p.put("\n")
}

// field draws one cell, with its value in it where that fits.
func (c Heatmap) field(p *picture, g grid, r ramp, cell HeatCell) {
	x, y := g.left+g.w*float64(cell.X), g.top+g.h*float64(cell.Y)
	class := markup("")
	known := cell.State == Measured && r.holds(cell.Value)
	switch {
	case known:
		class = " " + r.class(cell.Value)
	case cell.State == Measured:
		cell.State = NotRun
	}
	mark := cell.Mark.as(class, len(c.Cells))
	var text string
	if known {
		text = c.Value.Format.written(cell.Value, r.digits(cell.Value))
	}
	written := text != "" && g.h >= 15 && width(text)+6 <= g.w
	if written {
		p.put(`<g%><path d="M% %h%v%h%z"/>`, mark, x, y, g.w-g.gap, g.h-g.gap, -(g.w - g.gap))
		p.put(`<text x="%" y="%" text-anchor="middle">%</text></g>`+"\n", x+(g.w-g.gap)/2, y+(g.h-g.gap)/2+4, text)
		return
	}
	p.put(`<path% d="M% %h%v%h%z"`, mark, x, y, g.w-g.gap, g.h-g.gap, -(g.w - g.gap))
	if cell.State == Failed {
		p.put(` fill="url(#%-hatch)"`, c.ID)
	}
	p.put("/>\n")
}

// legend says what the colours mean: the ramp with its ends, then failed and not run, those
// that occur.
func (c Heatmap) legend(p *picture, r ramp, w float64) {
	const y, size = 8.0, 14.0
	x := 4.0
	var failed, missing bool
	for _, cell := range c.Cells {
		failed = failed || cell.State == Failed
		missing = missing || cell.State == NotRun || cell.State == Measured && !r.holds(cell.Value)
	}
	p.put(`<g class="legend">` + "\n")
	if r.seen.any {
		heading := shorten(oneline.Of(c.Value.heading()), w/3)
		p.label("title", x, y+11, "start", c.Value.heading(), w/3)
		x += width(heading) + 14
		low, high := r.written(c.Value.Format)
		p.put(`<text class="label" x="%" y="%">%</text>`, x, y+11, low)
		x += width(low) + 6
		for i := range ramps {
			p.put(`<g class="%"><path d="M% %h%v%h%z"/></g>`, r.step(i), x+18*float64(i), y, 18.0, size, -18.0)
		}
		x += 18*ramps + 6
		p.put(`<text class="label" x="%" y="%">%</text>`+"\n", x, y+11, high)
		x += width(high) + 24
	}
	for _, s := range []struct {
		there bool
		state State
		name  string
	}{{failed, Failed, c.Failed}, {missing, NotRun, c.NotRun}} {
		if !s.there {
			continue
		}
		p.put(`<path class="key%" d="M% %h22v%h-22z"`, s.state.class(), x, y, size)
		if s.state == Failed {
			p.put(` fill="url(#%-hatch)"`, c.ID)
		}
		p.put("/>")
		room := math.Max(w-x-28, 0)
		if s.state == Failed && missing {
			room = math.Max(room/2-26, 0)
		}
		p.label("label", x+28, y+11, "start", s.name, room)
		x += 28 + width(shorten(oneline.Of(s.name), room)) + 24
	}
	p.put("</g>\n")
}
