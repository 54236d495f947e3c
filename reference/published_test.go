package reference

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"servematrix/engine"
	"servematrix/matrix"
	"servematrix/result"
)

const published = "../examples/published"

// The numbers as they were published, typed out apart from the files.
var numbersPublished = map[string][]map[string]float64{
	"deepseek-v3-attention": {
		{"output_throughput": 1002.94, "mean_ttft_ms": 1203.21}, {"output_throughput": 915.43, "mean_ttft_ms": 1612.58},
		{"output_throughput": 635.64, "mean_ttft_ms": 886.12}, {"output_throughput": 583.99, "mean_ttft_ms": 1119.91},
	},
	"qwen3-coder-npu": {{"output_throughput": 1489.93, "mean_ttft_ms": 6412.33, "mean_tpot_ms": 49.43}},
	"llama-3.1-sglang-vllm": {
		{"median_ttft_ms": 31.98, "median_itl_ms": 11.93}, {"median_ttft_ms": 100.48, "median_itl_ms": 129.32}, {"median_ttft_ms": 35.68}, {"median_ttft_ms": 120.39},
		{"output_throughput": 4281.51}, {"output_throughput": 4132.37}, {"output_throughput": 3856.01}, {"output_throughput": 3700.64},
	},
	"gpt-oss-eagle3":   {{}, {"output_throughput": 1.39}, {"output_throughput": 1.52}},
	"deepseek-r1-b200": {{"output_throughput": 105.24}, {"output_throughput": 795.30}, {"output_throughput": 2282.90}},
	"deepseek-r1-h200": {{"mean_ttft_ms": 446.9, "mean_tpot_ms": 11.27}, {"mean_ttft_ms": 699.9, "mean_tpot_ms": 20.41}, {"mean_ttft_ms": 2278.8, "mean_tpot_ms": 50.24}},
	"qwen3-32b-ascend": {{"output_throughput": 1065.179}},
	"opt-6.7b-vllm":    {{"output_throughput": 923.68, "mean_ttft_ms": 98.30, "mean_tpot_ms": 39.74}},
}

func TestPublishedNumbers(t *testing.T) {
	folders, err := filepath.Glob(filepath.Join(published, "*", "reference.yaml"))
	if err != nil || len(folders) != len(numbersPublished) {
		t.Fatalf("%d references, the table has %d: %v", len(folders), len(numbersPublished), err)
	}
	for name, want := range numbersPublished {
		f, err := Load(filepath.Join(published, name, "reference.yaml"))
		if err != nil {
			t.Error(err)
			continue
		}
		var got []map[string]float64
		for _, r := range f.Results {
			numbers := map[string]float64{}
			for _, n := range r.Metrics {
				numbers[n.Metric] = n.Value
			}
			got = append(got, numbers)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		if f.Source.File != "" {
			if _, err := os.Stat(filepath.Join(published, name, f.Source.File)); err != nil {
				t.Error(err)
			}
		}
	}
}

// planned gives the samples that a sweep would leave, all with one metric.
func planned(t *testing.T, name string) []*result.Sample {
	t.Helper()
	path := filepath.Join(published, name, "sweep.yaml")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	plan, problems := matrix.Parse(path, text, matrix.Options{Getenv: func(string) (string, bool) { return "", false }})
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	catalog, err := engine.Load()
	if err != nil {
		t.Fatal(err)
	}
	if problems := catalog.Complete(plan); len(problems) > 0 {
		t.Fatal(problems)
	}
	var out []*result.Sample
	for _, c := range plan.Cells {
		s := &result.Sample{Cell: c.ID, Status: result.StatusOK, Block: 1}
		for _, server := range plan.Servers {
			if server.ID == c.Server {
				s.Server = &result.Side{Name: server.Name, Argv: server.Argv}
			}
		}
		for _, client := range plan.Clients {
			if client.ID == c.Client {
				s.Client = &result.Side{Name: client.Name, Argv: client.Argv}
			}
		}
		out = append(out, s)
	}
	return out
}

// Each sweep sets up what its reference has: of the conditions that were published none differs
// but those that the sweep's comments name.
func TestPublishedSweepsSetTheSameUp(t *testing.T) {
	otherwise := map[string][]string{ // the clients that a sweep replaces, and what goes with them
		"gpt-oss-eagle3":   {"client"},
		"deepseek-r1-h200": {"client"},
		"qwen3-32b-ascend": {"client", "dataset"},
	}
	for name := range numbersPublished {
		f, err := Load(filepath.Join(published, name, "reference.yaml"))
		if err != nil {
			t.Fatal(err)
		}
		c := Compare(f, Run{Name: name, Samples: planned(t, name)})
		if len(c.Matches) == 0 {
			t.Errorf("%s: nothing was compared", name)
		}
		cells := map[string]bool{}
		for _, m := range c.Matches {
			cells[m.Cell] = true
			if m.Others > 0 || m.Count(Same) < 4 {
				t.Errorf("%s, %s: %d cells are as near as %s, %d conditions are the same", name, m.Result.Name, m.Others, m.Cell, m.Count(Same))
			}
			for _, checked := range m.Conditions {
				stands70B := name == "llama-3.1-sglang-vllm" && (checked.Name == "model" || checked.Name == "tensor_parallel_size")
				if checked.Status == Differs && !slices.Contains(otherwise[name], checked.Name) && checked.Name != "repeats" && !stands70B {
					t.Errorf("%s, %s: %s is %q, published %q", name, m.Result.Name, checked.Name, checked.Here, checked.There)
				}
			}
		}
		if len(cells) < min(len(c.Matches), 3) {
			t.Errorf("%s: all results meet the same cells: %v", name, cells)
		}
	}
}

// A published text beside its own reference: every number comes back, and nothing differs.
func TestPublishedTextsMeetThemselves(t *testing.T) {
	for _, name := range []string{"deepseek-v3-attention", "qwen3-coder-npu", "opt-6.7b-vllm"} {
		f, err := Load(filepath.Join(published, name, "reference.yaml"))
		if err != nil {
			t.Fatal(err)
		}
		imported, err := result.Import([]string{filepath.Join(published, name, f.Source.File)})
		if err != nil {
			t.Fatal(err)
		}
		run := Run{Name: "sample.txt"}
		for i := range imported {
			run.Samples = append(run.Samples, &imported[i])
		}
		for _, m := range Compare(f, run).Matches {
			if n := m.Count(Differs); n > 0 || m.Count(Same) < 6 || m.Starts != 1 {
				t.Errorf("%s, %s: %+v", name, m.Result.Name, m.Conditions)
			}
			for _, n := range m.Numbers {
				if n.Ratio != 1 || n.Here.N != 1 {
					t.Errorf("%s, %s: %s is %v, published %v", name, m.Result.Name, n.Metric, n.Here.Mean, n.Published)
				}
			}
		}
	}
}
