package page

import (
	"math"
	"strconv"

	"servematrix/metric"
)

// unknown stands where there is no number.
const unknown = "–"

var nan = math.NaN()

// significant writes a number with four digits or all of its whole part.
func significant(v float64) string {
	if !finite(v) {
		return unknown
	}
	digits := 0
	for edge := 1000.0; math.Abs(v) < edge && digits < 4; edge /= 10 {
		digits++
	}
	return strconv.FormatFloat(v, 'f', digits, 64)
}

func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

// plusMinus writes a mean with half of its interval, where it has one, in the mean's digits.
func (e Estimate) plusMinus() string {
	if !e.spread() {
		return significant(e.Mean)
	}
	mean := significant(e.Mean)
	return mean + " ± " + strconv.FormatFloat(e.High-e.Mean, 'f', decimalsOf(mean), 64)
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

// short writes a number for the script: five digits that count, null where there is none.
func short(b []byte, v float64) []byte {
	if !finite(v) {
		return append(b, "null"...)
	}
	rounded, _ := strconv.ParseFloat(strconv.FormatFloat(v, 'g', 5, 64), 64) // what was just written is a number
	if math.Abs(rounded) >= 1e15 {
		return strconv.AppendFloat(b, rounded, 'g', -1, 64)
	}
	return strconv.AppendFloat(b, rounded, 'f', -1, 64)
}

// percent writes a ratio as a signed difference: 1.052 is "+5.2".
func percent(ratio float64) string {
	if !finite(ratio) {
		return unknown
	}
	return metric.Percent(ratio)
}
