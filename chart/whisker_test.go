package chart_test

import (
	"strings"
	"testing"

	"servematrix/chart"
)

// An interval whose ends stand in the wrong order is none: its whisker would point away from the value.
func TestIntervalsTheWrongWayRound(t *testing.T) {
	for _, c := range []struct {
		low, high float64
		whiskers  int
	}{{42, 120, 1}, {42, -588, 0}, {91, 91, 1}} {
		p := chart.Pareto{Frame: frame("p", "Pareto"), Series: []chart.Series{{Name: "s", Points: []chart.Point{{X: 91, Y: 5, XRange: &chart.Range{Low: c.low, High: c.high}}}}}}
		p.X.Log = true
		if got := strings.Count(string(p.SVG()), `class="mark whisker"`); got != c.whiskers {
			t.Errorf("[%v, %v]: %d whiskers, want %d", c.low, c.high, got, c.whiskers)
		}
	}
}

func TestSeriesApart(t *testing.T) {
	c := chart.Curves{Frame: frame("c", "Curves"), Series: []chart.Series{
		{Name: "joined", Points: []chart.Point{{X: 1, Y: 1}, {X: 2, Y: 2}}},
		{Name: "apart", Apart: true, Points: []chart.Point{{X: 1, Y: 3}, {X: 1, Y: 4}, {X: 1.2, Y: 4}}},
	}}
	svg := string(c.SVG())
	if lines := strings.Count(svg, `<path class="line"`); lines != 2 { // in the legend and in the plot
		t.Errorf("%d lines of the series that has one", lines)
	}
	for name, n := range map[string]int{"s0": 3, "s1": 4} { // points, and one in the legend
		points := 0
		for _, group := range strings.Split(svg, "<g class=")[1:] {
			if strings.HasPrefix(group, `"`+name+`"`) {
				group, _, _ = strings.Cut(group, "</g>")
				points += strings.Count(group, "point")
			}
		}
		if points != n {
			t.Errorf("%s: %d points, want %d", name, points, n)
		}
	}
}
