package chart

// legend writes the series that have points, with shape and dashes, in as many lines as they
// need, and gives the height of it.
func (p *picture) legend(series []Series, left, top, right float64, lines bool) float64 {
	const (
		key   = 24.0 // the sample of line and shape
		most  = 220.0
		space = 18.0
		row   = 20.0
	)
	x, y := left, top+row/2
	p.put(`<g class="legend">` + "\n")
	for i, s := range series {
		if len(s.Points) == 0 {
			continue
		}
		w := key + width(shorten(visible(s.Name), most))
		if x > left && x+w > right {
			x, y = left, y+row
		}
		p.put(`<g class="%" data-series="%">`, hue(i), i)
		if lines {
			p.put(`<path class="line" d="M% %h18"`, x, y)
			p.dash(i)
			p.put("/>")
		}
		p.put(`<path class="point" d="M% %%"/>`, x+9, y, outline(i))
		p.label("label", x+key, y+4, "start", s.Name, most)
		p.put("</g>\n")
		x += w + space
	}
	p.put("</g>\n")
	return y + row/2 - top
}
