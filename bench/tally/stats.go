package tally

import (
	"math"
	"slices"
	"time"

	"servematrix/metric"
)

// quantile is the p-th percentile of sorted samples, by linear interpolation between the two
// nearest ranks, numpy's default: at position h = p/100·(n−1), x[⌊h⌋] + (h−⌊h⌋)·(x[⌊h⌋+1]−x[⌊h⌋]).
func quantile(sorted []float64, p float64) float64 {
	if len(sorted) == 0 {
		return math.NaN()
	}
	h := p / 100 * float64(len(sorted)-1)
	low := int(h)
	if low >= len(sorted)-1 {
		return sorted[len(sorted)-1]
	}
	return sorted[low] + (h-float64(low))*(sorted[low+1]-sorted[low])
}

// moments are the arithmetic mean and the population standard deviation √(Σ(x−mean)²/n),
// numpy's default (ddof 0).
func moments(samples []float64) (mean, std float64) {
	n := float64(len(samples))
	for _, x := range samples {
		mean += x / n
	}
	variance := 0.0
	for _, x := range samples {
		variance += (x - mean) * (x - mean) / n
	}
	return mean, math.Sqrt(variance)
}

// describe puts mean, median, std, max and the percentiles of samples, in milliseconds, into
// values under the contract's names. Without samples it adds nothing: unknown, not zero.
func describe(values *metric.Values, latency string, samples []float64, percentiles Percentiles) {
	if len(samples) == 0 {
		return
	}
	slices.Sort(samples)
	mean, std := moments(samples)
	values.Set("mean_"+latency, mean)
	values.Set("std_"+latency, std)
	values.Set("median_"+latency, quantile(samples, 50))
	values.Set("max_"+latency, samples[len(samples)-1])
	for _, p := range percentiles {
		values.Set("p"+p.Name+"_"+latency, quantile(samples, p.Value))
	}
}

// Millis is d in milliseconds.
func Millis(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
