package compare

import (
	"servematrix/metric"
	"servematrix/result"
)

// Found gives the load that every valid sample of the sources searched for and found; "" where there is none.
func Found(sources ...Source) string {
	return metric.FoundBy(func(yield func(*metric.Values) bool) {
		for _, src := range sources {
			for _, s := range src.Samples {
				if s.Status == result.StatusOK && !yield(s.Metrics) {
					return
				}
			}
		}
	})
}
