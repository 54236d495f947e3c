package chart

import (
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// value draws the numbers that metrics have, and much beyond.
func value(t *rapid.T, name string) float64 {
	return rapid.Float64Range(-1, 1).Draw(t, name) * math.Pow(10, float64(rapid.IntRange(-6, 12).Draw(t, name+" exponent")))
}

// between draws two values that are not the same.
func between(t *rapid.T, positive bool) (lo, hi float64) {
	lo, hi = value(t, "lo"), value(t, "hi")
	if positive {
		lo, hi = math.Abs(lo), math.Abs(hi)
	}
	if lo > hi {
		lo, hi = hi, lo
	}
	if positive && lo < 1e-9 {
		lo = 1e-9
	}
	if hi-lo <= 1e-6*math.Max(math.Abs(lo), math.Abs(hi)) {
		hi = lo + math.Max(math.Abs(lo), 1)
	}
	return lo, hi
}

func TestStepsAreRoundAndCover(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lo, hi := between(t, false)
		n := rapid.IntRange(2, 12).Draw(t, "n")
		values, size := steps(lo, hi, n, round)
		mantissa := size / math.Pow(10, math.Floor(math.Log10(size)+1e-9))
		if !slices.ContainsFunc([]float64{1, 2, 5, 10}, func(m float64) bool { return math.Abs(mantissa-m) < 1e-6 }) {
			t.Fatalf("a step of %g is not 1, 2 or 5", size)
		}
		if slack := 1e-6 * size; values[0] > lo+slack || values[len(values)-1] < hi-slack {
			t.Fatalf("%v do not cover %g to %g", values, lo, hi)
		}
		if len(values) > n+2 {
			t.Fatalf("%d values for %d steps", len(values), n)
		}
		if !slices.IsSorted(values) {
			t.Fatalf("%v", values)
		}
	})
}

func TestTimeStepsAreThoseOfAClock(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		hi := rapid.Float64Range(10, 1e8).Draw(t, "seconds")
		_, size := steps(0, hi, 8, roundTime)
		day := size / 86400
		if !slices.Contains(calm, size) && round(day*(1-1e-12)) != day {
			t.Fatalf("a step of %g s", size)
		}
	})
}

func TestDecadesCover(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lo, hi := between(t, true)
		n := rapid.IntRange(3, 12).Draw(t, "n")
		values := decades(lo, hi, n)
		if values[0] > lo*(1+1e-6) || values[len(values)-1] < hi*(1-1e-6) {
			t.Fatalf("%v do not cover %g to %g", values, lo, hi)
		}
		if len(values) > n+2 {
			t.Fatalf("%d values for at most %d", len(values), n)
		}
		for i, v := range values {
			if m := v / math.Pow(10, math.Floor(math.Log10(v)+1e-9)); math.Abs(m-math.Round(m)) > 1e-6 || !slices.Contains([]float64{1, 2, 5}, math.Round(m)) {
				t.Fatalf("%g is no 1, 2 or 5", v)
			}
			if i > 0 && v <= values[i-1] {
				t.Fatalf("%v", values)
			}
		}
	})
}

// TestAxesAreLegible holds every axis that can be asked for against what a reader needs.
func TestAxesAreLegible(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := Axis{Log: rapid.Bool().Draw(t, "log"), Zero: rapid.Bool().Draw(t, "zero"), Format: Format(rapid.IntRange(0, 2).Draw(t, "format"))}
		lo, hi := between(t, a.Format == Change)
		s := a.scale(extent{lo, hi, true}, 100, 900, 90)
		if !(s.lo < s.hi) || !finite(s.lo) || !finite(s.hi) || s.log && s.lo <= 0 {
			t.Fatalf("from %g to %g", s.lo, s.hi)
		}
		labels := map[string]bool{}
		for _, tick := range s.ticks {
			if tick.at < s.lo || tick.at > s.hi {
				t.Fatalf("%g lies beyond the axis", tick.at)
			}
			if labels[tick.label] && a.Format == Number {
				t.Fatalf("%q stands twice on the axis from %g to %g", tick.label, lo, hi)
			}
			labels[tick.label] = true
		}
		last := math.Inf(-1)
		for i := range 21 {
			v := lo + (hi-lo)*float64(i)/20
			at := s.at(v)
			if at < 100-1e-6 || at > 900+1e-6 || at < last-1e-6 {
				t.Fatalf("%g lies at %g, the one before at %g", v, at, last)
			}
			last = at
		}
		for _, v := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
			if s.holds(v) {
				t.Fatalf("%g has a place", v)
			}
		}
	})
}

func TestWritten(t *testing.T) {
	for _, c := range []struct {
		format  Format
		v, step float64
		want    string
	}{
		{Number, 0, 1, "0"}, {Number, 1500, 500, "1,500"}, {Number, 9999, 1, "9,999"}, {Number, 20000, 5000, "20k"}, {Number, 12500, 2500, "12.5k"},
		{Number, 1.5e6, 5e5, "1.5M"}, {Number, .25, .05, "0.25"}, {Number, -3, 1, "−3"}, {Number, -25000, 5000, "−25k"}, {Number, 2e-9, 1e-9, "2e−09"},
		{Change, 1, .05, "0 %"}, {Change, 1.05, .05, "+5 %"}, {Change, .9, .05, "−10 %"}, {Change, 1.025, .005, "+2.5 %"}, {Change, 4, 1, "×4"}, {Change, .25, 1, "×0.25"},
		{Duration, 0, 1, "0"}, {Duration, .25, .05, "250ms"}, {Duration, 45, 15, "45s"}, {Duration, 60, 60, "1m"}, {Duration, 90, 30, "90s"}, {Duration, 5400, 1800, "1h30m"},
		{Duration, 86400, 86400, "1d"}, {Duration, 129600, 43200, "1d12h"}, {Duration, -60, 60, "−1m"},
	} {
		if got := c.format.written(c.v, c.step); got != c.want {
			t.Errorf("%g by %g: %q, want %q", c.v, c.step, got, c.want)
		}
	}
}

func TestShortenKeepsBothEnds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.StringOf(rapid.RuneFrom([]rune("abcMW19/-= 宽度é🚀"))).Draw(t, "name")
		room := rapid.Float64Range(30, 300).Draw(t, "room")
		short := shorten(s, room)
		if width(short) > room {
			t.Fatalf("%q is %g wide, room is %g", short, width(short), room)
		}
		if head, tail, cut := strings.Cut(short, "…"); short != s && (!cut || !strings.HasPrefix(s, head) || !strings.HasSuffix(s, tail)) {
			t.Fatalf("%q of %q", short, s)
		}
		for _, line := range wrap(s, room) {
			if width(line) > room {
				t.Fatalf("a line of %g where room is %g", width(line), room)
			}
		}
	})
}

func TestFrontierAgainstEachPair(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lessX, lessY := rapid.Bool().Draw(t, "less x"), rapid.Bool().Draw(t, "less y")
		var points []Point
		for range rapid.IntRange(0, 40).Draw(t, "points") {
			p := Point{X: float64(rapid.IntRange(0, 9).Draw(t, "x")), Y: float64(rapid.IntRange(0, 9).Draw(t, "y"))}
			switch rapid.IntRange(0, 9).Draw(t, "odd") {
			case 0:
				p.X = math.NaN()
			case 1:
				p.Y = math.Inf(1)
			case 2:
				p.State = Failed
			}
			points = append(points, p)
		}
		counts := func(p Point) bool { return finite(p.X) && finite(p.Y) && p.State == Measured }
		asGood := func(a, b float64, less bool) bool { return a == b || a < b == less }
		var want []Point
		for _, p := range points {
			beaten := slices.ContainsFunc(points, func(q Point) bool {
				return counts(q) && (q.X != p.X || q.Y != p.Y) && asGood(q.X, p.X, lessX) && asGood(q.Y, p.Y, lessY)
			})
			if counts(p) && !beaten {
				want = append(want, p)
			}
		}
		slices.SortFunc(want, func(a, b Point) int { return int(a.X - b.X) })
		got := frontier(points, lessX, lessY)
		if !slices.EqualFunc(got, want, func(a, b Point) bool { return a.X == b.X && a.Y == b.Y }) {
			t.Fatalf("%v, want %v", got, want)
		}
	})
}

func TestThinnedKeepsExtremesAndGaps(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 6000).Draw(t, "samples")
		gap := rapid.IntRange(0, n-1).Draw(t, "gap")
		var l Line
		var seen extent
		state := rapid.Uint64().Draw(t, "seed")
		for i := range n {
			state = state*6364136223846793005 + 1442695040888963407
			v := float64(state >> 40)
			if i == gap {
				v = math.NaN()
			}
			seen.add(v)
			l.Times, l.Values = append(l.Times, float64(i)), append(l.Values, v)
		}
		x := scale{lo: 0, hi: float64(max(n-1, 1)), from: 0, to: 900}
		y := scale{lo: 0, hi: 1 << 24, from: 1 << 24, to: 0}
		var kept extent
		gaps := 0
		out := thinned(l, x, y)
		for _, s := range out {
			if math.IsNaN(s.y) {
				gaps++
			} else {
				kept.add(1<<24 - s.y)
			}
		}
		if len(out) > 2000 || math.Abs(kept.lo-seen.lo) > 1 || math.Abs(kept.hi-seen.hi) > 1 {
			t.Fatalf("%d of %d: %v of %v", len(out), n, kept, seen)
		}
		if gap > 0 && gap < n-1 && gaps != 1 {
			t.Fatalf("%d gaps", gaps)
		}
	})
}

func TestSpreadNamesApart(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var ends []ending
		for range rapid.IntRange(1, colours).Draw(t, "lines") {
			ends = append(ends, ending{y: rapid.Float64Range(40, 300).Draw(t, "y")})
		}
		slices.SortFunc(ends, func(a, b ending) int { return int(math.Copysign(1, a.y-b.y)) })
		spread(ends, 40, 300)
		for i, e := range ends {
			if e.written < 40-1e-6 || e.written > 300+1e-6 || i > 0 && e.written < ends[i-1].written+lineHeight-1e-6 {
				t.Fatalf("%+v", ends)
			}
		}
	})
}
