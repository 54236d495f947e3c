package main

import (
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"time"
)

// tally counts what the sweeps claimed.
type tally struct {
	compared []comparison
	failed   int
}

func (t *tally) add(c comparison, err error) {
	if err != nil {
		t.failed++
		return
	}
	t.compared = append(t.compared, c)
}

func (t *tally) sweeps() int { return len(t.compared) + t.failed }

func (t *tally) String() string {
	return fmt.Sprintf("%d sweeps: %d with p ≤ 0.05, %d better or worse, %d failed",
		t.sweeps(), t.count(comparison.significant), t.count(comparison.differs), t.failed)
}

func (t *tally) count(is func(comparison) bool) (n int) {
	for _, c := range t.compared {
		if is(c) {
			n++
		}
	}
	return n
}

// differs tells of a verdict that claims a difference.
func (c comparison) differs() bool { return c.Verdict == "better" || c.Verdict == "worse" }

// significant tells of a p value that claims one, whatever its size.
func (c comparison) significant() bool { return c.P != nil && *c.P <= 0.05 }

// print writes the shares with their intervals, and tells whether all sweeps were compared and
// no claim came more often than the limit allows.
func (t *tally) print(w io.Writer, took time.Duration) bool {
	n := len(t.compared)
	fmt.Fprintf(w, "%d sweeps compared, %d failed, in %s\n", n, t.failed, took.Round(time.Second))
	if n == 0 {
		return false
	}
	ok := t.failed == 0
	for _, claim := range []struct {
		name string
		is   func(comparison) bool
	}{{"p ≤ 0.05", comparison.significant}, {"verdict better or worse", comparison.differs}} {
		hits := t.count(claim.is)
		low, high := wilson(hits, n)
		share := 100 * float64(hits) / float64(n)
		fmt.Fprintf(w, "%-24s %4d  %5.2f %%  (95 %% interval %.2f to %.2f %%)\n", claim.name, hits, share, 100*low, 100*high)
		ok = ok && share <= *limit
	}
	verdicts, pairs := map[string]int{}, map[int]int{}
	squares, widest := 0.0, 0.0
	for _, c := range t.compared {
		verdicts[c.Verdict]++
		pairs[c.N]++
		if c.Ratio != nil {
			d := math.Log(*c.Ratio)
			squares += d * d
			widest = max(widest, math.Abs(d))
		}
	}
	for _, v := range slices.Sorted(maps.Keys(verdicts)) {
		fmt.Fprintf(w, "%-24s %4d\n", v, verdicts[v])
	}
	for _, k := range slices.Sorted(maps.Keys(pairs)) {
		fmt.Fprintf(w, "%2d pairs compared in      %5d\n", k, pairs[k])
	}
	fmt.Fprintf(w, "the ratios scatter around 1 by %.2f %%, the furthest is %.2f %% off\n", 100*math.Sqrt(squares/float64(n)), 100*widest)
	return ok
}

// wilson is the 95 % interval of a share (Wilson 1927), as shares.
func wilson(hits, n int) (low, high float64) {
	const z = 1.959963984540054
	p, m := float64(hits)/float64(n), float64(n)
	centre, half := p+z*z/(2*m), z*math.Sqrt(p*(1-p)/m+z*z/(4*m*m))
	return max(0, (centre-half)/(1+z*z/m)), min(1, (centre+half)/(1+z*z/m))
}
