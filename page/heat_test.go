package page

import (
	"strings"
	"testing"
)

// What has not run did not fail; what was measured in other blocks is shown.
func TestStatesOfAHeatMap(t *testing.T) {
	d := small()
	d.Axes = append(d.Axes, Axis{Name: "b", Values: []string{"c", "d"}})
	for i := range d.Cells {
		d.Cells[i].Values = append(d.Cells[i].Values, i)
	}
	for _, c := range []struct {
		status string
		starts int
		hatch  bool
		shown  bool // the value
	}{
		{"failed", 0, true, false}, {"invalid", 0, true, false}, {"skipped", 0, false, false},
		{"interrupted", 0, false, false}, {"missing", 0, false, false}, {"skipped", 1, false, true}, {"ok", 1, false, true},
	} {
		d.Cells[1].Status, d.Cells[1].Starts, d.Cells[1].Numbers = c.status, c.starts, []Estimate{{Mean: nan, Low: nan, High: nan}}
		if c.starts > 0 {
			d.Cells[1].Numbers = []Estimate{{Mean: 777, Low: nan, High: nan, N: 1}}
		}
		v, err := viewUntil(d, never)
		if err != nil {
			t.Fatal(err)
		}
		svg := string(v.heat().Views[0].Charts[0].SVG)
		_, field, _ := strings.Cut(svg, `data-cell="1"`)
		if got := strings.Contains(field, "hatch"); got != c.hatch {
			t.Errorf("%s with %d starts is hatched: %v", c.status, c.starts, got)
		}
		if got := strings.Contains(svg, ">777<"); got != c.shown {
			t.Errorf("%s with %d starts: the value is shown: %v", c.status, c.starts, got)
		}
	}
}
