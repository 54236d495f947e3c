package chart

import "math"

// alike are bars so many that every byte counts: those of one cell that look alike are one mark,
// wherever they lie.
type alike struct {
	order []Mark
	known map[Mark]*picture
}

// of gives what the bars of a mark are added to.
func (a *alike) of(m Mark) *picture {
	outline := a.known[m]
	if outline == nil {
		outline = &picture{}
		a.known[m] = outline
		a.order = append(a.order, m)
	}
	return outline
}

// alike draws each mark with all its bars.
func (p *picture) alike(a *alike) {
	if a == nil {
		return
	}
	for _, m := range a.order {
		p.put(`<path% d="`, m)
		p.b = append(p.b, a.known[m].b...)
		p.put(`"/>` + "\n")
	}
}

// whole is bar in whole units.
func (p *picture) whole(x, y, width, height float64) {
	from := math.Round(x)
	p.bar(from, y, math.Max(1, math.Round(x+width)-from), height)
}

// bar appends the outline of a rectangle.
func (p *picture) bar(x, y, width, height float64) {
	p.put("M% %h%v%h%z", x, y, width, height, -width)
}
