package result

import (
	"bufio"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"servematrix/metric"
)

// golden is what one result in a sample file holds, written down apart from the parsers.
type golden struct {
	file    string
	number  int // which result of the file, from 1
	metrics map[string]float64
	extra   map[string]string
}

// goldens reads a table: "FILE [NUMBER]" opens a result, then come "METRIC VALUE" and
// "extra LABEL = VALUE" lines.
func goldens(t *testing.T, path string) []golden {
	t.Helper()
	f, err := os.Open(filepath.Join("testdata", path))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var all []golden
	lines := bufio.NewScanner(f)
	open := false
	for lines.Scan() {
		line := lines.Text()
		if line == "" {
			open = false
			continue
		}
		if !open {
			file, number, _ := strings.Cut(line, " ")
			n := 1
			if number != "" {
				if n, err = strconv.Atoi(number); err != nil {
					t.Fatalf("%s: %q", path, line)
				}
			}
			all = append(all, golden{file, n, map[string]float64{}, map[string]string{}})
			open = true
			continue
		}
		g := all[len(all)-1]
		if rest, ok := strings.CutPrefix(line, "extra "); ok {
			label, value, _ := strings.Cut(rest, " = ")
			g.extra[label] = value
			continue
		}
		name, value, _ := strings.Cut(line, " ")
		number, err := strconv.ParseFloat(value, 64)
		if err != nil {
			t.Fatalf("%s: %q: %v", path, line, err)
		}
		g.metrics[name] = number
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return all
}

func open(t *testing.T, path string) *os.File {
	t.Helper()
	f, err := os.Open(filepath.Join("testdata", path))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

// sameMetrics compares exactly; a metric that only one side has is an error.
func sameMetrics(t *testing.T, where string, want map[string]float64, got *metric.Values) {
	t.Helper()
	for name, w := range want {
		if g, ok := got.Known(name); !ok || g != w {
			t.Errorf("%s: %s = %v, %v; want %v", where, name, g, ok, w)
		}
	}
	for name, g := range got.All() {
		if _, ok := want[name]; !ok {
			t.Errorf("%s: %s = %v is not in the sample", where, name, g)
		}
	}
}

func TestTextSamples(t *testing.T) {
	for _, g := range goldens(t, "golden-text.txt") {
		found, err := ParseText(open(t, g.file))
		if err != nil || len(found) < g.number {
			t.Errorf("%s: %d results, %v", g.file, len(found), err)
			continue
		}
		m := found[g.number-1]
		where := g.file + " " + strconv.Itoa(g.number)
		sameMetrics(t, where, g.metrics, m.Metrics)
		for label, want := range g.extra {
			if label == "Backend" {
				if m.Config["backend"] != want {
					t.Errorf("%s: backend = %v, want %v", where, m.Config["backend"], want)
				}
				continue
			}
			f, _, _ := parseNumber(want)
			if got, ok := toFloat(m.Extra[label]); !ok || got != f {
				t.Errorf("%s: extra %q = %v, want %v", where, label, m.Extra[label], want)
			}
		}
		wantExtra := len(g.extra)
		if _, ok := g.extra["Backend"]; ok {
			wantExtra--
		}
		if math.IsInf(g.metrics["request_rate"], 1) {
			wantExtra++ // the word inf stays readable there
		}
		if len(m.Extra) != wantExtra {
			t.Errorf("%s: extra holds %v", where, m.Extra)
		}
		if m.Partial || m.Simulated || m.Source != "text" || m.Parser != ParserVersion {
			t.Errorf("%s: %+v", where, m)
		}
		want := ClientSGLang
		if strings.Contains(filepath.ToSlash(g.file), "vllm") {
			want = ClientVLLM
		}
		if m.Client != want {
			t.Errorf("%s: client %q", where, m.Client)
		}
	}
}

func TestJSONSamples(t *testing.T) {
	for _, g := range goldens(t, "golden-json.txt") {
		found, err := ParseJSON(open(t, g.file))
		if err != nil || len(found) != 1 {
			t.Errorf("%s: %d results, %v", g.file, len(found), err)
			continue
		}
		m := found[0]
		want := map[string]float64{}
		for name, f := range g.metrics {
			want[name] = f
		}
		if _, ok := want["failed"]; !ok && strings.Contains(g.file, "good") {
			want["failed"] = 0 // --output-details has an errors[] of empty strings
		}
		sameMetrics(t, g.file, want, m.Metrics)
		client := ClientSGLang
		if strings.Contains(g.file, "vllm") {
			client = ClientVLLM
		}
		if m.Client != client || m.Source != "json" || m.Partial {
			t.Errorf("%s: client %q, source %q", g.file, m.Client, m.Source)
		}
		for _, key := range []string{"ttfts", "itls", "input_lens", "generated_texts", "errors", "latencies", "queue_times"} {
			if list, ok := m.Extra[key].([]any); ok {
				t.Errorf("%s: %d entries of %s were kept", g.file, len(list), key)
			}
		}
	}
}

// Every numeric row of every block in every sample has to turn up somewhere: found by a plain
// look at the text, without any knowledge of labels.
func TestNoRowIsLost(t *testing.T) {
	files, _ := filepath.Glob("testdata/*.txt")
	for _, pattern := range []string{"testdata/clients/*/*/stdout", "testdata/failed/*.stdout"} {
		more, _ := filepath.Glob(pattern)
		files = append(files, more...)
	}
	rows := 0
	for _, file := range files {
		if strings.HasPrefix(filepath.Base(file), "golden-") {
			continue
		}
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		found, err := ParseText(strings.NewReader(string(data)))
		if err != nil {
			t.Fatal(err)
		}
		block := -1
		for _, line := range strings.Split(string(data), "\n") {
			if strings.Contains(line, "= Serving Benchmark Result =") {
				block++
			}
			if block < 0 || len(line) < 42 || line[40] != ' ' || !strings.Contains(line[:40], ":") {
				continue
			}
			number, err := strconv.ParseFloat(strings.TrimSpace(line[41:]), 64)
			if err != nil {
				continue
			}
			rows++
			m, seen := found[block], false
			for _, f := range m.Metrics.All() {
				seen = seen || f == number
			}
			for _, v := range m.Extra {
				f, ok := toFloat(v)
				seen = seen || ok && f == number
			}
			if !seen {
				t.Errorf("%s: lost %q", file, strings.TrimSpace(line))
			}
		}
		if block+1 != len(found) {
			t.Errorf("%s: %d results, the text has %d", file, len(found), block+1)
		}
	}
	if rows < 400 {
		t.Errorf("only %d rows were looked at: the samples are not there", rows)
	}
}
