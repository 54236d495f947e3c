package compare

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"servematrix/metric"
	"servematrix/result"
	"servematrix/stats"
)

// lines are the samples of one file of JSON lines, as import names them.
func lines(file string, config map[string]any, throughput ...float64) []*result.Sample {
	var out []*result.Sample
	for i, v := range throughput {
		name := file
		if i > 0 {
			name = fmt.Sprintf("%s#%d", file, i+1)
		}
		s := imported(name, nil, metric.Of(map[string]float64{"output_throughput": v}))
		s.Client.Config = config
		out = append(out, s)
	}
	return out
}

func configured(concurrency int, dataset string) map[string]any {
	return map[string]any{"num_prompts": 100, "max_concurrency": concurrency, "dataset_name": dataset}
}

// shown is a pair as "cell: n baseline arm", by the primary metric.
func shown(r *Result) []string {
	var out []string
	for _, p := range r.Pairs {
		c, _ := p.Of("output_throughput")
		out = append(out, fmt.Sprintf("%s: %d/%d %.6g %.6g", p.Cell, c.Baseline.N, c.Arm.N, c.Baseline.Mean, c.Arm.Mean))
	}
	return out
}

// Four lines of a file are four results of which nobody knows the start, in whatever cells they lie.
func TestLinesOfOneFileAreOneStart(t *testing.T) {
	c8 := configured(8, "random")
	r := mustCompare(t, Options{}, Source{Name: "e", Samples: lines("e", c8, 100, 101, 99, 100)}, Source{Name: "f", Samples: lines("f", c8, 120, 121, 119, 120)})
	if diff := cmp.Diff([]string{"prompts 100, concurrency 8, dataset random: 1/1 100 120"}, shown(r)); diff != "" {
		t.Error(diff)
	}
	if c, _ := r.Pairs[0].Of("output_throughput"); c.Verdict != stats.Inconclusive {
		t.Errorf("a verdict of one start: %+v", c)
	}
}

// Blocks that are known stay starts of their own beside the one of unknown samples.
func TestKnownBlocksStayStarts(t *testing.T) {
	first, second, third := lines("e", nil, 1)[0], lines("e", nil, 2)[0], lines("e", nil, 5, 7)
	first.Block, second.Block = 1, 2
	got := tallyOf(cellsOf([]Source{{Samples: append([]*result.Sample{first, second}, third...)}}))
	var blocks []string
	for _, s := range got.starts {
		v, _ := s.value("output_throughput")
		blocks = append(blocks, fmt.Sprint(s.block, " ", v))
	}
	if diff := cmp.Diff([]string{"0 6", "1 1", "2 2"}, blocks); diff != "" {
		t.Error(diff)
	}
}

// Of samples without block and attempt none takes another's place: what failed is counted.
func TestFailuresOfUnknownAttemptsAreLost(t *testing.T) {
	s := []*result.Sample{lines("e", nil, 1)[0], lines("e", nil, 2)[0], lines("e", nil, 3)[0]}
	s[1].Status = result.StatusInvalid
	if got := tallyOf(cellsOf([]Source{{Samples: s}})); got.lost.Invalid != 1 || len(got.starts) != 1 || len(got.starts[0].samples) != 2 {
		t.Errorf("%+v", got)
	}
}

// Equal load on other data is another workload.
func TestDatasetsAreNotPutTogether(t *testing.T) {
	of := func(file string, random, sharegpt float64) Source {
		return Source{Name: file, Samples: append(lines(file+"1", configured(8, "random"), random), lines(file+"2", configured(8, "sharegpt"), sharegpt)...)}
	}
	r := mustCompare(t, Options{}, of("e", 100, 1000), of("f", 110, 2000))
	want := []string{"prompts 100, concurrency 8, dataset random: 1/1 100 110", "prompts 100, concurrency 8, dataset sharegpt: 1/1 1000 2000"}
	if diff := cmp.Diff(want, shown(r)); diff != "" {
		t.Error(diff)
	}
}

// Equally named files hold what they hold: other loads are other cells.
func TestEquallyNamedFilesOfOtherLoads(t *testing.T) {
	of := func(name string, c8, c16 float64) Source {
		return Source{Name: name, Samples: append(lines("bench", configured(8, "random"), c8), lines("bench", configured(16, "random"), c16)...)}
	}
	r := mustCompare(t, Options{}, of("before", 1000, 1800), of("after", 1100, 2000))
	want := []string{"prompts 100, concurrency 8, dataset random: 1/1 1000 1100", "prompts 100, concurrency 16, dataset random: 1/1 1800 2000"}
	if diff := cmp.Diff(want, shown(r)); diff != "" {
		t.Error(diff)
	}
	// What only the numbers tell of the load counts as well.
	told := func(v, conc float64) *result.Sample {
		return imported("bench", nil, metric.Of(map[string]float64{"output_throughput": v, "max_concurrency": conc}))
	}
	r = mustCompare(t, Options{}, Source{Name: "before", Samples: []*result.Sample{told(1000, 8), told(1800, 16)}}, Source{Name: "after", Samples: []*result.Sample{told(1100, 8), told(2000, 16)}})
	if diff := cmp.Diff([]string{"concurrency 8: 1/1 1000 1100", "concurrency 16: 1/1 1800 2000"}, shown(r)); diff != "" {
		t.Error(diff)
	}
}

// A name that stands for two loads joins nothing.
func TestNamesOfOtherLoadsAreNoPair(t *testing.T) {
	of := func(name string, samples ...[]*result.Sample) Source {
		s := Source{Name: name}
		for _, list := range samples {
			s.Samples = append(s.Samples, list...)
		}
		return s
	}
	run := func(n, concurrency int, v float64) []*result.Sample {
		return lines(fmt.Sprint("run", n), configured(concurrency, "random"), v)
	}
	if _, err := Compare([]Source{of("p", run(1, 8, 100)), of("q", run(1, 16, 200))}, Options{}); err == nil || !strings.Contains(err.Error(), "no cell of p has a counterpart") {
		t.Errorf("%v", err)
	}
	// Where the loads find each other, the names do not matter.
	r := mustCompare(t, Options{}, of("p", run(1, 8, 100), run(2, 16, 200), run(3, 32, 300)), of("q", run(1, 8, 110), run(2, 32, 310), run(3, 16, 210)))
	want := []string{"prompts 100, concurrency 8, dataset random: 1/1 100 110", "prompts 100, concurrency 16, dataset random: 1/1 200 210", "prompts 100, concurrency 32, dataset random: 1/1 300 310"}
	if diff := cmp.Diff(want, shown(r)); diff != "" {
		t.Error(diff)
	}
}

// vllm bench sweep starts one server for all runs of its configuration.
func TestRunsOfASweepAreOneStart(t *testing.T) {
	dir := t.TempDir()
	for _, server := range []string{"16", "32"} {
		combination := filepath.Join(dir, "SERVE--max_num_seqs="+server+"-BENCH--max_concurrency=8")
		if err := os.Mkdir(combination, 0o755); err != nil {
			t.Fatal(err)
		}
		for run := range 3 {
			text := fmt.Sprintf(`{"endpoint_type": "vllm", "duration": 2.0, "completed": 10, "failed": 0, "total_input_tokens": 9, "total_output_tokens": 8, "output_throughput": %s.%d, "run_number": %d, "max_num_seqs": %s, "max_concurrency": 8}`, server, run, run, server)
			if err := os.WriteFile(filepath.Join(combination, fmt.Sprintf("run=%d.json", run)), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	samples, err := result.Import([]string{dir})
	if err != nil || len(samples) != 6 {
		t.Fatalf("%d samples, %v", len(samples), err)
	}
	src := Source{Name: "sweep"}
	for i := range samples {
		src.Samples = append(src.Samples, &samples[i])
	}
	r := mustCompare(t, Options{Baseline: []string{"max_num_seqs=16"}}, src)
	if diff := cmp.Diff([]string{"max_concurrency=8: 1/1 16.1 32.1"}, shown(r)); diff != "" {
		t.Error(diff)
	}
}
