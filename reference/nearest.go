package reference

import (
	"cmp"
	"math"
	"slices"
	"strconv"
)

// unlike is how far two values lie apart that are not both positive numbers: further than any that
// are.
const unlike = 100

// distance tells how near a cell is to a published result.
type distance struct {
	own, all, same int     // conditions that differ, of the result's own and of all, and that are the same
	apart          float64 // how far the numbers that differ lie apart, in logarithms: 16 is nearer to 100 than 4
}

func (d distance) compare(o distance) int {
	return cmp.Or(cmp.Compare(d.own, o.own), cmp.Compare(d.all, o.all), cmp.Compare(o.same, d.same), cmp.Compare(d.apart, o.apart))
}

// nearest gives the cell in which the fewest conditions differ and the most are the same; the
// conditions that tell the results of the file apart weigh more than those that they share. Of
// those the one whose numbers lie nearest is taken, then the first.
func nearest(f *File, r *Result, cells []*cell) (best *cell, others int) {
	var least distance
	for _, c := range cells {
		var d distance
		for _, checked := range check(f.conditions(r), &c.sides) {
			switch checked.Status {
			case Same:
				d.same++
			case Differs:
				d.all++
				d.apart += apart(checked.There, checked.Here)
				if _, own := find(r.Conditions, checked.Name); own {
					d.own++
				}
			}
		}
		switch order := d.compare(least); {
		case best == nil || order < 0:
			best, least, others = c, d, 0
		case order == 0:
			others++
		}
	}
	return best, others
}

func apart(there, here string) float64 {
	a, err1 := strconv.ParseFloat(there, 64)
	b, err2 := strconv.ParseFloat(here, 64)
	if d := math.Abs(math.Log(a / b)); err1 == nil && err2 == nil && a > 0 && b > 0 && d < unlike {
		return d
	}
	return unlike
}

// sortByPlan puts cells into the order of the plan. Those that it lacks stay behind, as they were
// measured.
func sortByPlan(cells []*cell, plan []string) {
	place := make(map[string]int, len(plan))
	for i, id := range plan {
		place[id] = i
	}
	at := func(c *cell) int {
		if i, planned := place[c.sides.sample.Cell]; planned {
			return i
		}
		return len(plan)
	}
	slices.SortStableFunc(cells, func(a, b *cell) int { return cmp.Compare(at(a), at(b)) })
}
