package find

import (
	"math"
	"strconv"
)

// scale is where levels lie: between two of them lies another one, up to a relative precision.
type scale struct {
	from, to  float64
	precision float64
	whole     bool // only whole numbers are levels
}

// between gives the level in the middle of two on a logarithmic scale; false where they are as
// close as asked for.
func (s scale) between(low, high float64) (float64, bool) {
	if high <= low*(1+s.precision) || s.whole && high-low <= 1 {
		return 0, false
	}
	middle := s.round(math.Sqrt(low * high))
	if s.whole {
		middle = min(max(middle, low+1), high-1)
	}
	return middle, true
}

// beside gives the level that lies some steps of the precision above another one, or, where steps
// is negative, below.
func (s scale) beside(level float64, steps int) float64 {
	next := s.round(level * math.Pow(1+s.precision, float64(steps)))
	if s.whole && next == level {
		next += math.Copysign(1, float64(steps))
	}
	return min(max(next, s.from), s.to)
}

// round gives a level that people can read: whole, or of four digits.
func (s scale) round(level float64) float64 {
	if s.whole {
		return math.Round(level)
	}
	rounded, _ := strconv.ParseFloat(strconv.FormatFloat(level, 'g', 4, 64), 64)
	return rounded
}
