package metric

import (
	"slices"
	"testing"
)

// A load that was found speaks for measurements only where every one of them has it.
func TestTheLoadThatAllFound(t *testing.T) {
	rate, both := Of(map[string]float64{"max_request_rate": 12}), Of(map[string]float64{"max_request_rate": 8, "max_concurrency_found": 4})
	concurrency, neither := Of(map[string]float64{"max_concurrency_found": 6}), Of(map[string]float64{"output_throughput": 100})
	for want, all := range map[string][][]*Values{
		"max_request_rate":      {{rate}, {rate, both}, {both}},
		"max_concurrency_found": {{both, concurrency}},
		"":                      {nil, {neither}, {rate, concurrency}, {rate, neither}},
	} {
		for i, some := range all {
			if got := FoundBy(slices.Values(some)); got != want {
				t.Errorf("case %d of %q: got %q", i, want, got)
			}
		}
	}
}
