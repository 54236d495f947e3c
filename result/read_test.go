package result

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func sample(name string) string { return filepath.Join("testdata", filepath.FromSlash(name)) }

// The samples of clients that were run against good, dying and absent servers.
func TestFailedClients(t *testing.T) {
	for name, c := range map[string]struct {
		prompts int
		want    []string // nil: no result at all
	}{
		"failed/vllm-bench.good-40":               {40, []string{}},
		"failed/sglang-bench.good-40":             {40, []string{}},
		"failed/vllm-bench.server-sigkill-mid":    {200, []string{RequestsFailed}},
		"failed/sglang-bench.server-sigkill-mid":  {200, []string{WrongRequestCount, ClientStarved + "?"}},
		"failed/vllm-bench.wrong-model":           {40, []string{RequestsFailed, NoTokens}},
		"failed/vllm-bench.server-sigterm-mid":    {200, nil},
		"failed/vllm-bench.no-server":             {20, nil},
		"failed/vllm-bench.endpoint-404":          {40, nil},
		"failed/vllm-bench.endpoint-404-noready":  {40, nil},
		"failed/sglang-bench.no-server":           {20, nil},
		"failed/sglang-bench.endpoint-404":        {40, nil},
		"failed/sglang-bench.endpoint-404-nowarm": {40, nil},
	} {
		m, found, err := Read(Inputs{Stdout: sample(name + ".stdout"), Result: resultOf(name)})
		if c.want == nil {
			if !errors.Is(err, ErrNoResult) || m != nil {
				t.Errorf("%s: %v, %v", name, m, err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if len(found) > 0 {
			t.Errorf("%s: findings %v", name, found)
		}
		// The client's own arguments tell how many requests were asked for, as the caller does.
		for _, prompts := range []int{c.prompts, 0} {
			v := Judge(m, Expectation{NumPrompts: prompts, Promised: promised[m.Client]}, found...)
			if got := reasons(v); !slices.Equal(got, c.want) {
				t.Errorf("%s (%d prompts): %v, want %v", name, prompts, v.Reasons, c.want)
			}
			if v.OK != (len(c.want) == 0) {
				t.Errorf("%s: ok %v", name, v.OK)
			}
		}
	}
}

func resultOf(name string) string {
	for _, ending := range []string{".result.json", ".result.jsonl"} {
		if _, err := os.Stat(sample(name + ending)); err == nil {
			return sample(name + ending)
		}
	}
	return sample(name + ".result.json") // missing, as for the clients that wrote none
}

// Both forms of one result: exact numbers from the JSON, the rest from the text.
func TestReadJoinsBothForms(t *testing.T) {
	for _, dir := range []string{"clients/sglang/conc", "clients/sglang/rate", "clients/vllm/conc", "clients/vllm/rate", "clients/vllm/die", "clients/vllm/nomodel"} {
		client := strings.Split(dir, "/")[1]
		file := map[string]string{"sglang": "sglang.jsonl", "vllm": "vllm.json"}[client]
		in := Inputs{Stdout: sample(dir + "/stdout"), Result: sample(dir + "/" + file)}
		m, found, err := Read(in)
		if err != nil || len(found) > 0 {
			t.Errorf("%s: %v, %v", dir, found, err)
			continue
		}
		exact, err := ParseJSON(open(t, dir+"/"+file))
		if err != nil {
			t.Fatal(err)
		}
		for name, f := range exact[0].Metrics.All() {
			if m.Metrics.Value(name) != f {
				t.Errorf("%s: %s = %v, the file says %v", dir, name, m.Metrics.Value(name), f)
			}
		}
		printed, err := ParseText(open(t, dir+"/stdout"))
		if err != nil {
			t.Fatal(err)
		}
		for name := range printed[0].Metrics.All() {
			if _, ok := m.Metrics.Known(name); !ok {
				t.Errorf("%s: %s was lost", dir, name)
			}
		}
		if client == "sglang" {
			if m.Metrics.Value("max_itl_ms") != printed[0].Metrics.Value("max_itl_ms") || m.Metrics.Value("num_prompts") != 40 {
				t.Errorf("%s: max ITL %v, prompts %v", dir, m.Metrics.Value("max_itl_ms"), m.Metrics.Value("num_prompts"))
			}
		}
		if m.Source != "json" || m.Config["dataset_name"] == nil || m.Config["seed"] == nil {
			t.Errorf("%s: source %s, config %v", dir, m.Source, m.Config)
		}
		if len(m.Extra) > 8 {
			t.Errorf("%s: extra holds something twice: %v", dir, m.Extra)
		}
	}
}

func write(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestReadComparesBothForms(t *testing.T) {
	stdout := write(t, "out", block("Successful requests:                     4         ", "Benchmark duration (s):                  2.50      ", "Mean TTFT (ms):                          98.30     "))
	for text, differ := range map[string]bool{
		`{"completed": 4, "duration": 2.5, "mean_ttft_ms": 98.3}`:       false,
		`{"completed": 4, "duration": 2.5049, "mean_ttft_ms": 98.2951}`: false,
		`{"completed": 4, "duration": 2.505, "mean_ttft_ms": 98.295}`:   false, // Python rounds half to even
		`{"completed": 4, "duration": 2.51, "mean_ttft_ms": 98.3}`:      true,
		`{"completed": 5, "duration": 2.5, "mean_ttft_ms": 98.3}`:       true,
		`{"completed": 4, "duration": 2.5, "mean_ttft_ms": NaN}`:        true,
		`{"completed": 4, "duration": 2.5, "num_prompts": 9}`:           false,
	} {
		m, found, err := Read(Inputs{Stdout: stdout, Result: write(t, "r.json", text)})
		if err != nil {
			t.Fatal(err)
		}
		if got := slices.ContainsFunc(found, func(r Reason) bool { return r.Reason == TextJSONDiffer }); got != differ {
			t.Errorf("%s: %v", text, found)
		}
		if Judge(m, Expectation{}).Has(TextJSONDiffer) != differ {
			t.Errorf("%s: the gate does not see it", text)
		}
	}
}

func TestReadFallsBack(t *testing.T) {
	stdout := write(t, "out", block("Successful requests:                     4         ", "Benchmark duration (s):                  2.50      "))
	cut := write(t, "cut.json", `{"completed": 9, "duration": 1}{"completed": 4, "dura`)
	m, found, err := Read(Inputs{Stdout: stdout, Result: cut})
	if err != nil || m.Source != "text" || m.Metrics.Value("completed") != 4 {
		t.Fatalf("%+v, %v", m, err)
	}
	if len(found) != 1 || found[0].Reason != Partial || found[0].Severity != SeverityWarning {
		t.Errorf("%v", found)
	}
	old := write(t, "old.json", `{"completed": 9, "duration": 1}`)
	if m, found, err = Read(Inputs{Stdout: filepath.Join(t.TempDir(), "none"), Result: old}); err != nil || m.Metrics.Value("completed") != 9 || len(found) != 0 {
		t.Errorf("the file alone: %v, %v, %v", m, found, err)
	}
	if _, _, err = Read(Inputs{Result: cut}); !errors.Is(err, ErrNoResult) || !strings.Contains(err.Error(), "cut off") {
		t.Errorf("err = %v", err)
	}
	if _, _, err = Read(Inputs{}); !errors.Is(err, ErrNoResult) {
		t.Errorf("err = %v", err)
	}
	if _, _, err = Read(Inputs{Stdout: t.TempDir()}); err == nil || errors.Is(err, ErrNoResult) {
		t.Errorf("a folder in place of a file: %v", err)
	}
}

// A client may append to its file, print JSON, and print several blocks.
func TestReadChooses(t *testing.T) {
	rows := func(n string) string {
		return block("Successful requests:                     "+n, "Benchmark duration (s):                  2.50      ")
	}
	blocks := write(t, "out", rows("4")+"noise\n"+rows("5"))
	last, _, err := Read(Inputs{Stdout: blocks})
	if err != nil || last.Metrics.Value("completed") != 5 {
		t.Errorf("%v, %v", last, err)
	}
	first, _, err := Read(Inputs{Stdout: blocks, First: true})
	if err != nil || first.Metrics.Value("completed") != 4 {
		t.Errorf("%v, %v", first, err)
	}
	printed, _, err := Read(Inputs{Stdout: write(t, "out", "starting\n{\"duration\": 1, \"completed\": 7}\nbye\n")})
	if err != nil || printed.Metrics.Value("completed") != 7 || printed.Source != "json" {
		t.Errorf("%v, %v", printed, err)
	}
	appended, _, err := Read(Inputs{Result: write(t, "r.jsonl", `{"duration": 1, "completed": 7}{"duration": 1, "completed": 8}`)})
	if err != nil || appended.Metrics.Value("completed") != 8 || appended.Source != "jsonl" {
		t.Errorf("%v, %v", appended, err)
	}
}

// What a client prints on stderr counts where its stdout has no result.
func TestReadStderr(t *testing.T) {
	rows := func(n string) string {
		return block("Successful requests:                     "+n, "Benchmark duration (s):                  2.50      ")
	}
	quiet, loud := write(t, "out", "starting\n"), write(t, "err", "100%|###| 5/5\n"+rows("5"))
	m, _, err := Read(Inputs{Stdout: quiet, Stderr: loud})
	if err != nil || m.Metrics.Value("completed") != 5 {
		t.Errorf("%v, %v", m, err)
	}
	if m, _, err = Read(Inputs{Stdout: write(t, "out", rows("4")), Stderr: loud}); err != nil || m.Metrics.Value("completed") != 4 {
		t.Errorf("%v, %v", m, err)
	}
	if _, _, err = Read(Inputs{Stdout: quiet, Stderr: quiet}); !errors.Is(err, ErrNoResult) {
		t.Errorf("err = %v", err)
	}
}
