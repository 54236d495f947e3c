package stats

import (
	"math"
	"sort"
)

// MostNeeded is the largest number of starts that Needed looks at.
const MostNeeded = 1000

// Needed is how many starts per arm an inconclusive comparison needs for a verdict, were the
// ratio and the spread really as seen: the smallest n whose interval keeps clear,
// with probability power, of the border that stands in the verdict's way. That is 1 where the
// effect is at least minEffect (then better or worse is in reach), and the nearer of
// ±minEffect where it is smaller (then equivalent is).
//
// n is per arm, so also the number of blocks. The t statistic follows a noncentral t
// distribution (n − 1 degrees of freedom paired, 2n − 2 for two arms of equal size and spread).
// More than MostNeeded gives MostNeeded + 1; 0 means unknown (fewer than two starts, no
// spread). It is a plan, not a promise: a spread seen over three starts is itself uncertain.
//
// Where the p value was adjusted over k cells, a confidence of 1 − (1−confidence)/k gives the
// number that is enough in the worst case.
func Needed(r Ratio, minEffect, confidence, power float64) int {
	if r.N < 2 || r.SD == 0 || math.IsNaN(r.SD) || checkConfidence(confidence) != nil || checkConfidence(power) != nil {
		return 0
	}
	distance, border := math.Abs(math.Log(r.Ratio)), math.Log1p(minEffect)
	if distance < border-noSpread {
		distance = border - distance
	}
	return 2 + sort.Search(MostNeeded-1, func(i int) bool {
		return reach(r.Test, i+2, distance/r.SD, confidence) >= power
	})
}

// reach is the power of n starts per arm for a border that lies effect standard deviations away.
func reach(test string, n int, effect, confidence float64) float64 {
	df, shift := float64(n-1), effect*math.Sqrt(float64(n))
	if test == WelchT {
		df, shift = float64(2*n-2), effect*math.Sqrt(float64(n)/2)
	}
	return powerOf(critical(df, confidence), df, shift)
}
