package stats

import (
	"encoding/json"
	"math"
	"os"
	"testing"
)

// reference is testdata/reference.json, which testdata/reference.py made once with SciPy and
// statsmodels. The names of its parts are the names of that script's functions.
type reference struct {
	Paired, Unpaired []struct {
		Baseline, Arm                           []float64
		Confidence, P, Ratio, SD, DF, Low, High float64
	}
	Ranks []struct {
		Baseline, Arm []float64
		How           string
		P             float64
	}
	Means []struct {
		Values                          []float64
		Confidence, Mean, SD, Low, High float64
	}
	Student  []struct{ DF, T, P float64 }
	Critical []struct{ DF, Confidence, T float64 }
	Power    []struct{ DF, T, Shift, Power float64 }
	Holm     []struct{ P, Adjusted []float64 }
}

func readReference(t *testing.T) reference {
	t.Helper()
	data, err := os.ReadFile("testdata/reference.json")
	if err != nil {
		t.Fatal(err)
	}
	var ref reference
	if err := json.Unmarshal(data, &ref); err != nil {
		t.Fatal(err)
	}
	return ref
}

// near fails the test where got is further than a relative 1e-9 from want.
func near(t *testing.T, what string, got, want float64) {
	t.Helper()
	if !(math.Abs(got-want) <= 1e-9*math.Abs(want)) {
		t.Errorf("%s = %v, want %v", what, got, want)
	}
}

func TestPairedAgainstSciPy(t *testing.T) {
	cases := readReference(t).Paired
	if len(cases) < 50 {
		t.Fatalf("only %d cases", len(cases))
	}
	for _, c := range cases {
		r, err := Paired(c.Baseline, c.Arm, c.Confidence)
		if err != nil || r.Test != PairedT || r.N != len(c.Arm) || !math.IsNaN(r.RankP) {
			t.Fatalf("%+v, %v", r, err)
		}
		near(t, "p", r.P, c.P)
		near(t, "ratio", r.Ratio, c.Ratio)
		near(t, "SD", r.SD, c.SD)
		near(t, "df", r.DF, c.DF)
		near(t, "low", r.Low, c.Low)
		near(t, "high", r.High, c.High)
	}
}

func TestUnpairedAgainstSciPy(t *testing.T) {
	cases := readReference(t).Unpaired
	if len(cases) < 40 {
		t.Fatalf("only %d cases", len(cases))
	}
	for _, c := range cases {
		r, err := Unpaired(c.Baseline, c.Arm, c.Confidence)
		if err != nil || r.Test != WelchT || r.N != min(len(c.Baseline), len(c.Arm)) {
			t.Fatalf("%+v, %v", r, err)
		}
		near(t, "p", r.P, c.P)
		near(t, "ratio", r.Ratio, c.Ratio)
		near(t, "SD", r.SD, c.SD)
		near(t, "df", r.DF, c.DF)
		near(t, "low", r.Low, c.Low)
		near(t, "high", r.High, c.High)
	}
}

func TestRanksAgainstSciPy(t *testing.T) {
	seen := map[string]int{}
	for _, c := range readReference(t).Ranks {
		r, err := Unpaired(c.Baseline, c.Arm, 0.95)
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(r.RankP-c.P) > 1e-9*c.P {
			t.Errorf("%s p of %v against %v = %v, want %v", c.How, c.Baseline, c.Arm, r.RankP, c.P)
		}
		seen[c.How]++
	}
	if seen["exact"] < 20 || seen["every permutation"] < 10 || seen["asymptotic"] < 5 {
		t.Errorf("too few cases: %v", seen)
	}
}

func TestMeanAgainstSciPy(t *testing.T) {
	for _, c := range readReference(t).Means {
		e := Mean(c.Values, c.Confidence)
		if e.N != len(c.Values) {
			t.Fatalf("%+v", e)
		}
		near(t, "mean", e.Mean, c.Mean)
		near(t, "SD", e.SD, c.SD)
		near(t, "low", e.Low, c.Low)
		near(t, "high", e.High, c.High)
	}
}

func TestDistributionsAgainstSciPy(t *testing.T) {
	ref := readReference(t)
	for _, c := range ref.Student {
		near(t, "two-sided p", twoSided(c.T, c.DF), c.P)
		near(t, "two-sided p of −t", twoSided(-c.T, c.DF), c.P)
	}
	for _, c := range ref.Critical {
		near(t, "critical t", critical(c.DF, c.Confidence), c.T)
	}
	for _, c := range ref.Power {
		// A power is read to a percent; Simpson's rule gives six digits.
		if got := powerOf(c.T, c.DF, c.Shift); !(math.Abs(got-c.Power) <= 1e-6*c.Power) {
			t.Errorf("power(%v, %v, %v) = %v, want %v", c.T, c.DF, c.Shift, got, c.Power)
		}
	}
	if len(ref.Student) < 50 || len(ref.Critical) < 50 || len(ref.Power) < 100 {
		t.Error("too few cases")
	}
}

func TestHolmAgainstStatsmodels(t *testing.T) {
	for _, c := range readReference(t).Holm {
		got := Holm(c.P)
		if len(got) != len(c.P) {
			t.Fatalf("%d of %d", len(got), len(c.P))
		}
		for i := range got {
			near(t, "adjusted p", got[i], c.Adjusted[i])
		}
	}
}
