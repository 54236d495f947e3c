package stats

import (
	"math"

	moremath "github.com/aclements/go-moremath/stats"
)

// Estimate is the mean of independent values, one per server start, with its t interval
// (n − 1 degrees of freedom), all in the unit of the values.
//
// For one value SD, Low and High are NaN: one start says nothing of how starts differ. For
// none Mean is NaN too. Where all values are the same the interval is the point.
type Estimate struct {
	N                   int
	Mean, SD, Low, High float64
}

// Mean estimates the mean of values; confidence is a share such as 0.95. The interval is NaN
// where confidence is not between 0 and 1, and everything is where a value is.
func Mean(values []float64, confidence float64) Estimate {
	e := Estimate{N: len(values), Mean: moremath.Mean(values), SD: math.NaN(), Low: math.NaN(), High: math.NaN()}
	if e.N < 2 {
		return e
	}
	e.SD = moremath.StdDev(values)
	if checkConfidence(confidence) != nil || math.IsNaN(e.SD) {
		return e
	}
	half := critical(float64(e.N-1), confidence) * e.SD / math.Sqrt(float64(e.N))
	e.Low, e.High = e.Mean-half, e.Mean+half
	return e
}
