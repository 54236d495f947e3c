package chart

import (
	"cmp"
	"math"
	"slices"
)

// ending is the last point of a line and where its name stands.
type ending struct {
	i       int // of the series
	name    string
	x, y    float64 // of the point
	written float64 // y of the name
}

const lineHeight = 16.0

// endings places the names of lines at their right ends, in the order of the ends and none
// upon another. It gives none where there are too many, or where a line ends far from the
// right side: then a legend is easier to read.
func endings(series []Series, x, y scale, in plot) []ending {
	var ends []ending
	for i, s := range series {
		for _, pt := range slices.Backward(s.Points) {
			if x.holds(pt.X) && y.holds(pt.Y) {
				ends = append(ends, ending{i: i, name: s.Name, x: x.at(pt.X), y: y.at(pt.Y)})
				break
			}
		}
	}
	if len(ends) > colours || float64(len(ends))*lineHeight > in.bottom-in.top {
		return nil
	}
	slices.SortStableFunc(ends, func(a, b ending) int { return cmp.Compare(a.y, b.y) })
	for i := range ends {
		if in.right-ends[i].x > (in.right-in.left)/5 {
			return nil
		}
		ends[i].written = ends[i].y
	}
	spread(ends, in.top, in.bottom)
	return ends
}

// spread moves names apart, as little as it can: neighbours that would touch form a heap
// around the middle of their ends, and heaps that touch become one.
func spread(ends []ending, top, bottom float64) {
	type heap struct{ from, to int }
	place := func(h heap) (first float64) {
		sum := 0.0
		for _, e := range ends[h.from:h.to] {
			sum += e.y
		}
		n := float64(h.to - h.from)
		first = sum/n - (n-1)/2*lineHeight
		return math.Max(top, math.Min(first, bottom-(n-1)*lineHeight))
	}
	var heaps []heap
	for i := range ends {
		h := heap{i, i + 1}
		for len(heaps) > 0 {
			above := heaps[len(heaps)-1]
			if place(above)+float64(above.to-above.from)*lineHeight <= place(h) {
				break
			}
			h.from = above.from
			heaps = heaps[:len(heaps)-1]
		}
		heaps = append(heaps, h)
	}
	for _, h := range heaps {
		first := place(h)
		for i := h.from; i < h.to; i++ {
			ends[i].written = first + float64(i-h.from)*lineHeight
		}
	}
}

// endings writes the names, and a fine line to those that do not stand beside their end.
func (p *picture) endings(ends []ending, in plot, room float64) {
	for _, e := range ends {
		p.put(`<g class="%" data-series="%">`, hue(e.i), e.i)
		if math.Abs(e.written-e.y) > 3 || in.right-e.x > 30 {
			p.put(`<path class="leader" d="M% %L% %"/>`, e.x+7, e.y, in.right+8, e.written)
		}
		p.label("label", in.right+12, e.written+4, "start", e.name, room)
		p.put("</g>\n")
	}
}
