package chart

import "math"

// Axis says what is counted along one side of a chart.
type Axis struct {
	// Title says what is counted: "Output throughput per device".
	Title string
	// Unit is the unit of the numbers, "" where they have none: "tok/s", "ms".
	Unit string
	// Note stands behind them: "more is better".
	Note string
	// Format says how the numbers are written.
	Format Format
	// Log makes the axis logarithmic, provided that all values are above zero.
	Log bool
	// Zero lets a linear axis start at zero.
	Zero bool
	// Less says that less is better.
	Less bool
	// Range fixes the ends, for charts that are to be laid side by side.
	Range *Range
}

// heading is the axis's title with its unit.
func (a Axis) heading() string {
	s := a.Title
	if a.Unit != "" {
		s += " (" + a.Unit + ")"
	}
	if a.Note != "" {
		s += " · " + a.Note
	}
	return s
}

// scale lays the axis between two places, with round ticks at its ends and about every room
// units between.
func (a Axis) scale(seen extent, from, to, room float64) scale {
	if a.Zero && !a.Log {
		seen.add(0)
	}
	if a.Range != nil {
		seen = extent{}
		seen.ranged(a.Range)
	}
	lo, hi := seen.padded()
	n := max(2, int(math.Abs(to-from)/room))
	s := scale{log: a.Log && lo > 0, from: from, to: to}
	var values []float64
	size := 0.0
	switch {
	case s.log && a.Format == Change:
		values, size = changes(lo, hi, n)
	case s.log && hi/lo > 4:
		values = decades(lo, hi, n)
	case a.Format == Duration:
		values, size = steps(lo, hi, n, roundTime)
	default:
		values, size = steps(lo, hi, n, round)
	}
	if s.log && values[0] <= 0 {
		values[0] = lo
	}
	s.lo, s.hi = values[0], values[len(values)-1]
	if a.Range != nil {
		s.lo, s.hi = lo, hi
	}
	for _, v := range values {
		if v < s.lo || v > s.hi {
			continue
		}
		near := size
		if near == 0 {
			near = decimal(1, math.Floor(math.Log10(v)))
		}
		s.ticks = append(s.ticks, tick{v, a.Format.written(v, near)})
	}
	return s
}

// changes gives ratios from lo to hi that are round as differences in per cent, or as
// factors where the range is wide.
func changes(lo, hi float64, n int) (values []float64, size float64) {
	if hi > 3 || lo < 1.0/3 {
		return decades(lo, hi, n), 0
	}
	percents, size := steps((lo-1)*100, (hi-1)*100, n, round)
	for _, v := range percents {
		if v > -100 {
			values = append(values, 1+v/100)
		}
	}
	return values, size / 100
}

// plot is the rectangle in which marks are drawn.
type plot struct{ left, top, right, bottom float64 }

// across draws an axis along the plot's lower side: numbers and heading. Its grid is drawn
// by rules, before the marks of each plot above it.
func (p *picture) across(in plot, s scale, heading string) {
	p.put(`<g class="tick">` + "\n")
	last := math.Inf(-1)
	for _, t := range s.ticks {
		x, half := s.at(t.at), width(t.label)/2
		if x-half < last+8 {
			continue // a number that would touch its neighbour
		}
		last = x + half
		p.put(`<text x="%" y="%" text-anchor="middle">%</text>`+"\n", math.Min(math.Max(x, half+2), p.wide-half-2), in.bottom+18, t.label)
	}
	p.put(`</g><path class="axis" d="M% %H%"/>`+"\n", in.left, in.bottom, in.right)
	p.label("title", in.right, in.bottom+38, "end", heading, in.right-8)
	p.put("\n")
}

// rules draws the grid lines of an axis that lies along the lower side.
func (p *picture) rules(in plot, s scale) {
	p.put(`<path class="grid" d="`)
	for _, t := range s.ticks {
		p.put("M% %V%", s.at(t.at), in.top, in.bottom)
	}
	p.put(`"/>` + "\n")
}

// upright draws an axis along the plot's left side; its heading stands above it, so that
// nobody has to turn the head.
func (p *picture) upright(in plot, s scale, heading string) {
	p.put(`<g class="tick">` + "\n")
	for _, t := range s.ticks {
		y := s.at(t.at)
		p.put(`<path class="grid" d="M% %H%"/><text x="%" y="%" text-anchor="end">%</text>`+"\n", in.left, y, in.right, in.left-8, y+4, t.label)
	}
	p.put("</g>")
	p.label("title", 4, in.top-14, "start", heading, in.right-8)
	p.put("\n")
}

// gutter is the room that the numbers of an upright axis need.
func gutter(s scale) float64 {
	w := 0.0
	for _, t := range s.ticks {
		w = math.Max(w, width(t.label))
	}
	return math.Ceil(w) + 16
}
