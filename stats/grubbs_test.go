package stats

import (
	"math"
	"math/rand/v2"
	"testing"
)

func TestGrubbs(t *testing.T) {
	for name, c := range map[string]struct {
		values []float64
		index  int
		p      float64 // NaN: none
	}{
		"NIST":       {[]float64{199.31, 199.53, 200.19, 200.82, 201.92, 201.95, 202.18, 245.57}, 7, 1e-6}, // the e-Handbook's example
		"two":        {[]float64{1, 2}, -1, math.NaN()},
		"same":       {[]float64{5, 5, 5, 5}, -1, math.NaN()},
		"not finite": {[]float64{1, 2, math.NaN(), 4}, -1, math.NaN()},
		"infinite":   {[]float64{1, 2, math.Inf(1), 4}, -1, math.NaN()},
		"one other":  {[]float64{5, 5, 7, 5}, 2, 0},
	} {
		i, p := Grubbs(c.values)
		if i != c.index || math.IsNaN(p) != math.IsNaN(c.p) || p > c.p+1e-6 {
			t.Errorf("%s: value %d, p %v; want %d, %v", name, i, p, c.index, c.p)
		}
	}
}

// The critical values of Grubbs' table (1969, table 1; its one-sided levels are half of ours).
func TestGrubbsTable(t *testing.T) {
	for _, c := range []struct{ n, g, p float64 }{
		{5, 1.715, 0.05}, {8, 2.126, 0.05}, {10, 2.290, 0.05}, {20, 2.709, 0.05}, {5, 1.764, 0.01}, {10, 2.482, 0.01}, {20, 3.001, 0.01},
	} {
		if p := grubbsP(c.g, c.n); math.Abs(p/c.p-1) > 0.02 {
			t.Errorf("n = %v, G = %v: p %v, the table says %v", c.n, c.g, p, c.p)
		}
	}
}

// Of samples in which nothing lies apart it points at one in a hundred at the level of 1 %.
func TestGrubbsFalseAlarms(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{3, 5, 10} {
		const rounds = 20_000
		alarms := 0
		values := make([]float64, n)
		for range rounds {
			for i := range values {
				values[i] = 1000 * math.Exp(0.01*random.NormFloat64())
			}
			if _, p := Grubbs(values); p < 0.01 {
				alarms++
			}
		}
		if share := float64(alarms) / rounds; share < 0.007 || share > 0.013 {
			t.Errorf("n = %d: %.2f %% false alarms, want 1 %%", n, 100*share)
		}
	}
}
