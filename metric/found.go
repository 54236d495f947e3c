package metric

import (
	"iter"
	"slices"
)

// found are the loads that a search for the largest one finds.
var found = []string{"max_request_rate", "max_concurrency_found"}

// Found gives the names of the loads that a search for the largest one finds.
func Found() []string { return slices.Clone(found) }

// FoundBy gives the load that all of some measurements searched for and found; "" where there is none.
func FoundBy[V interface {
	Get(name string) (float64, bool)
}](all iter.Seq[V]) string {
	for _, name := range found {
		with, without := false, false
		for one := range all {
			_, ok := one.Get(name)
			with, without = with || ok, without || !ok
			if without {
				break
			}
		}
		if with && !without {
			return name
		}
	}
	return ""
}
