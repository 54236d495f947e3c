package reference

import (
	"strings"
	"testing"
)

const good = `version: 1
reference: small
source: {title: a page}
conditions: {engine: sglang, seed: unstated, --mem-fraction-static: 0.8}
results:
  - name: a
    conditions: {max_concurrency: 4}
    metrics: {output_throughput: 10.50}
`

func TestParse(t *testing.T) {
	f, err := Parse("r.yaml", []byte(good))
	if err != nil {
		t.Fatal(err)
	}
	if f.Name != "small" || f.Source.Title != "a page" || len(f.Conditions) != 3 || f.Results[0].Metrics[0] != (Number{"output_throughput", 10.5, "10.50"}) {
		t.Errorf("%+v", f)
	}
	if c := f.Results[0].Conditions[0]; c.Name != "max_concurrency" || c.Value != "4" || c.At.String() != "r.yaml:7:18" {
		t.Errorf("%+v at %s", c, c.At)
	}
}

// Each mistake is named with its place.
func TestParseProblems(t *testing.T) {
	for name, c := range map[string]struct{ old, new, want string }{
		"unknown key":       {"source:", "sourse:", `r.yaml:3:1: there is no key "sourse" here`},
		"unknown condition": {"seed:", "sede:", `r.yaml:4:30: there is no key "sede" here; known are engine,`},
		"unknown metric":    {"output_throughput", "throughput", `r.yaml:8:15: there is no metric "throughput"`},
		"no number":         {"10.50", "fast", `r.yaml:8:34: output_throughput must be a number above 0`},
		"infinite":          {"10.50", ".inf", `r.yaml:8:34: output_throughput must be a number above 0`},
		"version":           {"version: 1", "version: 2", "r.yaml:1:10: this servematrix reads version 1"},
		"no version":        {"version: 1\n", "", "r.yaml:1:1: version is missing"},
		"no title":          {"{title: a page}", "{url: a}", "source.title is missing"},
		"no name":           {"name: a", "ratio_to: a", "the result has no name"},
		"ratio to nothing":  {"name: a", "name: a\n    ratio_to: b", `there is no result "b"`},
		"ratio to itself":   {"name: a", "name: a\n    ratio_to: a", `there is no result "a" that is no ratio itself`},
		"no metrics":        {"    metrics: {output_throughput: 10.50}\n", "", `the result "a" has no metrics`},
		"twice":             {"engine: sglang", "engine: sglang, engine: vllm", `r.yaml:4:30: "engine" stands here twice`},
		"a list":            {"{max_concurrency: 4}", "[4]", "r.yaml:7:17: conditions must be a mapping"},
		"empty value":       {"engine: sglang", "engine: ", "engine must be a word"},
		"an alias":          {"{title: a page}", "&s {title: a page}\nnotes: [*s]", "a note must be a word"},
		"not YAML":          {"version: 1", "version: [", "r.yaml: yaml:"},
		"two documents":     {"version: 1", "version: 1\n---\nversion: 1", "more than one YAML document"},
	} {
		text := strings.Replace(good, c.old, c.new, 1)
		if text == good {
			t.Fatalf("%s: the text has no %q", name, c.old)
		}
		if _, err := Parse("r.yaml", []byte(text)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", name, err, c.want)
		}
	}
	for name, text := range map[string]string{"empty": "", "a scalar": "x", "too large": strings.Repeat("#", maxFile+1)} {
		if _, err := Parse("r.yaml", []byte(text)); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(good))
	f.Fuzz(func(t *testing.T, data []byte) {
		file, err := Parse("r.yaml", data)
		if err == nil && (file.Name == "" || len(file.Results) == 0) {
			t.Fatalf("half a reference: %+v", file)
		}
	})
}
