package chart

import (
	"math"
	"slices"
)

// scale maps values of an axis to places in the picture.
type scale struct {
	log      bool
	lo, hi   float64 // values at the ends; lo < hi, both > 0 where log
	from, to float64 // their places
	ticks    []tick
}

// at gives the place of a value; values beyond the ends are held at them.
func (s scale) at(v float64) float64 {
	t := 0.0
	if s.log {
		t = math.Log(math.Max(v, s.lo)/s.lo) / math.Log(s.hi/s.lo)
	} else {
		t = (v - s.lo) / (s.hi - s.lo)
	}
	return s.from + math.Min(math.Max(t, 0), 1)*(s.to-s.from)
}

// span gives the places of an interval's ends; an open one lies at the end of the axis.
func (s scale) span(r *Range) (low, high float64) {
	low, high = s.from, s.to
	if finite(r.Low) {
		low = s.at(r.Low)
	}
	if finite(r.High) {
		high = s.at(r.High)
	}
	return low, high
}

// tight ends the axis at the values themselves, with pad (a share of the axis) beside them.
func (s scale) tight(seen extent, pad float64) scale {
	lo, hi := seen.padded()
	if s.log {
		room := math.Pow(hi/lo, pad)
		s.lo, s.hi = lo/room, hi*room
	} else {
		room := (hi - lo) * pad
		s.lo, s.hi = lo-room, hi+room
		if lo >= 0 && s.lo < 0 {
			s.lo = 0
		}
	}
	s.ticks = slices.DeleteFunc(s.ticks, func(t tick) bool { return t.at < s.lo || t.at > s.hi })
	return s
}

// holds tells whether a value lies on the axis.
func (s scale) holds(v float64) bool { return finite(v) && (!s.log || v > 0) }

// extent is the least range that holds all finite values it has seen.
type extent struct {
	lo, hi float64
	any    bool
}

func (e *extent) add(values ...float64) {
	for _, v := range values {
		if !finite(v) {
			continue
		}
		if !e.any {
			e.lo, e.hi, e.any = v, v, true
		}
		e.lo, e.hi = math.Min(e.lo, v), math.Max(e.hi, v)
	}
}

// ranged adds the ends of an interval, where there is one.
func (e *extent) ranged(r *Range) {
	if r.known() {
		e.add(r.Low, r.High)
	}
}

// fromZero lets values begin at zero that nearly do.
func (e *extent) fromZero() {
	if e.lo > 0 && e.lo < e.hi/20 {
		e.lo = 0
	}
}

// padded gives a range that is not empty, whatever was seen.
func (e extent) padded() (lo, hi float64) {
	switch {
	case !e.any:
		return 0, 1
	case e.hi-e.lo > 1e-9*math.Max(math.Abs(e.lo), math.Abs(e.hi)):
		return e.lo, e.hi
	case e.lo == 0:
		return 0, 1
	}
	room := math.Abs(e.lo) / 10
	return e.lo - room, e.hi + room
}
