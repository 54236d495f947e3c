package stats

import (
	"math"
	"testing"

	"servematrix/metric"
)

func TestJudge(t *testing.T) {
	nan := math.NaN()
	ratio := func(low, ratio, high, p float64) Ratio {
		return Ratio{N: 5, Ratio: ratio, Low: low, High: high, P: p, Confidence: 0.95}
	}
	for _, c := range []struct {
		name      string
		r         Ratio
		adjustedP float64
		direction metric.Direction
		minEffect float64
		want      Verdict
	}{
		{"more of a throughput", ratio(1.03, 1.05, 1.07, 0.001), 0.001, metric.Higher, 0.02, Better},
		{"more of a latency", ratio(1.03, 1.05, 1.07, 0.001), 0.001, metric.Lower, 0.02, Worse},
		{"less of a throughput", ratio(0.93, 0.95, 0.97, 0.001), 0.001, metric.Higher, 0.02, Worse},
		{"less of a latency", ratio(0.93, 0.95, 0.97, 0.001), 0.001, metric.Lower, 0.02, Better},
		{"a direction that is not good or bad", ratio(1.03, 1.05, 1.07, 0.001), 0.001, metric.Neutral, 0.02, Inconclusive},
		{"p lost to Holm", ratio(1.03, 1.05, 1.07, 0.02), 0.06, metric.Higher, 0.02, Inconclusive},
		{"p at the level", ratio(1.001, 1.05, 1.1, 0.04), 0.05, metric.Higher, 0.02, Better},
		{"no adjusted p where there is a p", ratio(1.03, 1.05, 1.07, 0.02), nan, metric.Higher, 0.02, Inconclusive},
		{"real but too small to matter", ratio(1.005, 1.01, 1.015, 0.001), 0.001, metric.Higher, 0.02, Equivalent},
		{"real, and perhaps large enough", ratio(1.005, 1.015, 1.025, 0.001), 0.001, metric.Higher, 0.02, Inconclusive},
		{"the same within the border", ratio(0.99, 1, 1.01, 0.9), 0.9, metric.Neutral, 0.02, Equivalent},
		{"the border is a ratio, not a difference", ratio(0.9801, 1, 1.01, 0.9), 0.9, metric.Higher, 0.02, Inconclusive},
		{"too wide", ratio(0.9, 1, 1.1, 0.9), 0.9, metric.Higher, 0.02, Inconclusive},
		{"any effect counts", ratio(1.0001, 1.0002, 1.0003, 0.001), 0.001, metric.Higher, 0, Better},
		{"never equivalent without a margin", ratio(0.999, 1, 1.001, 0.9), 0.9, metric.Higher, 0, Inconclusive},
		{"constant and equal", ratio(1, 1, 1, nan), nan, metric.Higher, 0, Equivalent},
		{"constant and apart", ratio(1.05, 1.05, 1.05, nan), nan, metric.Lower, 0.02, Worse},
		{"constant, apart by exactly the border", ratio(1.02, 1.02, 1.02, nan), nan, metric.Higher, 0.02, Better},
		{"constant, apart by less", ratio(1.01, 1.01, 1.01, nan), nan, metric.Higher, 0.02, Equivalent},
		{"one start", Ratio{N: 1, Ratio: 2, Low: nan, High: nan, P: nan, Confidence: 0.95}, nan, metric.Higher, 0.02, Inconclusive},
		{"nothing", Ratio{}, nan, metric.Higher, 0.02, Inconclusive},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := Judge(c.r, c.adjustedP, c.direction, c.minEffect); got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
}
