package reference

import (
	"testing"

	"servematrix/result"
)

// Of cells in which as much differs the one with the nearest number is taken, and of equals the
// plan's first, whatever was measured first.
func TestNearest(t *testing.T) {
	f, err := Parse("r.yaml", []byte(`version: 1
reference: far away
source: {title: a page}
results:
  - {name: many, conditions: {max_concurrency: 100}, metrics: {output_throughput: 400}}
  - {name: endless, conditions: {max_concurrency: inf}, metrics: {output_throughput: 400}}
`))
	if err != nil {
		t.Fatal(err)
	}
	in := func(cell, conc string) *result.Sample {
		s := sample(1, result.StatusOK, "triton", conc, 100)
		s.Cell = cell
		return s
	}
	run := Run{Samples: []*result.Sample{in("a", "4"), in("b", "16"), in("c", "8")}, Cells: []string{"c", "a", "b"}}
	got := Compare(f, run).Matches
	if m := got[0]; m.Cell != "triton × 16" || m.Others != 0 {
		t.Errorf("%s, %d as near", m.Cell, m.Others)
	}
	if m := got[1]; m.Cell != "triton × 8" || m.Others != 2 {
		t.Errorf("%s, %d as near", m.Cell, m.Others)
	}
}
