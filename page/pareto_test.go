package page

import (
	"strings"
	"testing"
)

// Tokens per second of a user come with an interval of their own, not with the inverse of another one.
func TestUsersOfAPareto(t *testing.T) {
	d := small()
	d.Metrics = append(d.Metrics, Metric{Name: "mean_tpot_ms", Label: Text{"TPOT mean ms", "平均 TPOT ms"}, Better: -1})
	d.Cells[0].Numbers = append(d.Cells[0].Numbers, Estimate{Mean: 11, Low: -1.7, High: 23.7, N: 2})
	d.Cells[1].Numbers = append(d.Cells[1].Numbers, Estimate{Mean: nan, Low: nan, High: nan})
	d.Cells[0].PerUser = Estimate{Mean: 91.67, Low: -14.22, High: 197.6, N: 2}
	v, err := viewUntil(d, never)
	if err != nil {
		t.Fatal(err)
	}
	view := v.pareto(true).Views[0]
	if len(view.Table.Rows) != 1 {
		t.Fatalf("%d rows of one cell that has numbers", len(view.Table.Rows))
	}
	if got := view.Table.Rows[0].Fields[1]; got != "91.67 ± 105.93" {
		t.Errorf("tok/s per user are %s", got)
	}
	if !strings.Contains(string(view.Charts[0].SVG), "whisker") {
		t.Error("the interval is not drawn")
	}
	d.Cells[0].PerUser = Estimate{}
	if f := v.pareto(true); f != nil {
		t.Error("users of whom nobody knows anything are drawn")
	}
}
