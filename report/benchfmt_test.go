package report

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/perf/benchfmt"

	"servematrix/journal"
	"servematrix/matrix"
	"servematrix/metric"
	"servematrix/result"
)

// readBack draws the run for benchstat and reads it as benchstat does.
func readBack(t *testing.T, r *run) (lines []*benchfmt.Result, units benchfmt.UnitMetadataMap) {
	t.Helper()
	var b bytes.Buffer
	if _, err := Benchfmt(&b, r.folder); err != nil {
		t.Fatal(err)
	}
	reader := benchfmt.NewReader(&b, "run")
	for reader.Scan() {
		switch rec := reader.Result().(type) {
		case *benchfmt.Result:
			lines = append(lines, rec.Clone())
		case *benchfmt.SyntaxError:
			t.Error(rec)
		}
	}
	if err := reader.Err(); err != nil {
		t.Fatal(err)
	}
	return lines, reader.Units()
}

// Every valid start is a line, in plan order, and nothing else is.
func TestBenchfmt(t *testing.T) {
	lines, units := readBack(t, repeated(t, t.TempDir(), "en"))
	count := map[string]int{}
	for _, l := range lines {
		count[l.Name.String()]++
	}
	want := map[string]int{
		"Serve/backend=flashinfer/load=rand256x32": 5, "Serve/backend=flashinfer/load=rand128x16": 5,
		"Serve/backend=triton/load=rand256x32": 2, "Serve/backend=triton/load=rand128x16": 1,
	}
	if diff := cmp.Diff(want, count); diff != "" {
		t.Error(diff)
	}
	for unit, want := range map[string]float64{"output-throughput-tok/s": 1010, "mean-ttft-sec": 3.03, "completed-requests": 256} {
		if v, ok := lines[1].Value(unit); !ok || math.Abs(v-want) > 1e-9 {
			t.Errorf("the second start has %v %s, want %v", v, unit, want)
		}
	}
	if units.GetBetter("output-throughput-tok/s") != 1 || units.GetBetter("mean-ttft-sec") != -1 || units.GetBetter("max-concurrency-requests") != 0 {
		t.Errorf("the directions are %v", units)
	}
	config := map[string]string{}
	for _, c := range lines[0].Config {
		config[c.Key] = string(c.Value)
	}
	if diff := cmp.Diff(map[string]string{"sweep": "deepseek-v3-attention", "run": "deepseek-v3-attention-20261120T221102Z", "servematrix": "1", "engine": "sglang"}, config); diff != "" {
		t.Error(diff)
	}
}

// A unit is one metric's, and says its unit in the metric table's words.
func TestBenchUnits(t *testing.T) {
	seen := map[string]string{}
	for _, name := range append(metric.Names(), "p99.9_ttft_ms") {
		unit := benchUnit(name).name
		if other, taken := seen[unit]; taken {
			t.Errorf("%s and %s share the unit %s", name, other, unit)
		}
		seen[unit] = name
		if strings.ContainsAny(unit, " \t=") {
			t.Errorf("%q is no unit", unit)
		}
	}
	for unit, name := range map[string]string{
		"duration-sec": "duration_s", "p99.9-ttft-sec": "p99.9_ttft_ms", "request-throughput-req/s": "request_throughput",
		"total-input-tokens": "total_input_tokens", "accept-length-tokens": "accept_length", "num-prompts-requests": "num_prompts",
	} {
		if seen[unit] != name {
			t.Errorf("%s is the unit of %q, want %s", unit, seen[unit], name)
		}
	}
}

// Numbers that are not finite are left out, simulated ones are marked, the last valid
// attempt of a start is its line, and names cannot break it.
func TestBenchfmtOfOddRuns(t *testing.T) {
	plan := samplePlan("en", "cell")
	plan.Run.Blocks = 2
	plan.Servers[0].Axes = matrix.Axes{{Name: "attention backend", Value: "fa/3=x 100%\n"}}
	plan.Clients[0].Axes = matrix.Axes{{Name: "load", Value: "rand-32"}}
	plan.Clients[1].Axes, plan.Clients[1].Name = nil, "default"
	plan.Servers[0].Profile = "sglang"
	r := newRun(t, t.TempDir(), plan)
	r.begin()
	r.startServer("0001", 0, 0, 1, false)
	r.add(r.launch(journal.LaunchConfigured, "0001", 0, 1), journal.Configured{Version: "0.5.9"})
	r.attempt("0001", 0, 1, 1, outcome{status: result.StatusOK, metrics: metric.Of(map[string]float64{"output_throughput": 10, "mean_ttft_ms": 5})})
	r.attempt("0001", 0, 1, 2, outcome{status: result.StatusOK, metrics: metric.Of(map[string]float64{"output_throughput": 20, "mean_itl_ms": math.NaN()})})
	r.attempt("0002", 1, 1, 1, outcome{status: result.StatusOK, metrics: metric.Of(map[string]float64{"output_throughput": 30}), simulated: true})
	r.attempt("0003", 0, 2, 1, outcome{status: result.StatusOK, metrics: metric.Of(map[string]float64{"output_throughput": math.Inf(1)})})
	lines, _ := readBack(t, r)
	var got []string
	for _, l := range lines {
		got = append(got, fmt.Sprint(l.Name, " ", l.Values, " ", l.GetConfig("engine"), l.GetConfig("engine-version"), l.GetConfig("simulated")))
	}
	want := []string{
		"Serve/attention%20backend=fa%2F3%3Dx%20100%25%0A/load=rand%2D32 [{20 output-throughput-tok/s 0 }] sglang0.5.9",
		"Serve/attention%20backend=fa%2F3%3Dx%20100%25%0A/client=default [{30 output-throughput-tok/s 0 }] sglangtrue",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if _, parts := lines[0].Name.Parts(); len(parts) != 2 {
		t.Errorf("the name has the parts %q", parts)
	}
}

// A run without a valid sample gives benchstat nothing, not even units.
func TestBenchfmtWithoutValidSample(t *testing.T) {
	r := repeated(t, t.TempDir(), "en")
	if err := os.Truncate(r.folder.Path(journal.EventsFile), 0); err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if lines, err := Benchfmt(&b, r.folder); err != nil || lines != 0 || b.Len() > 0 {
		t.Errorf("%d lines, %v:\n%s", lines, err, b.String())
	}
}
