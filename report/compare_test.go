package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"servematrix/compare"
	"servematrix/matrix"
	"servematrix/metric"
	"servematrix/result"
)

// compared is a comparison of two arms over cells with three blocks, the second arm 10 % slower;
// names are given to all that people name.
func compared(t folderTB, cells int, name func(string) string, gates ...string) (*compare.Result, compare.Outcome) {
	t.Helper()
	var samples []*result.Sample
	for block := 1; block <= 3; block++ {
		for c := range cells {
			for arm, slow := range []float64{1, 0.9} {
				backend, load := name([]string{"fa3", "triton"}[arm]), name(fmt.Sprintf("load%d", c))
				samples = append(samples, &result.Sample{
					Cell: fmt.Sprint(c, arm), Block: block, Attempt: 1, Status: result.StatusOK,
					Server:  &result.Side{Name: backend, ID: fmt.Sprint(arm), Axes: matrix.Axes{{Name: name("backend"), Value: backend}}, Argv: []string{"serve", "--" + name("attention"), backend}},
					Client:  &result.Side{Name: load, ID: load, Axes: matrix.Axes{{Name: "load", Value: load}}, Argv: []string{"bench"}},
					Metrics: metric.Of(map[string]float64{"output_throughput": 1000 * slow * (1 + 0.001*float64(block*(arm+1))), "p99_ttft_ms": 200 / slow}),
				})
			}
		}
	}
	last := samples[len(samples)-1]
	last.Status, last.Metrics, last.Failure = result.StatusFailed, nil, &result.Failure{Class: name("oom")}
	r, err := compare.Compare([]compare.Source{{Name: name("run"), Samples: samples}}, compare.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var all []*compare.Gate
	for _, text := range gates {
		g, err := compare.ParseGate(text)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, g)
	}
	return r, r.Check(all)
}

// asIs names things as they are.
func asIs(s string) string { return s }

func TestCompareText(t *testing.T) {
	r, _ := compared(t, 2, asIs)
	var b bytes.Buffer
	if err := CompareText(&b, r, nil); err != nil {
		t.Fatal(err)
	}
	golden(t, "compare.txt", b.Bytes())
}

func TestCompareMarkdown(t *testing.T) {
	r, _ := compared(t, 2, asIs)
	var b bytes.Buffer
	if err := CompareMarkdown(&b, r, []string{"p99_ttft_ms"}); err != nil {
		t.Fatal(err)
	}
	golden(t, "compare.md", b.Bytes())
}

// The example in docs/compare.md has the keys that are written, no more and no fewer.
func TestCompareJSONContract(t *testing.T) {
	data, err := os.ReadFile("../docs/compare.md")
	if err != nil {
		t.Fatal(err)
	}
	_, text, ok := strings.Cut(string(data), "```json compare\n")
	text, _, closed := strings.Cut(text, "```")
	if !ok || !closed {
		t.Fatal("docs/compare.md has no example")
	}
	var doc compareJSON
	strict(t, text, &doc)
	same(t, text, doc)
}

func TestCompareJSON(t *testing.T) {
	r, gates := compared(t, 2, asIs, "worse(output_throughput, 3%)")
	var b bytes.Buffer
	if err := CompareJSON(&b, r, gates); err != nil {
		t.Fatal(err)
	}
	var doc struct {
		Comparisons []struct {
			Cell, Metric, Verdict, Of string
			Baseline, Arm, Ratio, P   *float64
			CI                        []*float64
			N                         int
			Exploratory               bool
		}
		Differences []struct{ What, Baseline, Arm string }
		Gates       []struct{ Cell string }
	}
	if err := json.Unmarshal(b.Bytes(), &doc); err != nil {
		t.Fatal(err)
	}
	if len(doc.Comparisons) != 4 || len(doc.Gates) != 2 {
		t.Fatalf("%d comparisons, %d gates", len(doc.Comparisons), len(doc.Gates))
	}
	c := doc.Comparisons[0]
	if c.Cell != "load0" || c.Metric != "output_throughput" || c.Of != "backend=triton" || c.Verdict != "worse" || c.Exploratory || c.N != 3 || len(c.CI) != 2 || *c.CI[0] >= *c.Ratio || *c.CI[1] <= *c.Ratio {
		t.Errorf("%+v", c)
	}
	// p99 TTFT never varies: the interval is the point, and there is no p.
	if c := doc.Comparisons[1]; c.Metric != "p99_ttft_ms" || c.P != nil || *c.CI[0] != *c.Ratio || !c.Exploratory {
		t.Errorf("%+v", c)
	}
	if d := doc.Differences[0]; d.What != "flag --attention" || d.Baseline != "fa3" || d.Arm != "triton" {
		t.Errorf("%+v", d)
	}
}

// A cell without a valid sample in an arm is there, with nulls.
func TestCompareJSONOfACellWithoutSamples(t *testing.T) {
	r, _ := compared(t, 1, asIs)
	r.Pairs[0].Metrics = nil
	var b bytes.Buffer
	if err := CompareJSON(&b, r, compare.Outcome{}); err != nil {
		t.Fatal(err)
	}
	if want := `"cell":"load0","metric":"output_throughput","baseline":null,"arm":null,"n":0,"ratio":null,"ci":[null,null],"p":null,"verdict":"inconclusive","exploratory":false`; !strings.Contains(b.String(), want) {
		t.Error(b.String())
	}
}

// Many cells fit into one comment, and into what is left of a workflow's summary.
func TestCompareMarkdownIsBounded(t *testing.T) {
	r, _ := compared(t, 5000, asIs)
	var b bytes.Buffer
	if err := CompareMarkdown(&b, r, nil); err != nil {
		t.Fatal(err)
	}
	if b.Len() > markdownMost || !strings.Contains(b.String(), "more cells are left out here") {
		t.Errorf("%d bytes", b.Len())
	}
	for _, taken := range []int64{0, 500_000, summaryMost - 4000} {
		b.Reset()
		if err := CompareSummary(&b, r, nil, taken); err != nil {
			t.Fatal(err)
		}
		if got := taken + int64(b.Len()); got > summaryMost || b.Len() < 500 {
			t.Errorf("%d bytes beside %d", b.Len(), taken)
		}
	}
	if err := CompareSummary(&b, r, nil, summaryMost); err == nil {
		t.Error("a full summary was written to")
	}
}

func TestCompareGitHub(t *testing.T) {
	r, gates := compared(t, 15, asIs, "worse(output_throughput, 3%)")
	var b bytes.Buffer
	if err := CompareGitHub(&b, r, gates); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(b.String(), "::error "); n != annotationsMost+1 {
		t.Errorf("%d errors", n)
	}
	if !strings.HasPrefix(b.String(), "::error title=load0 fails worse(output_throughput%2C 3%25)::backend=triton against backend=fa3: output_throughput −9.8 %25 [") {
		t.Error(b.String())
	}
	b.Reset()
	if err := CompareGitHub(&b, r, compare.Outcome{}); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(b.String(), "::warning title=load"); n != annotationsMost {
		t.Errorf("%d warnings", n)
	}
}

// Whatever stands in names, it stays inside its line and its cell, and forges no workflow command.
func TestHostileComparison(t *testing.T) {
	parts := rapid.SampledFrom([]string{"\n::error::forged\n", "%0A::error::forged", "\r\x1b[2J", "\u202e", "<script>", "|", "```", "\n# heading\n", "@octocat", "\xff", "a", "组"})
	rapid.Check(t, func(t *rapid.T) {
		evil := strings.Join(rapid.SliceOfN(parts, 1, 4).Draw(t, "evil"), "")
		r, gates := compared(t, 2, func(s string) string { return s + evil }, "worse(output_throughput)")
		plainly, plainGates := compared(t, 2, asIs, "worse(output_throughput)")
		lines := func(draw func(*bytes.Buffer, *compare.Result, compare.Outcome) error, r *compare.Result, o compare.Outcome) []string {
			var b bytes.Buffer
			if err := draw(&b, r, o); err != nil {
				t.Fatal(err)
			}
			return strings.Split(b.String(), "\n")
		}
		for name, draw := range map[string]func(*bytes.Buffer, *compare.Result, compare.Outcome) error{
			"text":   func(b *bytes.Buffer, r *compare.Result, _ compare.Outcome) error { return CompareText(b, r, nil) },
			"md":     func(b *bytes.Buffer, r *compare.Result, _ compare.Outcome) error { return CompareMarkdown(b, r, nil) },
			"github": func(b *bytes.Buffer, r *compare.Result, o compare.Outcome) error { return CompareGitHub(b, r, o) },
		} {
			got, want := lines(draw, r, gates), lines(draw, plainly, plainGates)
			if len(got) != len(want) {
				t.Fatalf("%s has %d lines, not %d:\n%s", name, len(got), len(want), strings.Join(got, "\n"))
			}
			for i, line := range got {
				if visible(line) == line {
					if name == "md" && strings.Count(line, "|")-strings.Count(line, `\|`) != strings.Count(want[i], "|") {
						t.Fatalf("another number of columns: %s", line)
					}
					continue
				}
				t.Fatalf("%s: %q", name, line)
			}
		}
	})
}
