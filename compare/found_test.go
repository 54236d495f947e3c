package compare

import (
	"testing"

	"servematrix/metric"
	"servematrix/result"
)

// Results of which no sweep says by what they are judged are judged by the load that all of them found.
func TestImportedSearchesGoByWhatTheyFound(t *testing.T) {
	of := func(name string, values map[string]float64) Source {
		return Source{Name: name, Samples: []*result.Sample{imported("x", nil, metric.Of(values))}}
	}
	found := of("before", map[string]float64{"output_throughput": 100, "max_concurrency_found": 8})
	after := of("after", map[string]float64{"output_throughput": 110, "max_concurrency_found": 16})
	other := of("other", map[string]float64{"output_throughput": 120})
	for _, c := range []struct {
		o    Options
		with Source
		want string
	}{{Options{}, after, "max_concurrency_found"}, {Options{}, other, "output_throughput"}, {Options{Primary: "output_throughput"}, after, "output_throughput"}} {
		if got := mustCompare(t, c.o, found, c.with).Primary; got != c.want {
			t.Errorf("%s with %+v: %s, want %s", c.with.Name, c.o, got, c.want)
		}
	}
}
