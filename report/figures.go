package report

import (
	"math"
	"slices"

	"servematrix/metric"
)

// figures are the metrics of a row: values beside names that many rows share. A run has tens of
// thousands of rows, and a map for each takes several times the memory.
type figures struct {
	names  []string
	values []float64 // NaN where the metric is unknown or not finite
}

// Get gives a metric's value, and whether it is known and finite.
func (f figures) Get(name string) (float64, bool) {
	if i := slices.Index(f.names, name); i >= 0 {
		return f.at(i)
	}
	return 0, false
}

func (f figures) at(i int) (float64, bool) { return f.values[i], !math.IsNaN(f.values[i]) }

// shown gives those of a sample's metrics that rows keep.
func (t *tally) shown(all *metric.Values) figures {
	names := t.wanted
	if t.whole {
		if names = all.Names(); slices.Equal(names, t.common) {
			names = t.common
		}
		t.common = names
	}
	f := figures{names, make([]float64, len(names))}
	for i, name := range names {
		v, ok := all.Get(name)
		if !ok {
			v = math.NaN()
		}
		f.values[i] = v
	}
	return f
}
