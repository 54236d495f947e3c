package result

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"servematrix/engine"
)

// Every number of every sample, against a table that testdata/golden-layouts.py makes from the
// same files without any profile.
func TestLayoutSamples(t *testing.T) {
	read := map[string]bool{}
	for _, g := range goldens(t, "golden-layouts.txt") {
		path := sample(g.file)
		read[path] = true
		p := profileOf(headOf(path))
		if p == nil {
			t.Errorf("%s: no profile recognises it", g.file)
			continue
		}
		found, err := readLayout(path, p)
		if err != nil || len(found) != 1 {
			t.Errorf("%s: %d results, %v", g.file, len(found), err)
			continue
		}
		found[0].Asked(0)
		sameMetrics(t, g.file, g.metrics, found[0].Metrics)
		got := map[string]float64{}
		flatten(found[0].Extra, "", got)
		want := map[string]float64{}
		for label, text := range g.extra {
			if want[label], err = strconv.ParseFloat(text, 64); err != nil {
				t.Fatal(err)
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: numbers kept under extra (-sample +read):\n%s", g.file, diff)
		}
	}
	// No result among the samples is left out of the table.
	for _, p := range engine.Embedded().Clients() {
		everywhere := *p.Layout
		everywhere.File = "**/*"
		for _, path := range Found(&everywhere, sample("clients")) {
			if !read[path] && !strings.Contains(path, "stage_0_") {
				t.Errorf("%s is a result of %s and stands in no table", path, p.Name)
			}
		}
	}
	if len(read) < 20 {
		t.Errorf("only %d samples were read", len(read))
	}
}

// flatten gives all numbers of an extra by their paths.
func flatten(node any, path string, into map[string]float64) {
	switch v := node.(type) {
	case map[string]any:
		for key, inner := range v {
			flatten(inner, strings.TrimPrefix(path+" > "+key, " > "), into)
		}
	case []any:
		for i, inner := range v {
			flatten(inner, fmt.Sprintf("%s > %d", path, i), into)
		}
	case int64:
		into[path] = float64(v)
	case float64:
		into[path] = v
	}
}

// What becomes of each run, imported as the folder that it left: good ones count, one whose
// server died in the middle is invalid although the client ended with exit code 0, and one that
// measured nothing is not ok whatever the client's exit code.
func TestImportedClients(t *testing.T) {
	want := map[string]string{
		"aiperf/conc":         "ok",
		"aiperf/rate":         "ok",
		"aiperf/die":          "invalid: 301 of 400 requests failed",
		"aiperf/nomodel":      "failed: the client ended with exit code 1",
		"aiperf/dead":         "failed: the client ended with exit code 1",
		"aisbench/conc":       "ok",
		"aisbench/rate":       "ok",
		"aisbench/die":        "invalid: 301 of 400 requests failed",
		"aisbench/nomodel":    "failed: the client ended with exit code 1",
		"aisbench/dead":       "failed: the client's output holds no benchmark result",
		"evalscope/conc":      "ok",
		"evalscope/rate":      "ok",
		"evalscope/die":       "invalid: 309 of 400 requests failed",
		"evalscope/nomodel":   "failed: the client ended with exit code 1",
		"evalscope/dead":      "failed: the client ended with exit code 130",
		"genai-bench/conc":    "ok",
		"genai-bench/die":     "invalid: 427 of 527 requests failed",
		"genai-bench/nomodel": "failed: the client ended with exit code 1",
		"genai-bench/dead":    "failed: the client ended with exit code 1",
		"guidellm/conc":       "ok",
		"guidellm/rate":       "ok",
		"guidellm/die":        "invalid: 301 of 400 requests failed",
		"guidellm/nomodel":    "invalid: 40 of 40 requests failed",
		"guidellm/dead":       "failed: the client ended with exit code 1",
		"infperf/conc":        "ok",
		"infperf/rate":        "ok",
		"infperf/die":         "invalid: 300 of 400 requests failed: Server disconnected",
		"infperf/nomodel":     "invalid: 40 of 40 requests failed: The model `nope` does not exist. Valid aliases: tiny.",
		"infperf/dead":        "invalid: 40 of 40 requests failed: Cannot connect to host 127.0.0.1:8199 ssl:default [Connect call failed ('127.0.0.1', 8199)]",
		"llama-benchy/conc":   "ok",
		"llama-benchy/die":    "invalid: 312 of 400 requests failed",
		"llama-benchy/dead":   "failed: the client ended with exit code 1",
		"sglang/die":          "invalid: 99 of 400 requests were served", // no JSON, no count of failures
	}
	for _, folder := range slices.Sorted(maps.Keys(want)) {
		samples, err := Import([]string{sample("clients/" + folder)})
		if err != nil || len(samples) != 1 {
			t.Errorf("%s: %d samples, %v", folder, len(samples), err)
			continue
		}
		s := samples[0]
		got := s.Status
		switch {
		case s.Failure != nil:
			got += ": " + s.Failure.Message
		case s.Status != StatusOK:
			got += ": " + s.Validity.Reasons[0].Detail
		}
		if got, _, _ := strings.Cut(got, ": ClientPayloadError"); got != want[folder] {
			t.Errorf("%s: %s\nwant %s", folder, got, want[folder])
		}
		if s.Client.Name != filepath.Base(folder) || len(s.Client.Argv) == 0 {
			t.Errorf("%s: the client is %+v", folder, s.Client)
		}
	}
}

// A main file alone, a folder without a command, and a file whose client nobody could ask.
func TestImportedResultFiles(t *testing.T) {
	for path, want := range map[string]string{
		"clients/evalscope/conc/tiny": "parallel_8_number_40 ok",
		"clients/evalscope/conc/tiny/parallel_8_number_40/benchmark_summary.json": "parallel_8_number_40 ok",
		"clients/infperf/conc/rep":                                                "rep ok",
		"clients/guidellm/rate/guidellm.csv":                                      "guidellm ok",
		"clients/aisbench/conc/20261121_034325/performances/vllm-api-stream-chat": "synthetic ok",
		"clients/genai-bench/die/exp":                                             "D128_64_text-to-text_num_concurrency_8_time_6s invalid requests_failed wrong_request_count",
		"clients/llama-benchy/die/llama-benchy.json":                              "llama-benchy ok wrong_request_count",
		"clients/aiperf/conc/art":                                                 "art ok client_starved",
	} {
		samples, err := Import([]string{sample(path)})
		if err != nil || len(samples) != 1 {
			t.Errorf("%s: %d samples, %v", path, len(samples), err)
			continue
		}
		got := samples[0].Client.Name + " " + samples[0].Status
		for _, r := range samples[0].Validity.Reasons {
			got += " " + r.Reason
		}
		if got != want {
			t.Errorf("%s: %s, want %s", path, got, want)
		}
	}
}

// A client that no binary of ours knows, as a user describes it: every form of value.
const invented = `client: loadcannon
match: [loadcannon fire]
result: {add: [[--report, "${{ late.dir }}/cannon.json"]], file: [--report]}
layout:
  signature: ['"cannon_version"']
  each: shots
  with: {hits: {file: "{name}-hits.csv", table: {key: [what]}}, settings: {file: "*.yaml"}}
  metrics:
    duration_s: {path: took, unit: ms}
    completed: {count: seen}
    failed: {path: errors > total, absent: 0}
    num_prompts: {sum: ["settings > rounds > * > size"], or: planned}
    max_concurrency: {path: limit, none: 0}
    total_output_tokens: {product: [mean tokens, balls]}
    output_throughput: {sum: [tokens in, tokens out], over: seconds}
    request_throughput: "kinds > [kind=good] > rate"
  latencies:
    ttft_ms: {paths: ["hits > first > {stat}"], unit: us}
    e2e_latency_ms: {paths: ["e2e > {stat}"], unit_at: clock, values: seen}
  stats: {avg: mean}
  percentile: '^q(\d+)$'
  errors: errors > list > * > text
  skip: [shots > * > log]
  leave: [settings, errors > list]
  missing: true
requests: {flag: --balls, times: [{flag: --guns, default: 2}]}
promised: {always: [completed, mean_ttft_ms], never: [total_input_tokens]}
`

func TestInventedClient(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"loadcannon.yaml": invented,
		"cannon.json": `{"cannon_version": 3, "clock": "s", "shots": [{"took": 2500, "seconds": 2.5, "seen": [0.25, 0.5, 0.75], "limit": 0, "planned": 99,
			"mean tokens": 10.3333, "balls": 3, "tokens in": 12, "tokens out": 19, "api_key": "hush", "power": NaN, "log": [{"first": 1}],
			"kinds": [{"kind": "bad", "rate": 1}, {"kind": "good", "rate": 1.2}], "e2e": {"avg": 0.5, "q999": 1}, "calibre": {"wide": "12 mm"},
			"errors": {"list": [{"text": "misfire"}, {"text": "misfire"}, {"text": "damp"}]}}]}`,
		"cannon-hits.csv": "what,avg,q99,n\nfirst,1500.5,2e3,3\n",
		"cannon.yaml":     "rounds: [{size: 4}, {size: ~}, {size: 1}]\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	c, err := engine.Load(filepath.Join(dir, "loadcannon.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(dir, "loadcannon.yaml")); err != nil { // it would match *.yaml
		t.Fatal(err)
	}
	argv := []string{"loadcannon", "fire", "--balls", "2", "--report", filepath.Join(dir, "cannon.json")}
	p := c.ClientOf(argv)
	if n, ok := p.NumPrompts(argv); n != 4 || !ok {
		t.Errorf("asked for %d, %v", n, ok)
	}
	m, _, err := Read(Inputs{Result: p.ResultFile(argv, dir), Profile: p})
	if err != nil {
		t.Fatal(err)
	}
	m.Asked(4)
	want := map[string]float64{
		"duration_s": 2.5, "completed": 3, "failed": 0, "num_prompts": 5, "total_output_tokens": 31, "output_throughput": 12.4, "request_throughput": 1.2,
		"mean_ttft_ms": 1.5005, "p99_ttft_ms": 2, "mean_e2e_latency_ms": 500, "median_e2e_latency_ms": 500, "p90_e2e_latency_ms": 700, "p95_e2e_latency_ms": 725,
		"p99_e2e_latency_ms": 745, "max_e2e_latency_ms": 750,
	}
	// The failures are counted, by what absent says: errors > total is not there.
	sameMetrics(t, "cannon.json", want, m.Metrics)
	extra := map[string]any{
		"cannon_version": int64(3), "clock": "s", "seconds": 2.5, "limit": int64(0), "planned": int64(99), "mean tokens": 10.3333, "balls": int64(3),
		"tokens in": int64(12), "tokens out": int64(19), "power": "NaN", "seen": []any{0.25, 0.5, 0.75}, "calibre": map[string]any{"wide (mm)": int64(12)},
		"e2e": map[string]any{"q999": int64(1)}, "kinds": []any{map[string]any{"kind": "bad", "rate": int64(1)}, map[string]any{"kind": "good"}},
		"hits": map[string]any{"first": map[string]any{"n": int64(3)}}, "error messages": []any{"misfire", "damp"},
	}
	if diff := cmp.Diff(extra, m.Extra); diff != "" {
		t.Errorf("extra (-want +got):\n%s", diff)
	}
	v := Judge(m, Expectation{Promised: p.Promised(argv), Never: p.Promise.Never})
	if got := v.Reasons; len(got) != 1 || got[0].Detail != "3 of 5 requests were served" {
		t.Errorf("reasons %+v", got)
	}
}

func TestFound(t *testing.T) {
	p := engine.Embedded().Client("evalscope perf")
	var got []string
	for _, path := range Found(p.Layout, sample("clients/evalscope")) {
		rel, _ := filepath.Rel(sample("clients/evalscope"), path)
		got = append(got, rel)
	}
	slices.Sort(got)
	want := []string{"conc/tiny/parallel_8_number_40/benchmark_summary.json", "die/tiny/parallel_8_number_400/benchmark_summary.json", "rate/tiny/rate_20.0_number_40/benchmark_summary.json"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	for glob, names := range map[string]map[string]bool{
		"**/summary.json": {"summary.json": true, "a/b/summary.json": true, "a/my-summary.json": false},
		"*_time_*s.json":  {"D(1)_time_4s.json": true, "a/D_time_4s.json": false},
		"**/p/*/*.json":   {"x/p/y/z.json": true, "p/y/z.json": true, "p/z.json": false},
	} {
		for name, want := range names {
			if globExpression(glob).MatchString(name) != want {
				t.Errorf("%s and %s: want %v", glob, name, want)
			}
		}
	}
}

// A file with several workloads is no measurement of one.
func TestSeveralWorkloadsInOneFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "result.json")
	text := `{"latency_mode": "api", "prefix_caching_enabled": false, "benchmarks": [
		{"concurrency": 1, "e2e_ttft": {"mean": 1, "std": 0, "values": [1]}}, {"concurrency": 2, "e2e_ttft": {"mean": 3, "std": 1, "values": [2, 4]}}]}`
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	m, reasons, err := Read(Inputs{Result: path, Profile: engine.Embedded().Client("llama-benchy")})
	if err != nil || m.Metrics.Value("mean_ttft_ms") != 3 || len(reasons) != 1 || reasons[0].Reason != WrongRequestCount || reasons[0].Severity != SeverityError {
		t.Errorf("%+v, %v, %v", m, reasons, err)
	}
	samples, err := Import([]string{path})
	if err != nil || len(samples) != 2 || samples[0].Extra["latency_mode"] != "api" || samples[1].Extra["latency_mode"] != "api" {
		t.Errorf("imported %+v, %v", samples, err)
	}
}

func TestDamagedLayoutFiles(t *testing.T) {
	whole, err := os.ReadFile(sample("clients/aiperf/conc/art/profile_export_aiperf.json"))
	if err != nil {
		t.Fatal(err)
	}
	p := engine.Embedded().Client("aiperf")
	for name, text := range map[string]string{"cut": string(whole[:9000]), "empty": "", "no JSON": `{"aiperf_version": oops}`, "another": `["aiperf_version"]`} {
		path := filepath.Join(t.TempDir(), "profile_export_aiperf.json")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if m, _, err := Read(Inputs{Result: path, Profile: p}); err == nil {
			t.Errorf("%s: read as %+v", name, m.Metrics)
		} else if !strings.Contains(err.Error(), "profile_export_aiperf.json") {
			t.Errorf("%s: %v does not name the file", name, err)
		}
	}
}

func TestNumbers(t *testing.T) {
	for _, c := range []struct {
		text, printed, wanted string
		want                  float64
		ok                    bool
	}{
		{"0.3972", "s", "ms", 397.2, true},
		{"1.15e-05", "s", "ms", 0.0115, true},
		{"1386.1347 ms", "", "s", 1.3861347, true},
		{"1386.1347 ms", "s", "ms", 1386.1347, true}, // the file's own word counts
		{"28.8572 req/s", "", "req/s", 28.8572, true},
		{"1184.4", "tokens/sec", "tok/s", 1184.4, true},
		{"12", "%", "tok/s", 0, false},
		{"12 GiB", "", "ms", 0, false},
		{"many", "", "", 0, false},
	} {
		got, ok := number(c.text, c.printed, c.wanted)
		if ok != c.ok || ok && got != c.want {
			t.Errorf("%+v: %v, %v", c, got, ok)
		}
	}
}

// genai-bench says itself in which unit its latencies are; a stage of AISBench can have another name.
func TestLayoutVariants(t *testing.T) {
	read := func(client, from string, change func(string) string) *Measurement {
		t.Helper()
		files, err := os.ReadDir(filepath.Dir(sample(from)))
		if err != nil {
			t.Fatal(err)
		}
		dir := t.TempDir()
		for _, f := range files {
			text, err := os.ReadFile(filepath.Join(filepath.Dir(sample(from)), f.Name()))
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(dir, f.Name()), []byte(change(string(text))), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		m, _, err := Read(Inputs{Result: filepath.Join(dir, filepath.Base(from)), Profile: engine.Embedded().Client(client)})
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	genai := read("genai-bench", "clients/genai-bench/conc/exp/D128_64_text-to-text_num_concurrency_8_time_3s.json", func(s string) string {
		return strings.Replace(s, `"_time_unit": "s"`, `"_time_unit": "ms"`, 1)
	})
	if genai.Metrics.Value("mean_ttft_ms") != 0.49769435268745116 || genai.Metrics.Value("duration_s") != 3.8924852950003697 {
		t.Errorf("in ms: TTFT %v ms, duration %v s", genai.Metrics.Value("mean_ttft_ms"), genai.Metrics.Value("duration_s"))
	}
	stable := read("ais_bench", "clients/aisbench/conc/20261121_034325/performances/vllm-api-stream-chat/synthetic.json", func(s string) string {
		return strings.NewReplacer(`"total"`, `"stable"`, ",total,", ",stable,").Replace(s)
	})
	if stable.Metrics.Value("mean_ttft_ms") != 53.2 || stable.Metrics.Value("duration_s") != 1.3861347 {
		t.Errorf("the stable stage: %v", stable.Metrics)
	}
	// An unlimited evalscope run says -1, which is no rate and no limit.
	rate := read("evalscope perf", "clients/evalscope/rate/tiny/rate_20.0_number_40/benchmark_summary.json", func(s string) string { return s })
	if _, has := rate.Metrics.Known("max_concurrency"); has || rate.Metrics.Value("request_rate") != 20 || rate.Extra["Concurrency"] != int64(-1) {
		t.Errorf("rate %v, concurrency %v", rate.Metrics.Value("request_rate"), rate.Extra["Concurrency"])
	}
}

// A list with an entry a request is never held, however long it is.
func TestRequestsAreReadOver(t *testing.T) {
	request := `{"info": {"error": "refused"}, "prompt": "` + strings.Repeat("x", 100) + `", "times": [1, 2, 3, 4, 5, 6, 7, 8]},`
	list := "[" + strings.Repeat(request, 300_000) + `{}]`
	text := `{"metadata": {"guidellm_version": "0"}, "benchmarks": [{"duration": 2, "requests": {"successful": ` + list + `, "errored": ` + list + `},
		"metrics": {"request_totals": {"successful": 1, "errored": 2, "incomplete": 0}}}]}`
	path := filepath.Join(t.TempDir(), "result.json")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	m, _, err := Read(Inputs{Result: path, Profile: engine.Embedded().Client("guidellm")})
	if err != nil {
		t.Fatal(err)
	}
	if m.Metrics.Value("failed") != 2 || cmp.Diff(m.Extra["error messages"], []any{"refused"}) != "" {
		t.Errorf("%v, %v", m.Metrics, m.Extra)
	}
}

func FuzzLayout(f *testing.F) {
	for _, name := range []string{
		"clients/evalscope/die/tiny/parallel_8_number_400/benchmark_summary.json", "clients/llama-benchy/conc/llama-benchy.json",
		"clients/genai-bench/die/exp/D128_64_text-to-text_num_concurrency_8_time_6s.json", "clients/guidellm/nomodel/guidellm.csv",
	} {
		text, err := os.ReadFile(sample(name))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, text []byte) {
		for _, p := range engine.Embedded().Clients() {
			path := filepath.Join(dir, "result.json")
			if p.Layout.Table != nil {
				path = filepath.Join(dir, "result.csv")
			}
			if err := os.WriteFile(path, text, 0o600); err != nil {
				t.Fatal(err)
			}
			found, _ := readLayout(path, p)
			for _, m := range found {
				m.Asked(3)
				Judge(m, expects(p, nil))
				if _, err := m.Metrics.MarshalJSON(); err != nil {
					t.Error(err)
				}
			}
		}
	})
}
