package report

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"servematrix/reference"
	"servematrix/result"
)

// besideReference holds the report in testdata against a reference that agrees with it in part.
func besideReference(t *testing.T) *reference.Comparison {
	t.Helper()
	f, err := reference.Parse("reference.yaml", []byte(`version: 1
reference: attention
source: {title: a page, url: https://example.org, date: "2025"}
conditions: {engine: sglang, tensor_parallel_size: 4, device: H200, seed: unstated, dataset: random}
results:
  - name: flashinfer
    conditions: {attention_backend: flashinfer, max_concurrency: 32}
    metrics: {output_throughput: 1002.94, mean_ttft_ms: 600}
  - name: triton to flashinfer
    conditions: {attention_backend: triton, max_concurrency: 32}
    ratio_to: flashinfer
    metrics: {output_throughput: 0.9}
notes: [one start each]
`))
	if err != nil {
		t.Fatal(err)
	}
	imported, err := result.Import([]string{"testdata/sglang-matrix-deepseek-v3.txt"})
	if err != nil {
		t.Fatal(err)
	}
	run := reference.Run{Name: "report.txt"}
	for i := range imported {
		run.Samples = append(run.Samples, &imported[i])
	}
	return reference.Compare(f, run)
}

func TestReferenceIsDrawn(t *testing.T) {
	c := besideReference(t)
	var text, md, doc bytes.Buffer
	if err := ReferenceText(&text, c); err != nil {
		t.Fatal(err)
	}
	golden(t, "reference.txt", text.Bytes())
	if err := ReferenceMarkdown(&md, c); err != nil {
		t.Fatal(err)
	}
	golden(t, "reference.md", md.Bytes())
	if err := ReferenceJSON(&doc, c); err != nil {
		t.Fatal(err)
	}
	golden(t, "reference.json", doc.Bytes())
	if !json.Valid(doc.Bytes()) {
		t.Error("no JSON")
	}
	// What differs comes before how much.
	out := text.String()
	if differs, number := strings.Index(out, "tensor_parallel_size"), strings.Index(out, "1002.94"); differs < 0 || number < differs {
		t.Errorf("conditions at %d, numbers at %d", differs, number)
	}
}

func TestReferenceOfNothing(t *testing.T) {
	c := besideReference(t)
	empty := reference.Compare(c.File, reference.Run{Name: "night"})
	var text, doc bytes.Buffer
	if err := ReferenceText(&text, empty); err != nil || !strings.Contains(text.String(), "flashinfer: the run has no valid sample") {
		t.Errorf("%v\n%s", err, text.String())
	}
	if err := ReferenceJSON(&doc, empty); err != nil || !strings.Contains(doc.String(), `"cell": null`) {
		t.Errorf("%v\n%s", err, doc.String())
	}
}

func TestConditionCount(t *testing.T) {
	m := &reference.Match{Conditions: []reference.Checked{{Status: reference.Differs}, {Status: reference.Same}}}
	if got := conditionCount(m); got != "1 same, 1 differs" {
		t.Error(got)
	}
	m.Conditions = append(m.Conditions, m.Conditions[0])
	if got := conditionCount(m); got != "1 same, 2 differ" {
		t.Error(got)
	}
}
