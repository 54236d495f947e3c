package compare

import (
	"math"
	"strings"
	"testing"

	"servematrix/metric"
	"servematrix/result"
	"servematrix/stats"
)

func TestGatesThatAreNone(t *testing.T) {
	for text, want := range map[string]string{
		"":                                      "",
		"worse":                                 "is no condition",
		"worse()":                               "takes a metric and a margin, not 0 arguments",
		"worse(output_throughput, 1%, 2%)":      "not 3 arguments",
		"inconclusive(output_throughput, 1%)":   "takes a metric, not 2 arguments",
		"worse(no_such)":                        `there is no metric "no_such"`,
		"worse(max_concurrency)":                "describes the load",
		"worse(output_throughput, -1%)":         "the margin of worse is a share",
		"worse(output_throughput, 120%)":        "the margin of worse is a share",
		"worse(output_throughput, 3)":           "the margin of worse is a share",
		"worse(output_throughput, x)":           "the margin of worse is a share",
		"worst(output_throughput)":              `there is no predicate "worst"`,
		"worse(output_throughput) + 1":          `"+" is not known here`,
		"-worse(output_throughput)":             `"-" is not known here`,
		"len(output_throughput)":                "is no condition",
		"worse(p99.9_ttft_ms)":                  "",
		"worse(output_throughput) or true":      "is no condition",
		"worse(output_throughput) ? true : 1":   "is no condition",
		"worse(output_throughput); system('x')": "",
	} {
		_, err := ParseGate(text)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

// pairOf is a pair whose metrics have these ratios, intervals and verdicts.
func pairOf(ms ...Comparison) *Pair { return &Pair{Cell: "c", Arm: "b", Metrics: ms} }

func of(name string, ratio, low, high float64, v stats.Verdict) Comparison {
	return Comparison{Metric: name, Ratio: stats.Ratio{N: 3, Ratio: ratio, Low: low, High: high}, Verdict: v}
}

func TestGates(t *testing.T) {
	slow := pairOf(of("output_throughput", 0.95, 0.93, 0.97, stats.Worse), of("p99_ttft_ms", 1.05, 1.03, 1.07, stats.Worse))
	same := pairOf(of("output_throughput", 1.001, 0.995, 1.01, stats.Equivalent), of("p99_ttft_ms", 1, 0.9, 1.1, stats.Inconclusive))
	fast := pairOf(of("output_throughput", 1.2, 1.1, 1.3, stats.Better), of("p99_ttft_ms", 0.8, 0.7, 0.9, stats.Better))
	nan := math.NaN()
	lone := pairOf(of("output_throughput", 0.5, nan, nan, stats.Inconclusive), of("p99_ttft_ms", 2, nan, nan, stats.Inconclusive))
	for _, c := range []struct {
		text                   string
		slow, same, fast, lone bool
	}{
		{"worse(output_throughput)", true, false, false, false},
		{"worse(output_throughput, 3%)", true, false, false, false},
		{"worse(output_throughput, 0.03)", true, false, false, false},
		{"worse(output_throughput, 5.5 % )", false, false, false, false},
		{"worse(p99_ttft_ms, 4%)", true, false, false, false},
		{"worse(p99_ttft_ms, 6%)", false, false, false, false},
		{"better('p99_ttft_ms', 19%)", false, false, true, false},
		{"not better(output_throughput, 5%)", true, true, false, true},
		{"not_equivalent(output_throughput)", true, false, true, true},
		{"not_equivalent(output_throughput, 0.5%)", true, true, true, true},
		{"not_equivalent(output_throughput, 10%)", false, false, true, true},
		{"inconclusive(p99_ttft_ms)", false, true, false, true},
		{"worse(output_throughput) and worse(p99_ttft_ms, 6%)", false, false, false, false},
		{"worse(output_throughput, 50%) or (inconclusive(p99_ttft_ms) && not inconclusive(output_throughput))", false, true, false, false},
	} {
		g, err := ParseGate(c.text)
		if err != nil {
			t.Error(err)
			continue
		}
		r := &Result{MinEffect: 0.02}
		for _, p := range []struct {
			name string
			*Pair
			want bool
		}{{"slow", slow, c.slow}, {"same", same, c.same}, {"fast", fast, c.fast}, {"lone", lone, c.lone}} {
			if got, missing := g.Holds(r, p.Pair); got != p.want || missing != "" {
				t.Errorf("%s of %s is %v %q", c.text, p.name, got, missing)
			}
		}
	}
}

// A server that no longer starts must not pass a gate.
func TestAGateThatCannotBeJudgedFails(t *testing.T) {
	s := blocks([]float64{100, 100}, []float64{100, 100})
	for _, i := range []int{1, 3} {
		s[i].Status, s[i].Metrics, s[i].Failure = result.StatusFailed, metric.Values(nil), &result.Failure{Class: "oom"}
	}
	g, err := ParseGate("worse(output_throughput, 3%)")
	if err != nil {
		t.Fatal(err)
	}
	out := mustCompare(t, Options{Baseline: []string{"radix=on"}}, Source{Samples: s}).Check([]*Gate{g})
	if len(out.Failed) != 1 || !strings.Contains(out.Failed[0].Why, "no valid output_throughput") {
		t.Errorf("%+v", out)
	}
}

func TestPercent(t *testing.T) {
	for ratio, want := range map[float64]string{1.052: "+5.2", 0.993: "−0.7", 1: "0.0", 1.0004: "0.0", 0.99996: "0.0", 2.5: "+150", 1.9: "+90.0"} {
		if got := Percent(ratio); got != want {
			t.Errorf("%v is %s, want %s", ratio, got, want)
		}
	}
}
