package chart

import (
	"math"
	"slices"

	"servematrix/oneline"
)

// Curves draws a metric over a load, a line for each series.
type Curves struct {
	Frame
	X, Y   Axis
	Series []Series // points in the order of X
}

// SVG draws the curves. A gap in a series is a gap in its line; a failed point whose place is
// known is a cross on the axis.
func (c Curves) SVG() []byte {
	var xs, ys extent
	for _, s := range c.Series {
		for _, pt := range s.Points {
			if finite(pt.X) && (finite(pt.Y) || pt.State == Failed) {
				xs.add(pt.X)
				ys.add(pt.Y)
				ys.ranged(pt.YRange)
			}
		}
	}
	if !ys.any {
		return c.vacant("curves")
	}
	n := count(c.Series)
	w := or(c.Width, 960)
	high := or(c.Height, 380) - 88 // of the plot
	p := c.begin("curves", w, 0, n <= focusable)
	names := 0.0
	for _, s := range c.Series {
		names = math.Max(names, width(oneline.Of(s.Name)))
	}
	names = math.Min(names, w/5)
	in := plot{top: 36, right: w - names - 24, bottom: 36 + high}
	y := c.Y.scale(ys, in.bottom, in.top, 48)
	in.left = gutter(y)
	x := c.across(xs, in)
	ends := endings(c.Series, x, y, in)
	if ends == nil {
		in.right = w - 24
		in.top += p.legend(c.Series, 4, 4, w-4, "line") + 4
		in.bottom = in.top + high
		y = c.Y.scale(ys, in.bottom, in.top, 48)
		in.left = gutter(y)
		x = c.across(xs, in)
	}
	p.upright(in, y, c.Y.heading())
	p.rules(in, x)
	p.across(in, x, c.X.heading())
	for i, s := range c.Series {
		p.curve(i, s, x, y, n)
	}
	p.endings(ends, in, names)
	p.height(in.bottom + 48)
	return p.end()
}

// across lays the axis of the load. Where there are few loads its ticks are the loads that
// were measured: nobody asks what a concurrency of 50 would be.
func (c Curves) across(seen extent, in plot) scale {
	x := c.X.scale(seen, in.left, in.right, 90).tight(seen, .015)
	var loads []float64
	for _, s := range c.Series {
		for _, pt := range s.Points {
			if x.holds(pt.X) && !slices.Contains(loads, pt.X) {
				if loads = append(loads, pt.X); len(loads) > 12 {
					return x
				}
			}
		}
	}
	slices.Sort(loads)
	x.ticks = nil
	last := math.Inf(-1)
	for _, v := range loads {
		label := c.X.Format.written(v, figures(v))
		if at, half := x.at(v), width(label)/2; at-half > last+8 {
			x.ticks = append(x.ticks, tick{v, label})
			last = at + half
		}
	}
	return x
}

// curve draws one series: its line in pieces between the gaps, then intervals and points.
func (p *picture) curve(i int, s Series, x, y scale, n int) {
	if len(s.Points) == 0 {
		return
	}
	p.put(`<g class="%" data-series="%">`, hue(i), i)
	if !s.Apart {
		p.joined(i, s, x, y)
	}
	for _, pt := range s.Points {
		switch known := x.holds(pt.X); {
		case known && y.holds(pt.Y):
			p.whiskers(pt, x, y)
			p.put(`<path% d="M% %%"/>`+"\n", pt.as(" point", n), x.at(pt.X), y.at(pt.Y), outline(i))
		case known && pt.State == Failed:
			p.put(`<path% d="M% %m-4-4l8 8m0-8l-8 8"/>`+"\n", pt.as(" lost", n), x.at(pt.X), y.from)
		}
	}
	p.put("</g>\n")
}

// joined draws the line of a series.
func (p *picture) joined(i int, s Series, x, y scale) {
	p.put(`<path class="line"`)
	p.dash(i, "line")
	p.put(` d="`)
	pen := markup("M")
	for _, pt := range s.Points {
		if !x.holds(pt.X) || !y.holds(pt.Y) {
			pen = "M"
			continue
		}
		p.put(`%% %`, pen, x.at(pt.X), y.at(pt.Y))
		pen = "L"
	}
	p.put(`"/>` + "\n")
}
