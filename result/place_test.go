package result

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// lay makes files with the text given and gives their folder.
func lay(t *testing.T, files map[string]string) string {
	t.Helper()
	root := t.TempDir()
	for name, text := range files {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

// Equally named files are called by what tells them apart, others by their name alone.
func TestNamesTellFilesApart(t *testing.T) {
	root := lay(t, map[string]string{
		"night/c8/bench.json": line(1), "night/c16/bench.json": line(2), "night/c16/notes.txt": "nothing", "night/lone.json": line(3),
		"a/x/run/bench.json": line(4), "a/y/run/bench.json": line(5), "a/y/bench.json": line(6), "a/bench.jsonl": line(7),
		"b/x/run/bench.json":    line(4),
		"bare/one/result.json":  line(1),
		"bare/two/result.json":  line(2),
		"kinds/bench.json":      line(1),
		"kinds/bench.jsonl":     line(2),
		"kinds/deep/bench.json": line(3),
	})
	for _, c := range []struct{ paths, want []string }{
		{[]string{"night"}, []string{"lone", "c16/bench", "c8/bench"}},
		{[]string{"night/c8/bench.json", "night/c16/bench.json"}, []string{"c8/bench", "c16/bench"}},
		{[]string{"night/c8/bench.json"}, []string{"bench"}},
		{[]string{"night/c8/bench.json", "night/c8/bench.json"}, []string{"bench", "bench"}},
		{[]string{"a"}, []string{"bench", "x/run/bench", "y/bench", "y/run/bench"}},
		{[]string{"a/x", "b/x"}, []string{"a/x/run/bench", "b/x/run/bench"}},
		{[]string{"bare"}, []string{"one", "two"}},
		{[]string{"bare/one", "night/lone.json"}, []string{"one", "lone"}},
		{[]string{"kinds"}, []string{"bench", "bench.jsonl", "deep/bench"}},
	} {
		var paths, got []string
		for _, p := range c.paths {
			paths = append(paths, filepath.Join(root, p))
		}
		for _, s := range imported(t, paths...) {
			got = append(got, s.Client.Name)
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%v: %s", c.paths, diff)
		}
	}
}

// A sample says in which file it was, and at which line it began there.
func TestSamplesKnowTheirSource(t *testing.T) {
	printed := block("Successful requests:                     4         ", "Benchmark duration (s):                  2.50      ", "Total generated tokens:                  64        ")
	root := lay(t, map[string]string{
		"lines.jsonl":          line(1) + "\n\n" + line(2) + "\r\n" + "{\n\"completed\": 3, \"duration\": 1.5}\n[" + line(4) + ",\n" + line(5) + "]",
		"damaged.jsonl":        line(1) + "\n" + line(2)[:90] + "\n" + line(3) + "\n",
		"log.txt":              "starting\r\n10%|#\r50%|##\r100%|####\r\n" + printed + "\n\n" + line(1) + "\n",
		"report.txt":           strings.Repeat("=", 100) + "\n[组合] SERVER=a  CLIENT=b\n" + strings.Repeat("=", 100) + "\nx\n[组合] SERVER=a  CLIENT=c\n",
		"both/run.stdout":      "log\n" + printed,
		"both/run.result.json": "\n\n" + line(4),
		"dead/cmd":             "python3 -m sglang.bench_serving --num-prompts 4",
		"dead/stdout":          "Traceback\n",
		"summary.csv":          "run_number,duration,completed,output_throughput\n0,1.5,3,4\n1,2.5,3,4\n",
	})
	for name, want := range map[string][]Source{
		"lines.jsonl":   {{"lines.jsonl", 1}, {"lines.jsonl", 3}, {"lines.jsonl", 4}, {"lines.jsonl", 6}, {"lines.jsonl", 7}},
		"damaged.jsonl": {{"damaged.jsonl", 1}, {"damaged.jsonl", 3}},
		"log.txt":       {{"log.txt", 3}, {"log.txt", 3 + strings.Count(printed, "\n") + 2}},
		"report.txt":    {{"report.txt", 2}, {"report.txt", 5}},
		"both":          {{"both/run.result.json", 3}},
		"dead":          {{"dead/stdout", 0}},
		"summary.csv":   {{"summary.csv", 2}, {"summary.csv", 3}},
	} {
		samples, _ := Import([]string{filepath.Join(root, name)})
		var got []Source
		for _, s := range samples {
			if s.Source == nil {
				t.Errorf("%s: a sample without a source", name)
				continue
			}
			rel, _ := filepath.Rel(root, s.Source.File)
			got = append(got, Source{rel, s.Source.Line})
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
	for _, s := range imported(t, sample("clients/guidellm")) {
		if s.Source == nil || s.Status != StatusFailed && !slices.Contains([]string{".json", ".csv"}, filepath.Ext(s.Source.File)) {
			t.Errorf("guidellm: %+v", s.Source)
		}
	}
}
