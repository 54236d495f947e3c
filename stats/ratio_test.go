package stats

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

var nan = math.NaN()

// compare is Paired or Unpaired.
type compare func(baseline, arm []float64, confidence float64) (Ratio, error)

func TestRatioAtTheEdges(t *testing.T) {
	blank := unknown(0, 0.95)
	with := func(change func(*Ratio)) Ratio { r := blank; change(&r); return r }
	for _, c := range []struct {
		name          string
		of            compare
		baseline, arm []float64
		want          Ratio
	}{
		{"no pairs", Paired, nil, nil, blank},
		{"no starts", Unpaired, nil, nil, blank},
		{"no start of one arm", Unpaired, []float64{1, 2}, nil, blank},
		{"one pair", Paired, []float64{100}, []float64{110}, with(func(r *Ratio) { r.N, r.Ratio = 1, 1.1 })},
		{"one start and two", Unpaired, []float64{100}, []float64{110, 110}, with(func(r *Ratio) { r.N, r.Ratio = 1, 1.1 })},
		{"constant pairs", Paired, []float64{100, 200, 300}, []float64{110, 220, 330},
			with(func(r *Ratio) { r.N, r.Ratio, r.Low, r.High, r.SD = 3, 1.1, 1.1, 1.1, 0 })},
		{"constant arms", Unpaired, []float64{100, 100}, []float64{110, 110, 110},
			with(func(r *Ratio) { r.N, r.Ratio, r.Low, r.High, r.SD = 2, 1.1, 1.1, 1.1, 0 })},
		{"constant arms, ranked", Unpaired, []float64{1, 1, 1, 1}, []float64{2, 2, 2, 2},
			with(func(r *Ratio) { r.N, r.Ratio, r.Low, r.High, r.SD, r.RankP = 4, 2, 2, 2, 0, 2.0/70 })},
		{"nothing to rank", Unpaired, []float64{1, 1, 1, 1}, []float64{1, 1, 1, 1},
			with(func(r *Ratio) { r.N, r.Ratio, r.Low, r.High, r.SD = 4, 1, 1, 1, 0 })},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := c.of(c.baseline, c.arm, 0.95)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, got, cmpopts.EquateNaNs(), cmpopts.EquateApprox(1e-12, 0)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestRatioRefuses(t *testing.T) {
	for _, c := range []struct {
		name          string
		of            compare
		baseline, arm []float64
		confidence    float64
		want          string
	}{
		{"no pairs", Paired, []float64{1, 2}, []float64{1}, 0.95, "a baseline of 2 values and an arm of 1 make no pairs"},
		{"zero", Paired, []float64{1, 0}, []float64{1, 2}, 0.95, "value 2 of the baseline is 0: a ratio needs finite values above zero"},
		{"negative", Unpaired, []float64{1, 2}, []float64{-3}, 0.95, "value 1 of the arm is -3: a ratio needs finite values above zero"},
		{"not a number", Unpaired, []float64{nan}, []float64{1}, 0.95, "value 1 of the baseline is NaN: a ratio needs finite values above zero"},
		{"infinite", Paired, []float64{1}, []float64{math.Inf(1)}, 0.95, "value 1 of the arm is +Inf: a ratio needs finite values above zero"},
		{"percent", Paired, []float64{1}, []float64{1}, 95, "a confidence is a share between 0 and 1, such as 0.95"},
		{"no confidence", Unpaired, []float64{1}, []float64{1}, nan, "a confidence is a share between 0 and 1, such as 0.95"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if _, err := c.of(c.baseline, c.arm, c.confidence); err == nil || err.Error() != c.want {
				t.Errorf("got %v, want %s", err, c.want)
			}
		})
	}
}

func TestMeanAtTheEdges(t *testing.T) {
	for _, c := range []struct {
		name       string
		values     []float64
		confidence float64
		want       Estimate
	}{
		{"none", nil, 0.95, Estimate{0, nan, nan, nan, nan}},
		{"one", []float64{7}, 0.95, Estimate{1, 7, nan, nan, nan}},
		{"constant", []float64{0.1, 0.1, 0.1}, 0.95, Estimate{3, 0.1, 0, 0.1, 0.1}},
		{"zero and below", []float64{-1, 1}, 0.5, Estimate{2, 0, math.Sqrt2, -1, 1}},
		{"not a number", []float64{1, nan, 2}, 0.95, Estimate{3, nan, nan, nan, nan}},
		{"percent", []float64{-1, 1}, 95, Estimate{2, 0, math.Sqrt2, nan, nan}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, Mean(c.values, c.confidence), cmpopts.EquateNaNs(), cmpopts.EquateApprox(1e-12, 0)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestNeeded(t *testing.T) {
	seen := func(test string, ratio, sd float64) Ratio {
		return Ratio{Test: test, N: 3, Ratio: ratio, SD: sd}
	}
	// The logs are chosen, so that the effect is a whole number of percent on their scale.
	two, border := math.Exp(0.02), math.Expm1(0.02)
	for _, c := range []struct {
		name      string
		r         Ratio
		minEffect float64
		want      int
	}{
		// statsmodels 0.15.0: TTestPower().solve_power(2, power=0.8, alpha=0.05) is 4.22.
		{"paired, two standard deviations", seen(PairedT, two, 0.01), border / 10, 5},
		{"the other way round", seen(PairedT, 1/two, 0.01), border / 10, 5},
		// statsmodels 0.15.0: TTestIndPower().solve_power(1, power=0.8, alpha=0.05) is 16.71.
		{"two arms, one standard deviation", seen(WelchT, two, 0.02), border / 10, 17},
		{"nothing seen: the border decides", seen(PairedT, 1, 0.01), border, 5},
		{"half of the border seen: half is left", seen(PairedT, math.Exp(0.01), 0.005), border, 5},
		{"at the border it is a difference", seen(PairedT, two, 0.01), border, 5},
		{"clear at once", seen(PairedT, 10, 0.01), 0.02, 2},
		{"just inside of the border", seen(PairedT, math.Exp(0.01999), 0.01), border, MostNeeded + 1},
		{"nothing seen, and any effect counts", seen(PairedT, 1, 0.01), 0, MostNeeded + 1},
		{"no spread", seen("", 1.01, 0), 0.02, 0},
		{"one start", Ratio{N: 1, Ratio: 1.1, SD: nan}, 0.02, 0},
		{"none", Ratio{Ratio: nan, SD: nan}, 0.02, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := Needed(c.r, c.minEffect, 0.95, 0.8); got != c.want {
				t.Errorf("got %d, want %d", got, c.want)
			}
		})
	}
	for _, c := range [][2]float64{{95, 0.8}, {0.95, 80}, {nan, 0.8}, {0.95, nan}} {
		if got := Needed(seen(PairedT, two, 0.01), 0.02, c[0], c[1]); got != 0 {
			t.Errorf("confidence %v and power %v give %d", c[0], c[1], got)
		}
	}
}
