package stats

import (
	"math"
	"slices"
	"testing"

	"golang.org/x/perf/benchmath"
	"pgregory.net/rapid"
)

// Unpaired says what benchstat's own mathematics says where both can: Mann–Whitney without ties,
// and Welch on the logs. benchmath itself knows no pairs, and its samples forget the order.
func TestUnpairedAgreesWithBenchstat(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfNDistinct(rapid.IntRange(1, 5000), 8, 24, rapid.ID).Draw(t, "values")
		cut := rapid.IntRange(RankFrom, len(values)-RankFrom).Draw(t, "starts of the baseline")
		plain, logged := make([]float64, len(values)), make([]float64, len(values))
		for i, v := range values {
			plain[i], logged[i] = float64(v), math.Log(float64(v))
		}
		r := must(t, Unpaired, plain[:cut], plain[cut:])
		sample := func(values []float64) *benchmath.Sample {
			return benchmath.NewSample(slices.Clone(values), &benchmath.DefaultThresholds) // it sorts what it is given
		}
		ranks := benchmath.AssumeNothing.Compare(sample(plain[:cut]), sample(plain[cut:]))
		if math.Abs(r.RankP-ranks.P) > 1e-12 {
			t.Fatalf("Mann–Whitney: %v, benchstat says %v", r.RankP, ranks.P)
		}
		welch := benchmath.AssumeNormal.Compare(sample(logged[:cut]), sample(logged[cut:]))
		if math.Abs(r.P-welch.P) > 1e-9 {
			t.Fatalf("Welch: %v, benchstat says %v", r.P, welch.P)
		}
	})
}
