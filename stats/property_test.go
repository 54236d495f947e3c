package stats

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"servematrix/metric"
)

// positive draws a benchmark's value: from a millisecond to a million tokens, coarse enough
// that ties and constant arms occur.
var positive = rapid.Custom(func(t *rapid.T) float64 {
	return float64(rapid.IntRange(1, 400).Draw(t, "value")) * rapid.SampledFrom([]float64{0.001, 1, 2500}).Draw(t, "unit")
})

func arms(t *rapid.T) (baseline, arm []float64) {
	n := rapid.IntRange(0, 12).Draw(t, "n")
	return rapid.SliceOfN(positive, n, n).Draw(t, "baseline"), rapid.SliceOfN(positive, n, n).Draw(t, "arm")
}

func must(t *rapid.T, of compare, baseline, arm []float64) Ratio {
	r, err := of(baseline, arm, 0.95)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// same fails where two results are apart by more than rounding.
func same(t *rapid.T, a, b Ratio) {
	if a.Test != b.Test || a.N != b.N {
		t.Fatalf("%+v\n%+v", a, b)
	}
	for _, p := range [][2]float64{{a.Ratio, b.Ratio}, {a.Low, b.Low}, {a.High, b.High}, {a.P, b.P}, {a.RankP, b.RankP}, {a.SD, b.SD}, {a.DF, b.DF}} {
		if math.IsNaN(p[0]) && math.IsNaN(p[1]) || math.Abs(p[0]-p[1]) <= 1e-7*math.Abs(p[0]) || p[0] == p[1] {
			continue
		}
		t.Fatalf("%+v\n%+v", a, b)
	}
}

func each(t *testing.T, property func(*rapid.T, compare)) {
	for name, of := range map[string]compare{"paired": Paired, "unpaired": Unpaired} {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) { property(t, of) })
		})
	}
}

func TestExchangingTheArmsInverts(t *testing.T) {
	opposite := map[Verdict]Verdict{Better: Worse, Worse: Better, Equivalent: Equivalent, Inconclusive: Inconclusive}
	each(t, func(t *rapid.T, of compare) {
		a, b := arms(t)
		there, back := must(t, of, a, b), must(t, of, b, a)
		inverted := back
		inverted.Ratio, inverted.Low, inverted.High = 1/back.Ratio, 1/back.High, 1/back.Low
		same(t, there, inverted)
		direction := rapid.SampledFrom([]metric.Direction{metric.Higher, metric.Lower, metric.Neutral}).Draw(t, "direction")
		minEffect := rapid.SampledFrom([]float64{0, 0.02, 0.5, 3}).Draw(t, "min effect")
		v, w := Judge(there, there.P, direction, minEffect), Judge(back, back.P, direction, minEffect)
		if v != opposite[w] {
			t.Fatalf("%s one way and %s the other: %+v", v, w, there)
		}
	})
}

func TestUnitsDoNotMatter(t *testing.T) {
	each(t, func(t *rapid.T, of compare) {
		a, b := arms(t)
		scale := rapid.SampledFrom([]float64{1.0 / 1024, 2, 4096}).Draw(t, "scale")
		scaled := func(values []float64) []float64 {
			out := slices.Clone(values)
			for i := range out {
				out[i] *= scale
			}
			return out
		}
		same(t, must(t, of, a, b), must(t, of, scaled(a), scaled(b)))
	})
}

func TestTheOrderOfBlocksDoesNotMatter(t *testing.T) {
	each(t, func(t *rapid.T, of compare) {
		a, b := arms(t)
		order := rapid.Permutation(upTo(len(a))).Draw(t, "order")
		var c, d []float64
		for _, i := range order {
			c, d = append(c, a[i]), append(d, b[i])
		}
		same(t, must(t, of, a, b), must(t, of, c, d))
	})
}

func TestInputsStayAsTheyAre(t *testing.T) {
	each(t, func(t *rapid.T, of compare) {
		a, b := arms(t)
		c, d := slices.Clone(a), slices.Clone(b)
		must(t, of, a, b)
		Mean(a, 0.95)
		if !slices.Equal(a, c) || !slices.Equal(b, d) {
			t.Fatal("a slice of the caller changed")
		}
	})
}

// A p at most 0.05 and an interval that excludes 1 are the same statement.
func TestIntervalAndPAgree(t *testing.T) {
	each(t, func(t *rapid.T, of compare) {
		a, b := arms(t)
		r := must(t, of, a, b)
		if math.IsNaN(r.P) || math.Abs(r.P-0.05) < 1e-9 {
			return
		}
		if excludes := r.Low > 1 || r.High < 1; excludes != (r.P < 0.05) {
			t.Fatalf("%+v", r)
		}
		if !(r.Low <= r.Ratio && r.Ratio <= r.High) || r.P < 0 || r.P > 1 || r.RankP < 0 || r.RankP > 1 {
			t.Fatalf("%+v", r)
		}
	})
}

// An inconclusive comparison never says that it has had starts enough, unless the p value was
// adjusted, which Needed is told by the confidence.
func TestNeededIsMoreThanThereIs(t *testing.T) {
	each(t, func(t *rapid.T, of compare) {
		a, b := arms(t)
		r := must(t, of, a, b)
		minEffect := rapid.SampledFrom([]float64{0.01, 0.1, 0.5}).Draw(t, "min effect")
		if r.Test != PairedT || Judge(r, r.P, metric.Higher, minEffect) != Inconclusive {
			return
		}
		if n := Needed(r, minEffect, 0.95, 0.8); n <= r.N {
			t.Fatalf("%d needed of %+v", n, r)
		}
	})
}

func TestHolm(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := rapid.SliceOfN(rapid.OneOf(rapid.Float64Range(0, 1), rapid.Just(math.NaN())), 0, 20).Draw(t, "p")
		adjusted := Holm(p)
		tests := 0
		for _, v := range p {
			if !math.IsNaN(v) {
				tests++
			}
		}
		for i := range p {
			if math.IsNaN(p[i]) != math.IsNaN(adjusted[i]) {
				t.Fatal("a NaN came or went")
			}
			if math.IsNaN(p[i]) {
				continue
			}
			if adjusted[i] < p[i] || adjusted[i] > math.Min(1, float64(tests)*p[i]) {
				t.Fatalf("%v became %v of %d tests", p[i], adjusted[i], tests)
			}
			for j := range p {
				if p[i] < p[j] && adjusted[i] > adjusted[j] {
					t.Fatalf("%v and %v changed their order: %v, %v", p[i], p[j], adjusted[i], adjusted[j])
				}
			}
		}
		// Each value gets what it gets, wherever it stands.
		order := rapid.Permutation(upTo(len(p))).Draw(t, "order")
		moved := make([]float64, len(p))
		for i, k := range order {
			moved[i] = p[k]
		}
		for i, v := range Holm(moved) {
			if v != adjusted[order[i]] && !math.IsNaN(v) {
				t.Fatalf("%v moved and became %v", adjusted[order[i]], v)
			}
		}
	})
}

// Mann–Whitney with ties and arms of different sizes, against counting every way to deal the
// values out: the case where the library's own two-sided p goes wrong.
func TestRankAgainstCounting(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		n, m := 4+rng.IntN(2), 4+rng.IntN(5)
		all := make([]float64, n+m)
		for i := range all {
			all[i] = float64(1 + rng.IntN(6))
		}
		if slices.Min(all) == slices.Max(all) {
			continue
		}
		r, err := Unpaired(all[:n], all[n:], 0.95)
		if err != nil {
			t.Fatal(err)
		}
		if want := counted(all, n); math.Abs(r.RankP-want) > 1e-9 {
			t.Errorf("p of %v against %v = %v, want %v", all[:n], all[n:], r.RankP, want)
		}
	}
}

// counted is the two-sided p of the first n values against the rest: twice the smaller share of
// all choices of n values whose rank sum lies at least as far out as theirs.
func counted(all []float64, n int) float64 {
	ranks := make([]float64, len(all))
	for i, v := range all {
		for _, w := range all {
			if w < v {
				ranks[i]++
			} else if w == v {
				ranks[i] += 0.5
			}
		}
	}
	sum := func(mask int) (total float64, size int) {
		for i, r := range ranks {
			if mask>>i&1 == 1 {
				total, size = total+r, size+1
			}
		}
		return total, size
	}
	seen, _ := sum(1<<n - 1)
	ways, below, above := 0.0, 0.0, 0.0
	for mask := range 1 << len(all) {
		total, size := sum(mask)
		if size != n {
			continue
		}
		ways++
		if total <= seen {
			below++
		}
		if total >= seen {
			above++
		}
	}
	return math.Min(1, 2*math.Min(below, above)/ways)
}

func upTo(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}
