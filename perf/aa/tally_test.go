package main

import (
	"errors"
	"math"
	"strings"
	"testing"
	"time"
)

// Reference: statsmodels 0.15.0, proportion_confint(…, method="wilson").
func TestWilson(t *testing.T) {
	for _, c := range []struct {
		hits, n   int
		low, high float64
	}{{0, 10, 0.0, 0.27753279986288926}, {47, 1000, 0.0355271051063845, 0.06193993808152845}, {10, 10, 0.7224672001371106, 1.0}, {1, 3, 0.06149194472039626, 0.7923403991979523}} {
		low, high := wilson(c.hits, c.n)
		if math.Abs(low-c.low) > 1e-12 || math.Abs(high-c.high) > 1e-12 {
			t.Errorf("%d of %d: %v to %v, want %v to %v", c.hits, c.n, low, high, c.low, c.high)
		}
	}
}

func TestTally(t *testing.T) {
	small, large := 0.01, 0.5
	near, far := 1.01, 1.2
	claim := comparison{N: 5, P: &small, Ratio: &far, Verdict: "better"}
	tiny := comparison{N: 5, P: &small, Ratio: &near, Verdict: "equivalent"}
	none := comparison{N: 4, P: &large, Ratio: &near, Verdict: "inconclusive"}
	mute := comparison{N: 1, Verdict: "inconclusive"}
	for _, c := range []struct {
		name     string
		compared []comparison
		failed   int
		ok       bool
		says     string
	}{
		{"nothing", nil, 0, false, "0 sweeps compared, 0 failed"},
		{"no claim", []comparison{none, mute}, 0, true, "p ≤ 0.05                    0   0.00 %"},
		{"a claim too many", []comparison{none, claim}, 0, false, "verdict better or worse     1  50.00 %"},
		{"certain but small", []comparison{none, tiny}, 0, false, "verdict better or worse     0   0.00 %"},
		{"one that failed", []comparison{none}, 1, false, "1 sweeps compared, 1 failed"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var counted tally
			for _, one := range c.compared {
				counted.add(one, nil)
			}
			for range c.failed {
				counted.add(comparison{}, errors.New("no run"))
			}
			var out strings.Builder
			if ok := counted.print(&out, time.Second); ok != c.ok || !strings.Contains(out.String(), c.says) {
				t.Errorf("%v:\n%s", ok, out.String())
			}
			if counted.sweeps() != len(c.compared)+c.failed {
				t.Errorf("%d sweeps", counted.sweeps())
			}
		})
	}
}
