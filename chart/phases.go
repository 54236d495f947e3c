package chart

import "servematrix/oneline"

// phases are the classes of the phases' colours.
var phases = [...]markup{"p0", "p1", "p2", "p3", "p4", "p5"}

// phases writes what the colours of phases mean, and gives the height of it.
func (p *picture) phases(class markup, id string, names []string, failedName string, failed bool, left, top, right float64) float64 {
	const row, room = 20.0, 200.0
	x, y := left, top
	p.put(`<g class="legend %">`+"\n", class)
	key := func(class, fill markup, name string) {
		w := 28 + width(shorten(oneline.Of(name), room)) + 20
		if x > left && x+w > right {
			x, y = left, y+row
		}
		p.put(`<path class="%" d="M% %h20v12h-20z"%/>`, class, x, y+2, fill)
		p.label("label", x+28, y+12, "start", name, room)
		p.put("\n")
		x += w
	}
	for i, name := range names {
		key(phases[i%len(phases)], "", name)
	}
	if failed {
		key("broken", markup(` fill="url(#`+identifier(id)+`-hatch)"`), failedName)
	}
	p.put("</g>\n")
	return y + row - top
}
