package chart

import (
	"math"
	"strconv"
)

// tick is a place on an axis and what is written there.
type tick struct {
	at    float64
	label string
}

// steps gives round values that cover lo to hi in at most n steps of 1, 2 or 5 times a power
// of ten, or of a calm number of seconds, minutes or hours. The first is at most lo, the last
// at least hi.
func steps(lo, hi float64, n int, step func(rough float64) float64) (values []float64, size float64) {
	size = step((hi - lo) / float64(max(n, 1)))
	first, last := math.Floor(lo/size+1e-9), math.Ceil(hi/size-1e-9)
	if first == last {
		last++
	}
	for i := first; i <= last; i++ {
		values = append(values, i*size)
	}
	return values, size
}

// round gives the least 1, 2 or 5 times a power of ten that is not below rough.
func round(rough float64) float64 {
	power := math.Pow(10, math.Floor(math.Log10(rough)))
	for _, m := range []float64{1, 2, 5} {
		if m*power >= rough*(1-1e-9) {
			return m * power
		}
	}
	return 10 * power
}

var calm = []float64{1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 2 * 3600, 3 * 3600, 6 * 3600, 12 * 3600, 24 * 3600}

// roundTime gives the least step that a clock has and that is not below rough, in seconds.
func roundTime(rough float64) float64 {
	const day = 24 * 3600
	switch {
	case rough < 1:
		return round(rough)
	case rough > day:
		return day * round(rough/day)
	}
	for _, s := range calm {
		if s >= rough*(1-1e-9) {
			return s
		}
	}
	return day
}

// decades gives values of a logarithmic axis: 1, 2 and 5 in each decade while that is at most
// n values, else every decade or every k-th. The first is at most lo, the last at least hi.
func decades(lo, hi float64, n int) []float64 {
	low, high := math.Floor(math.Log10(lo)), math.Ceil(math.Log10(hi))
	var fine []float64
	for e := low; e <= high; e++ {
		for _, m := range []float64{1, 2, 5} {
			fine = append(fine, decimal(m, e))
		}
	}
	for len(fine) > 2 && fine[1] <= lo*(1+1e-9) {
		fine = fine[1:]
	}
	for len(fine) > 2 && fine[len(fine)-2] >= hi*(1-1e-9) {
		fine = fine[:len(fine)-1]
	}
	if len(fine) <= n {
		return fine
	}
	every := math.Max(1, math.Ceil((high-low)/float64(max(n-1, 1))))
	var coarse []float64
	for e := low; e < high+every; e += every {
		coarse = append(coarse, decimal(1, e))
	}
	return coarse
}

// decimal gives the number that m×10^exponent is written as.
func decimal(m, exponent float64) float64 {
	v, _ := strconv.ParseFloat(strconv.Itoa(int(m))+"e"+strconv.Itoa(int(exponent)), 64)
	return v
}
