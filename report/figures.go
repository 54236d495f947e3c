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
		names = t.namesOf(all)
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

// namesOf gives the names of a sample's metrics; samples mostly have the same ones.
func (t *tally) namesOf(all *metric.Values) []string {
	known := 0
	for name := range all.All() {
		if known == len(t.common) || t.common[known] != name {
			known = -1
			break
		}
		known++
	}
	if known != len(t.common) {
		t.common = all.Names()
	}
	return t.common
}
