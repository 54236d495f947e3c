package chart

import "math"

// spot is a place in the picture; y is NaN in a gap.
type spot struct{ x, y float64 }

// bucket is how wide, in units of the picture, the stretches are of which a line shows its
// least and its greatest value.
const bucket = 2.0

// thinned gives the places of a line's samples. Of the samples that fall into one bucket only
// the least and the greatest are kept, in the order of time: peaks stay, and no line has more
// than about one point a unit. A gap stays a gap.
func thinned(l Line, x, y scale) []spot {
	var out []spot
	var low, high spot
	at, any := math.Inf(-1), false
	flush := func() {
		switch {
		case !any:
		case low == high:
			out = append(out, low)
		case low.x < high.x:
			out = append(out, low, high)
		default:
			out = append(out, high, low)
		}
		any = false
	}
	for i := range min(len(l.Times), len(l.Values)) {
		t, v := l.Times[i], l.Values[i]
		if !finite(t) || !y.holds(v) {
			flush()
			if n := len(out); n > 0 && !math.IsNaN(out[n-1].y) {
				out = append(out, spot{0, math.NaN()})
			}
			continue
		}
		p := spot{x.at(t), y.at(v)}
		if b := math.Floor(p.x / bucket); b != at || !any {
			flush()
			at, low, high, any = b, p, p, true
			continue
		}
		if p.y > low.y {
			low = p
		}
		if p.y < high.y {
			high = p
		}
	}
	flush()
	return out
}
