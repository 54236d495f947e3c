package telemetry

import "math"

// Thin keeps of a series at most most points, those that a chart shows: it parts the time
// into stretches of the same length and keeps the least and the greatest value of each. A
// value that is not a number is a gap and stays one.
func Thin(times, values []float64, most int) (x, y []float64) {
	n := min(len(times), len(values))
	if n <= most || most < 3 {
		return times[:n], values[:n]
	}
	buckets := most / 3 // a gap, a least and a greatest
	from, width := times[0], (times[n-1]-times[0])/float64(buckets)
	for i := 0; i < n; {
		bucket := stretch(times[i], from, width, buckets)
		low, high, gap := -1, -1, -1
		for ; i < n && stretch(times[i], from, width, buckets) == bucket; i++ {
			switch v := values[i]; {
			case math.IsNaN(v):
				gap = i
			case low < 0 || v < values[low]:
				low = i
				fallthrough
			default:
				if high < 0 || v > values[high] {
					high = i
				}
			}
		}
		for _, at := range inOrder(low, high, gap) {
			x, y = append(x, times[at]), append(y, values[at])
		}
	}
	return x, y
}

func stretch(t, from, width float64, buckets int) int {
	if width <= 0 {
		return 0
	}
	return min(int((t-from)/width), buckets-1)
}

// inOrder gives those of the places that are there, each once, from the first to the last.
func inOrder(places ...int) (kept []int) {
	for _, p := range places {
		at := len(kept)
		for at > 0 && kept[at-1] > p {
			at--
		}
		if p >= 0 && (at == 0 || kept[at-1] != p) {
			kept = append(kept[:at], append([]int{p}, kept[at:]...)...)
		}
	}
	return kept
}
