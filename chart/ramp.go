package chart

import "math"

// ramps is how many steps the colours of a heat map have: as many as can be told apart in a
// legend. The middle one of a diverging ramp is no difference.
const ramps = 9

// ramp turns values into steps of colour.
type ramp struct {
	seen   extent
	log    bool
	change bool // diverging around a ratio of one
	less   bool // of a ratio less is better
}

func (c Heatmap) ramp() ramp {
	r := ramp{change: c.Value.Format == Change, less: c.Value.Less}
	for _, cell := range c.Cells {
		if cell.State == Measured && r.holds(cell.Value) {
			r.seen.add(cell.Value)
		}
	}
	if c.Value.Range.known() {
		r.seen = extent{}
		r.seen.ranged(c.Value.Range)
	}
	r.log = c.Value.Log && r.seen.lo > 0
	return r
}

// holds tells whether a value has a colour.
func (r ramp) holds(v float64) bool { return finite(v) && (!r.change || v > 0) }

// class gives the colour of a value.
func (r ramp) class(v float64) markup { return r.step(r.index(v)) }

func (r ramp) step(i int) markup {
	if r.change {
		return divergings[i]
	}
	return sequentials[i]
}

var (
	sequentials = [ramps]markup{"q0", "q1", "q2", "q3", "q4", "q5", "q6", "q7", "q8"}
	divergings  = [ramps]markup{"d0", "d1", "d2", "d3", "d4", "d5", "d6", "d7", "d8"}
)

func (r ramp) index(v float64) int {
	lo, hi := r.ends()
	t := (v - lo) / (hi - lo)
	if r.change || r.log {
		t = math.Log(v/lo) / math.Log(hi/lo)
	}
	if math.IsNaN(t) { // all values are equal
		t = 0.5
	}
	i := min(max(int(t*ramps), 0), ramps-1)
	if r.change && r.less {
		return ramps - 1 - i
	}
	return i
}

// ends gives the values at the ends of the ramp. A diverging one goes as far up as down, and
// at least a per cent, so that noise does not look like a result.
func (r ramp) ends() (lo, hi float64) {
	if !r.change {
		return r.seen.lo, r.seen.hi
	}
	far := math.Max(math.Max(r.seen.hi, 1/r.seen.lo), 1.01)
	return 1 / far, far
}

// written gives the ends in the order of the steps.
func (r ramp) written(f Format) (first, last string) {
	lo, hi := r.ends()
	first, last = f.written(lo, r.digits(lo)), f.written(hi, r.digits(hi))
	if r.change && r.less {
		return last, first
	}
	return first, last
}

// digits gives the step in which a value is written in a field: three figures.
func (r ramp) digits(v float64) float64 {
	if r.change {
		return 0.001
	}
	return figures(v)
}
