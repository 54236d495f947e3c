package chart_test

import (
	"bytes"
	"math"
	"testing"

	"servematrix/chart"
)

// A client that was looked at once is seen in the chart.
func TestALoneSampleIsDrawn(t *testing.T) {
	c := bands(1)
	c.Panels = []chart.Panel{{Lines: []chart.Line{{Name: "GPU 0", Times: []float64{10, 10, 30, 40}, Values: []float64{5, math.NaN(), 5, 6}}}}}
	if svg := c.SVG(); bytes.Count(svg, []byte("h2L")) != 0 || bytes.Count(svg, []byte("h2M")) != 1 {
		t.Errorf("want one short dash and one line:\n%s", svg)
	}
}
