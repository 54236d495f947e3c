package metric

import (
	"math"
	"strconv"
	"strings"
)

// Percent writes a ratio as a signed difference in percent: 1.052 is "+5.2", 0.993 "−0.7".
func Percent(ratio float64) string {
	v := (ratio - 1) * 100
	digits := 1
	if math.Abs(v) >= 99.95 {
		digits = 0
	}
	text := strconv.FormatFloat(math.Abs(v), 'f', digits, 64)
	switch {
	case strings.Trim(text, "0.") == "":
		return "0.0"
	case v < 0:
		return "−" + text
	}
	return "+" + text
}
