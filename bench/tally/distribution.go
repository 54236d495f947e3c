package tally

import (
	"math"
	"math/bits"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"servematrix/metric"
)

// distribution holds samples of a latency in memory that does not grow with their number: mean,
// standard deviation, smallest and largest exactly, all else as an HDR histogram in nanoseconds
// with 4 significant digits. Up to 32,768 ns each value has a bin of its own; above that a bin is at
// most 1/16,384 of its value wide and stands for its middle, so that a percentile is off by at most
// 0.003 %. The empty distribution is ready for use.
type distribution struct {
	histogram *hdrhistogram.Histogram // nil: no sample yet
	n         int64
	mean, m2  float64 // milliseconds; Welford's sums
	min, max  time.Duration
}

const (
	digits    = 4
	exactBits = 15             // values of so many bits have bins of their own; one bit more, and two share one
	longest   = 24 * time.Hour // longer samples are counted as this; the largest is known all the same
)

func (d *distribution) add(sample time.Duration) {
	sample = max(sample, 0)
	if d.histogram == nil {
		d.histogram = hdrhistogram.New(1, int64(longest), digits)
		d.min = sample
	}
	d.n++
	d.min, d.max = min(d.min, sample), max(d.max, sample)
	off := Millis(sample) - d.mean
	d.mean += off / float64(d.n)
	d.m2 += off * (Millis(sample) - d.mean)
	_ = d.histogram.RecordValue(int64(min(sample, longest))) // every value from 0 to longest has a bin
}

// std is the population standard deviation √(Σ(x−mean)²/n), numpy's default (ddof 0).
func (d *distribution) std() float64 { return math.Sqrt(d.m2 / float64(d.n)) }

// quantile is the p-th percentile in milliseconds, by linear interpolation between the two nearest
// ranks, numpy's default: at position h = p/100·(n−1), x[⌊h⌋] + (h−⌊h⌋)·(x[⌊h⌋+1]−x[⌊h⌋]).
func (d *distribution) quantile(p float64) float64 {
	if d.n == 0 {
		return math.NaN()
	}
	h := p / 100 * float64(d.n-1)
	low := int64(h)
	at := d.ranked(low)
	if part := h - float64(low); part > 0 {
		at += part * (d.ranked(low+1) - at)
	}
	return at
}

// ranked is the sample with i smaller ones or equal ones before it, in milliseconds.
func (d *distribution) ranked(i int64) float64 {
	switch {
	case i <= 0:
		return Millis(d.min)
	case i >= d.n-1:
		return Millis(d.max)
	}
	top := d.histogram.ValueAtPercentile(100 * float64(i+1) / float64(d.n)) // the bin's largest value
	width := int64(1) << max(bits.Len64(uint64(top))-exactBits, 0)
	middle := float64(top) - float64(width-1)/2
	return min(max(middle, float64(d.min)), float64(d.max)) / float64(time.Millisecond)
}

// describe puts mean, median, std, max and the percentiles, in milliseconds, into values under the
// contract's names. Without samples it adds nothing: unknown, not zero.
func (d *distribution) describe(values *metric.Values, latency string, percentiles []percentile) {
	if d.n == 0 {
		return
	}
	values.Set("mean_"+latency, d.mean)
	values.Set("std_"+latency, d.std())
	values.Set("median_"+latency, d.quantile(50))
	values.Set("max_"+latency, Millis(d.max))
	for _, p := range percentiles {
		values.Set("p"+p.name+"_"+latency, d.quantile(p.value))
	}
}
