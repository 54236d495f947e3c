package stats

import (
	"math"

	"servematrix/metric"
)

// Verdict is what may be said of an arm against its baseline.
type Verdict string

// The four verdicts, in the sense that is good for the metric.
const (
	Better       Verdict = "better"
	Worse        Verdict = "worse"
	Equivalent   Verdict = "equivalent"
	Inconclusive Verdict = "inconclusive"
)

// Judge gives the verdict.
//
//   - Better, worse: the interval excludes 1, adjustedP is at most 1 − r.Confidence, and the
//     ratio is at least minEffect from 1.
//   - Equivalent: the whole interval lies inside ±minEffect.
//   - Inconclusive: everything else, and always with fewer than two starts.
//
// minEffect is a share such as 0.02 and is meant on the log scale: from 1/1.02 to 1.02, so that
// exchanging the arms turns better into worse and changes nothing else.
//
// adjustedP is r.P after Holm for the primary metric, r.P itself for an exploratory one. Where
// r.P is NaN because nothing varied there is no test to pass, and the point goes by minEffect
// alone. A Neutral metric can be equivalent, but never better or worse.
func Judge(r Ratio, adjustedP float64, better metric.Direction, minEffect float64) Verdict {
	if r.N < 2 || math.IsNaN(r.Low) || math.IsNaN(r.High) {
		return Inconclusive
	}
	effect, border := math.Log(r.Ratio), math.Log1p(minEffect)
	significant := math.IsNaN(r.P) || adjustedP <= 1-r.Confidence
	excludes := r.Low > 1 || r.High < 1
	if significant && excludes && math.Abs(effect) >= border-noSpread && better != metric.Neutral {
		if (effect > 0) == (better == metric.Higher) {
			return Better
		}
		return Worse
	}
	if math.Log(r.Low) >= -border-noSpread && math.Log(r.High) <= border+noSpread {
		return Equivalent
	}
	return Inconclusive
}
