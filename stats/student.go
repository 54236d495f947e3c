package stats

import (
	"math"
	"sync"

	"github.com/aclements/go-moremath/mathx"
	moremath "github.com/aclements/go-moremath/stats"
)

// twoSided is P(|T| ≥ |t|) for Student's T with df degrees of freedom, by the incomplete beta
// function (Abramowitz and Stegun 26.7.1). moremath's own t tests form 2·(1 − CDF), in which a
// small p drowns in rounding. The complement for small t keeps the same from a p near 1.
func twoSided(t, df float64) float64 {
	if math.Abs(t) < 1 {
		return 1 - mathx.BetaInc(t*t/(df+t*t), 0.5, df/2)
	}
	return mathx.BetaInc(df/(df+t*t), df/2, 0.5)
}

// critical is the t with P(|T| ≥ t) = 1 − confidence. It is a search, and thousands of cells ask
// for the same few: those of whole degrees of freedom are kept.
func critical(df, confidence float64) float64 {
	key := quantile{df, confidence}
	if t, known := quantiles.Load(key); known {
		return t.(float64)
	}
	t := -moremath.InvCDF(moremath.TDist{V: df})((1 - confidence) / 2)
	if df == math.Trunc(df) && df <= 2*MostNeeded && confidence == usualConfidence {
		quantiles.Store(key, t)
	}
	return t
}

type quantile struct{ df, confidence float64 }

// usualConfidence is the one that nearly every caller has; others are not kept, so that the list stays short.
const usualConfidence = 0.95

var quantiles sync.Map // quantile → float64

// powerOf is P(T ≥ t) for the noncentral T with df degrees of freedom and the noncentrality
// shift: the probability that a t statistic passes its critical value on the side of the effect.
//
// T = (Z + shift)/S with S = √(χ²/df), so that it is the mean of Φ(shift − t·S) over the
// distribution of S, here by Simpson's rule over ten standard deviations of S to either side.
func powerOf(t, df, shift float64) float64 {
	const steps = 1000
	spread := 10 / math.Sqrt(2*df)
	low, high := math.Max(0, 1-spread), 1+spread
	width := (high - low) / steps
	half := df / 2
	gamma, _ := math.Lgamma(half)
	scale := math.Ln2 + half*math.Log(half) - gamma
	sum := 0.0
	for i := range steps + 1 {
		weight := 2.0
		switch {
		case i == 0 || i == steps:
			weight = 1
		case i%2 == 1:
			weight = 4
		}
		s := low + float64(i)*width
		density := math.Exp(scale + (df-1)*math.Log(s) - half*s*s)
		if s == 0 && df == 1 {
			density = math.Exp(scale) // 0⁰ is 1 here; its logarithm is not
		}
		sum += weight * density * 0.5 * math.Erfc((t*s-shift)/math.Sqrt2)
	}
	return sum * width / 3
}
