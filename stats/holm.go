package stats

import (
	"math"
	"slices"
)

// Holm adjusts the p values of tests that are read together, so that the chance of even one
// false "different" among them stays under the level they are held against (Holm 1979, step
// down). The result stands in the order given. NaN stays NaN and does not count as a test.
func Holm(p []float64) []float64 {
	out := slices.Clone(p)
	var order []int
	for i, v := range p {
		if !math.IsNaN(v) {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(i, j int) int {
		if p[i] < p[j] {
			return -1
		} else if p[i] > p[j] {
			return 1
		}
		return 0
	})
	least := 0.0
	for k, i := range order {
		least = math.Max(least, math.Min(1, float64(len(order)-k)*p[i]))
		out[i] = least
	}
	return out
}
