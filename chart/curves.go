package chart

// Curves draws a metric over a load, a line for each series.
type Curves struct {
	Frame
	X, Y   Axis
	Series []Series // points in the order of X
}

// SVG draws the curves. A gap in a series is a gap in its line.
func (c Curves) SVG() []byte {
	var xs, ys extent
	for _, s := range c.Series {
		for _, pt := range s.Points {
			if finite(pt.X) && finite(pt.Y) {
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
	w, h := or(c.Width, 960), or(c.Height, 380)
	p := c.begin("curves", w, h, n <= focusable)
	top := p.legend(c.Series, 4, 4, w-4, true)
	in := plot{top: top + 40, right: w - 24, bottom: h - 48}
	y := c.Y.scale(ys, in.bottom, in.top, 48)
	in.left = gutter(y)
	x := c.X.scale(xs, in.left, in.right, 90)
	p.upright(in, y, c.Y.heading())
	p.across(in, x, c.X.heading())
	for i, s := range c.Series {
		p.curve(i, s, x, y, n)
	}
	return p.end()
}

// curve draws one series: its line in pieces between the gaps, then intervals and points.
func (p *picture) curve(i int, s Series, x, y scale, n int) {
	if len(s.Points) == 0 {
		return
	}
	p.put(`<g class="%" data-series="%"><path class="line"`, hue(i), i)
	p.dash(i)
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
	for _, pt := range s.Points {
		if !x.holds(pt.X) || !y.holds(pt.Y) {
			continue
		}
		p.whiskers(pt, x, y)
		p.put(`<path% d="M% %%"/>`+"\n", pt.as(" point", n), x.at(pt.X), y.at(pt.Y), outline(i))
	}
	p.put("</g>\n")
}
