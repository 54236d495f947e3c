package telemetry

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// What a chart shows stays: the ends of the values, the order of the times and the gaps.
func TestThin(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(rapid.OneOf(rapid.Float64Range(0, 1000), rapid.Just(math.NaN())), 1, 400).Draw(t, "values")
		most := rapid.IntRange(3, 60).Draw(t, "most")
		times := make([]float64, len(values))
		for i := range times {
			times[i] = float64(i) * 2
		}
		x, y := Thin(times, values, most)
		if len(x) != len(y) || len(x) > max(most, len(values)) || len(values) > most && len(x) > most {
			t.Fatalf("%d points of %d, at most %d", len(x), len(values), most)
		}
		if !slices.IsSorted(x) || len(slices.Compact(slices.Clone(x))) != len(x) {
			t.Fatalf("times %v", x)
		}
		for i := range x {
			if v := values[int(x[i]/2)]; v != y[i] && !(math.IsNaN(v) && math.IsNaN(y[i])) {
				t.Fatalf("%g at %g, it was %g", y[i], x[i], v)
			}
		}
		low, high, gaps := ends(values)
		if l, h, g := ends(y); l != low || h != high || g != gaps {
			t.Fatalf("from %g to %g (gaps %v), it was %g to %g (%v)", l, h, g, low, high, gaps)
		}
	})
}

func ends(values []float64) (low, high float64, gaps bool) {
	low, high = math.Inf(1), math.Inf(-1)
	for _, v := range values {
		if math.IsNaN(v) {
			gaps = true
			continue
		}
		low, high = min(low, v), max(high, v)
	}
	return low, high, gaps
}
