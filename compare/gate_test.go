package compare

import (
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

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
		s[i].Status, s[i].Metrics, s[i].Failure = result.StatusFailed, nil, &result.Failure{Class: "oom"}
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

// Nor must a cell that an arm does not have at all.
func TestACellThatAnArmLacksFailsTheGates(t *testing.T) {
	gate := func(text string) *Gate {
		g, err := ParseGate(text)
		if err != nil {
			t.Fatal(err)
		}
		return g
	}
	gates := []*Gate{gate("worse(output_throughput, 3%)"), gate("not worse(output_throughput) and inconclusive(mean_ttft_ms)")}
	failed := func(r *Result) []string {
		out := []string{}
		for _, f := range r.Check(gates).Failed {
			out = append(out, f.Pair.Arm+" "+f.Pair.Cell+" "+f.Gate.Text+": "+f.Why)
		}
		return out
	}
	const why = ": cannot be judged: the baseline's cell has no counterpart in this arm"
	var s []*result.Sample
	for _, radix := range []string{"on", "off", "half"} {
		for _, load := range []string{"a", "b", "c"} {
			for block := 1; block <= 3; block++ {
				if radix == "on" && load == "c" || radix == "off" && load == "b" { // each lacks one
					continue
				}
				s = append(s, sample("radix="+radix, "load="+load, block, 100+float64(block)))
			}
		}
	}
	r := mustCompare(t, Options{Baseline: []string{"radix=on"}}, Source{Samples: s})
	gates = gates[:1]
	if diff := cmp.Diff([]string{"radix=off b " + gates[0].Text + why}, failed(r)); diff != "" {
		t.Error(diff) // what the baseline lacks, c, fails nothing
	}
	gates = gates[:2]
	var missing []string
	for _, text := range failed(r) {
		if strings.HasSuffix(text, why) {
			missing = append(missing, text)
		}
	}
	if diff := cmp.Diff([]string{"radix=off b " + gates[0].Text + why, "radix=off b " + gates[1].Text + why}, missing); diff != "" {
		t.Error(diff)
	}
	gates = gates[:1]

	// Two runs, and no axes: the server that differs least is met, the other one is missing.
	bare := func(samples []*result.Sample) []*result.Sample {
		for _, x := range samples {
			x.Cell, x.Server.Axes, x.Client.Axes = "", nil, nil
		}
		return samples
	}
	before := bare([]*result.Sample{sample("radix=on tp=1", "load=a", 1, 100), sample("radix=on tp=2", "load=a", 1, 100)})
	after := bare([]*result.Sample{sample("radix=off tp=1", "load=a", 1, 100)})
	r = mustCompare(t, Options{}, Source{Name: "before", Samples: before}, Source{Name: "after", Samples: after})
	if got := failed(r); len(got) != 1 || !strings.HasSuffix(got[0], why) {
		t.Errorf("%q", got)
	}
}
