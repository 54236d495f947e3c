package stats

import (
	"math"

	moremath "github.com/aclements/go-moremath/stats"
)

// Grubbs looks for one value among those of a normal sample that lies apart from the others: it
// gives the index of the value farthest from the mean, and the two-sided p value of its lying so
// far by chance, the number of values taken into account (Grubbs 1969; NIST/SEMATECH e-Handbook
// of Statistical Methods, 1.3.5.17.1; the p value is Bonferroni's bound, exact where it is small).
//
// Fewer than three values, values that are all the same, and one that is not finite give -1 and NaN.
func Grubbs(values []float64) (index int, p float64) {
	n := float64(len(values))
	mean, sd := moremath.Mean(values), moremath.StdDev(values)
	if n < 3 || !(sd > noSpread*math.Abs(mean)) || math.IsInf(sd, 0) {
		return -1, math.NaN()
	}
	for i, v := range values {
		if math.Abs(v-mean) > math.Abs(values[index]-mean) {
			index = i
		}
	}
	return index, grubbsP(math.Abs(values[index]-mean)/sd, n)
}

// grubbsP is the p value of the greatest distance from the mean, in standard deviations of n values.
func grubbsP(g, n float64) float64 {
	rest := (n-1)*(n-1) - n*g*g
	if rest <= 0 { // all the others are the same
		return 0
	}
	return math.Min(1, n*twoSided(g*math.Sqrt(n*(n-2)/rest), n-2))
}
