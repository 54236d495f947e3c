package chart

import (
	"cmp"
	"math"
	"slices"
)

// frontier gives the points that no other one beats: none is as good in both ways and better
// in one. Equal points are all in it. They come in the order of x.
func frontier(points []Point, lessX, lessY bool) []Point {
	gain := func(v float64, less bool) float64 {
		if less {
			return -v
		}
		return v
	}
	var rest []Point
	for _, p := range points {
		if finite(p.X) && finite(p.Y) && p.State == Measured {
			rest = append(rest, p)
		}
	}
	slices.SortStableFunc(rest, func(a, b Point) int { // best in x first, of equals best in y
		return cmp.Or(cmp.Compare(gain(b.X, lessX), gain(a.X, lessX)), cmp.Compare(gain(b.Y, lessY), gain(a.Y, lessY)))
	})
	var best []Point
	top := math.Inf(-1)
	for _, p := range rest {
		y := gain(p.Y, lessY)
		if n := len(best); y > top || y == top && best[n-1].X == p.X {
			best, top = append(best, p), y
		}
	}
	slices.SortStableFunc(best, func(a, b Point) int { return cmp.Compare(a.X, b.X) })
	return best
}
