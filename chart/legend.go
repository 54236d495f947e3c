package chart

import "servematrix/oneline"

// legend writes the series that have points, in as many lines as they need, and gives the
// height of it. A sample shows what stands for a series in the chart: its shape, its shape on
// its line, or only a trace. More are names of further lines, such as the frontier.
func (p *picture) legend(series []Series, left, top, right float64, sample markup, more ...string) float64 {
	key := 26.0 // where the name begins behind the sample
	if sample == "point" {
		key = 14
	}
	const (
		most  = 240.0
		space = 20.0
		row   = 20.0
	)
	x, y := left, top+row/2
	place := func(name string) {
		w := key + width(shorten(oneline.Of(name), most))
		if x > left && x+w > right {
			x, y = left, y+row
		}
	}
	write := func(name string) {
		p.label("label", x+key, y+4, "start", name, most)
		p.put("</g>\n")
		x += key + width(shorten(oneline.Of(name), most)) + space
	}
	p.put(`<g class="legend">` + "\n")
	for i, s := range series {
		if len(s.Points) == 0 {
			continue
		}
		place(s.Name)
		p.put(`<g class="%" data-series="%">`, hue(i), i)
		if sample != "point" && !s.Apart {
			p.put(`<path class="%" d="M% %h20"`, sample, x, y)
			p.dash(i, sample)
			p.put("/>")
		}
		if sample != "trace" {
			p.put(`<path class="point" d="M% %%"/>`, x+(key-6)/2, y, outline(i))
		}
		write(s.Name)
	}
	key = 26
	for _, name := range more {
		if name != "" {
			place(name)
			p.put(`<g><path class="frontier" d="M% %h10v6h10"/>`, x, y-3)
			write(name)
		}
	}
	p.put("</g>\n")
	return y + row/2 - top
}
