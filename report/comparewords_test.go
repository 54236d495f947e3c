package report

import (
	"bytes"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"servematrix/compare"
	"servematrix/matrix"
	"servematrix/metric"
	"servematrix/result"
	"servematrix/stats"
)

// inBlocks compares two arms whose starts have these values of output_throughput.
func inBlocks(t *testing.T, base, arm []float64, o compare.Options) *compare.Result {
	t.Helper()
	var samples []*result.Sample
	for i := range base {
		for which, v := range []float64{base[i], arm[i]} {
			backend := []string{"fa3", "triton"}[which]
			samples = append(samples, &result.Sample{
				Cell: backend, Block: i + 1, Attempt: 1, Status: result.StatusOK,
				Server:  &result.Side{Name: backend, ID: backend, Axes: matrix.Axes{{Name: "backend", Value: backend}}, Argv: []string{"serve", "--attention", backend}},
				Client:  &result.Side{Name: "c4", ID: "c4", Axes: matrix.Axes{{Name: "load", Value: "c4"}}, Argv: []string{"bench"}},
				Metrics: metric.Of(map[string]float64{"output_throughput": v}),
			})
		}
	}
	r, err := compare.Compare([]compare.Source{{Name: "run", Samples: samples}}, o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func drawn(t *testing.T, r *compare.Result, metrics ...string) string {
	t.Helper()
	var b bytes.Buffer
	if err := CompareText(&b, r, metrics); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// Whoever sees an interval that excludes zero is told why there is no verdict nevertheless.
func TestWhyInconclusive(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		low, high, p float64
		needed       int
		want         string
	}{
		{0.427, 0.805, 0.083, 4, "~ inconclusive (p 0.083 after Holm; about 4 starts per arm)"},
		{1.002, 1.05, 0.04, 0, "~ inconclusive (less than 2 %)"},
		{0.9, 1.05, 0.3, 7, "~ inconclusive (about 7 starts per arm)"},
		{0.9, 1.05, 0.3, stats.MostNeeded + 1, fmt.Sprintf("~ inconclusive (more than %d starts per arm)", stats.MostNeeded)},
		{0.9, 1.05, 0.3, 0, "~ inconclusive"},
		{nan, nan, nan, 0, "~ inconclusive"},
	} {
		r := &compare.Result{Arms: []string{"a", "b"}, Primary: "output_throughput", MinEffect: 0.02, Confidence: 0.95}
		p := &compare.Pair{Arm: "b", Metrics: []compare.Comparison{{
			Metric: "output_throughput", P: c.p, Verdict: stats.Inconclusive, Needed: c.needed,
			Ratio: stats.Ratio{N: 3, Low: c.low, High: c.high},
		}}}
		if got := (comparison{Result: r}).verdict(p); got != c.want {
			t.Errorf("%s, want %s", got, c.want)
		}
	}
}

// Arithmetic means that fall while the geometric difference rises are named.
func TestMeansAgainstTheDifference(t *testing.T) {
	text := drawn(t, inBlocks(t, []float64{1000, 100, 100}, []float64{700, 150, 150}, compare.Options{}))
	if want := "The means and Δ % point in opposite directions in c4 (output tok/s): "; !strings.Contains(text, want) {
		t.Error(text)
	}
	if text := drawn(t, inBlocks(t, []float64{100, 100, 100}, []float64{110, 111, 112}, compare.Options{})); strings.Contains(text, "opposite") {
		t.Error(text)
	}
}

// Valid starts whose client did not tell the metric are no missing starts.
func TestStartsWithoutTheMetric(t *testing.T) {
	text := drawn(t, inBlocks(t, []float64{100, 100}, []float64{110, 111}, compare.Options{Primary: "p99.9_ttft_ms"}))
	if !strings.Contains(text, "no verdict: no start has p99.9_ttft_ms") {
		t.Error(text)
	}
	for _, c := range []struct {
		base, arm int
		want      string
	}{{0, 0, "no verdict: neither arm has a valid start"}, {0, 2, "no verdict: a has no valid start"}, {2, 0, "no verdict: b has no valid start"}} {
		r := &compare.Result{Arms: []string{"a", "b"}, Primary: "output_throughput"}
		if got := (comparison{Result: r}).verdict(&compare.Pair{Arm: "b", BaselineStarts: c.base, ArmStarts: c.arm}); got != c.want {
			t.Errorf("%s, want %s", got, c.want)
		}
	}
}

func TestAColumnStandsOnce(t *testing.T) {
	got := CompareColumns(&compare.Result{}, []string{"mean_itl_ms", "output_throughput", "mean_itl_ms"})
	if diff := cmp.Diff([]string{"mean_itl_ms", "output_throughput"}, got); diff != "" {
		t.Error(diff)
	}
}
