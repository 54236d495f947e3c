package page

import (
	"math"
	"math/big"
	"strconv"

	"servematrix/metric"
)

// unknown stands where there is no number.
const unknown = "–"

var nan = math.NaN()

// kept is a number as the page has it, in its tables as in what it lets its reader download: seven
// digits that count, or all of its whole part.
func kept(v float64) float64 {
	if !finite(v) {
		return nan
	}
	if math.Abs(v) >= 1e7 {
		return math.Round(v)
	}
	rounded, _ := strconv.ParseFloat(strconv.FormatFloat(v, 'g', 7, 64), 64) // what was just written is a number
	return rounded
}

// significant writes a number with four digits or all of its whole part.
func significant(v float64) string {
	v = kept(v)
	digits := 0
	for edge := 1000.0; math.Abs(v) < edge && digits < 4; edge /= 10 {
		digits++
	}
	return fixed(v, digits)
}

// fixed writes a number with so many decimals, to the letter as the script's toFixed does, which
// rounds a half away from zero.
func fixed(v float64, decimals int) string {
	if !finite(v) {
		return unknown
	}
	return new(big.Rat).SetFloat64(v).FloatString(decimals)
}

func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

// plusMinus writes a mean with half of its interval, where it has one, in the mean's digits.
func (e Estimate) plusMinus() string {
	if !e.spread() {
		return significant(e.Mean)
	}
	mean := significant(e.Mean)
	return mean + " ± " + fixed(e.half(), decimalsOf(mean))
}

// half of an interval as the page has it: a digit finer than it is shown beside the mean, because
// nobody knows it better, and of many cells every byte counts. The rest is cut off and not rounded:
// what is shown is then rounded once.
func (e Estimate) half() float64 {
	text := strconv.FormatFloat(kept(e.High-e.Mean), 'f', -1, 64)
	rest := decimalsOf(text) - decimalsOf(significant(e.Mean)) - 1
	half, _ := strconv.ParseFloat(text[:len(text)-max(0, rest)], 64) // what was just written is a number
	return half
}

// spread tells whether there is an interval.
func (e Estimate) spread() bool { return e.N > 1 && finite(e.Mean) && finite(e.Low) && finite(e.High) }

func decimalsOf(number string) int {
	for i := range len(number) {
		if number[i] == '.' {
			return len(number) - i - 1
		}
	}
	return 0
}

// appendKept writes a number for the script, null where there is none.
func appendKept(b []byte, v float64) []byte {
	v = kept(v)
	if !finite(v) {
		return append(b, "null"...)
	}
	if math.Abs(v) >= 1e15 {
		return strconv.AppendFloat(b, v, 'g', -1, 64)
	}
	return strconv.AppendFloat(b, v, 'f', -1, 64)
}

// percent writes a ratio as a signed difference: 1.052 is "+5.2".
func percent(ratio float64) string {
	if !finite(ratio) {
		return unknown
	}
	return metric.Percent(ratio)
}
