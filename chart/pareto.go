package chart

import "servematrix/oneline"

// Pareto draws two metrics of each cell against each other and the frontier: the points that
// no other point beats in both.
type Pareto struct {
	Frame
	X, Y     Axis // Less says which way is good
	Series   []Series
	Frontier string // what the frontier's line is called
}

// SVG draws the points, series by series, and the frontier through the best of them.
func (c Pareto) SVG() []byte {
	var xs, ys extent
	var all []Point
	for _, s := range c.Series {
		for _, pt := range s.Points {
			if finite(pt.X) && finite(pt.Y) {
				all = append(all, pt)
				xs.add(pt.X)
				xs.ranged(pt.XRange)
				ys.add(pt.Y)
				ys.ranged(pt.YRange)
			}
		}
	}
	if len(all) == 0 {
		return c.vacant("pareto")
	}
	w := or(c.Width, 960)
	p := c.begin("pareto", w, 0, len(all) <= focusable)
	top := p.legend(c.Series, 4, 4, w-4, "point", c.Frontier)
	in := plot{top: top + 40, right: w - 24}
	in.bottom = in.top + or(c.Height, 440) - 108
	y := c.Y.scale(ys, in.bottom, in.top, 48)
	in.left = gutter(y)
	x := c.X.scale(xs, in.left, in.right, 90).tight(xs, .03)
	p.upright(in, y, c.Y.heading())
	p.rules(in, x)
	p.across(in, x, c.X.heading())
	best := frontier(all, c.X.Less, c.Y.Less)
	p.steps(best, x, y, c.X.Less)
	for i, s := range c.Series {
		p.cloud(i, s, x, y, len(all))
	}
	p.names(best, all, x, y, in)
	p.height(in.bottom + 48)
	return p.end()
}

// steps draws the frontier: what no measured configuration reaches lies beyond it, and
// nothing is claimed between two of them.
func (p *picture) steps(best []Point, x, y scale, lessX bool) {
	p.put(`<path class="frontier" d="`)
	for i, pt := range best {
		px, py := x.at(pt.X), y.at(pt.Y)
		switch {
		case i == 0:
			p.put("M% %", px, py)
		case lessX:
			p.put("H%V%", px, py)
		default:
			p.put("V%H%", py, px)
		}
	}
	p.put(`"/>` + "\n")
}

// crowd is how many points a chart may have until they are drawn small.
const crowd = 600

// cloud draws the points of one series.
func (p *picture) cloud(i int, s Series, x, y scale, n int) {
	if len(s.Points) == 0 {
		return
	}
	shape, class := outline(i), markup(" point")
	if n > crowd {
		shape, class = specks[(i+i/colours)%len(specks)], "" // thousands of marks: every byte counts
	}
	p.put(`<g class="%%" data-series="%">`+"\n", hue(i), markup(map[bool]string{true: " crowd"}[n > crowd]), i)
	for _, pt := range s.Points {
		if x.holds(pt.X) && y.holds(pt.Y) {
			p.whiskers(pt, x, y)
			p.put(`<path% d="M% %%"/>`+"\n", pt.as(class, n), x.at(pt.X), y.at(pt.Y), shape)
		}
	}
	p.put("</g>\n")
}

// names writes the labels of the frontier's points where they touch neither a point nor each
// other: right of it, left, above or below.
func (p *picture) names(best, all []Point, x, y scale, in plot) {
	var taken []plot
	for _, pt := range all {
		px, py := x.at(pt.X), y.at(pt.Y)
		taken = append(taken, plot{px - 5, py - 5, px + 5, py + 5})
	}
	if len(all) > crowd {
		return
	}
	for _, pt := range best {
		if pt.Label == "" {
			continue
		}
		px, py := x.at(pt.X), y.at(pt.Y)
		short := shorten(oneline.Of(pt.Label), 140)
		w := width(short)
		for _, try := range []struct {
			x, y   float64 // of the text's anchor
			left   float64
			anchor markup
		}{{px + 9, py - 6, px + 9, "start"}, {px + 9, py + 13, px + 9, "start"}, {px - 9, py - 6, px - 9 - w, "end"},
			{px - 9, py + 13, px - 9 - w, "end"}, {px, py - 11, px - w/2, "middle"}, {px, py + 20, px - w/2, "middle"}} {
			box := plot{try.left, try.y - font + 2, try.left + w, try.y + 3}
			if box.left < in.left || box.right > in.right+20 || box.top < in.top-4 || box.bottom > in.bottom || box.meets(taken) {
				continue
			}
			p.put(`<g class="mark"`)
			p.owner(pt)
			p.put(">")
			p.label("name", try.x, try.y, try.anchor, pt.Label, 140)
			p.put("</g>\n")
			taken = append(taken, box)
			break
		}
	}
}

// meets tells whether a box overlaps one of others.
func (b plot) meets(others []plot) bool {
	for _, o := range others {
		if b.left < o.right && o.left < b.right && b.top < o.bottom && o.top < b.bottom {
			return true
		}
	}
	return false
}
