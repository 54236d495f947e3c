package result

import (
	"math"
	"regexp"
	"strconv"
	"strings"
)

var decimal = regexp.MustCompile(`^[+-]?(?:\d+(?:\.(\d*))?|\.(\d+))(?:[eE][+-]?\d+)?$`)

// parseNumber reads a number as Python prints it; places is the count of digits after the
// point, or -1 where the text does not say how far it was rounded.
func parseNumber(s string) (f float64, places int, ok bool) {
	if f, ok := nonFinite(s); ok {
		return f, -1, true
	}
	m := decimal.FindStringSubmatch(s)
	if m == nil {
		return 0, 0, false
	}
	f, err := strconv.ParseFloat(s, 64)
	if err != nil {
		return 0, 0, false // out of range: no clock and no counter gives such a number
	}
	if strings.ContainsAny(s, "eE") {
		return f, -1, true
	}
	return f, len(m[1]) + len(m[2]), true
}

// nonFinite reads the ways in which Python and JavaScript spell infinity and not-a-number.
func nonFinite(s string) (float64, bool) {
	if len(s) < len("inf") || len(s) > len("-infinity") {
		return 0, false
	}
	switch strings.ToLower(s) {
	case "inf", "+inf", "infinity", "+infinity":
		return math.Inf(1), true
	case "-inf", "-infinity":
		return math.Inf(-1), true
	case "nan", "-nan", "+nan":
		return math.NaN(), true
	}
	return 0, false
}

func finite(f float64) bool { return !math.IsNaN(f) && !math.IsInf(f, 0) }

// spell gives a number that JSON cannot hold as the word that Python prints.
func spell(f float64) string {
	switch {
	case math.IsNaN(f):
		return "nan"
	case f > 0:
		return "inf"
	}
	return "-inf"
}

// plain makes a number fit for Extra and Config: whole numbers as int64, so that they print
// without exponent, others as float64, non-finite ones spelt out.
func plain(f float64, whole bool) any {
	switch {
	case !finite(f):
		return spell(f)
	case whole && math.Abs(f) < 1<<53:
		return int64(f)
	}
	return f
}

// toFloat is the way back from plain.
func toFloat(value any) (float64, bool) {
	switch v := value.(type) {
	case int64:
		return float64(v), true
	case float64:
		return v, true
	case string:
		return nonFinite(v)
	}
	return 0, false
}
