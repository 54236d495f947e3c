package chart

import (
	"math"
	"strconv"
	"strings"
	"time"
)

// Format says how an axis writes its numbers.
type Format int

const (
	// Number writes 0.25, 1,500, 20k, 1.5M.
	Number Format = iota
	// Change is for ratios: 1.05 is written +5 %, and 4 ×4.
	Change
	// Duration is for seconds: 90s, 5m, 1h30m, 2d.
	Duration
)

// written gives v with as many decimals as tell it from its neighbours a step away.
func (f Format) written(v, step float64) string {
	switch f {
	case Change:
		return change(v, step)
	case Duration:
		return duration(v)
	}
	return number(v, step)
}

var prefixes = []struct {
	factor float64
	letter string
}{{1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1e3, "k"}}

// number writes a tick: SI letters from ten thousand on, commas below.
func number(v, step float64) string {
	if v == 0 {
		return "0"
	}
	if a := math.Abs(v); a >= 1e15 || a < 1e-6 {
		return minus(strconv.FormatFloat(v, 'g', 3, 64))
	} else if a >= 1e4 {
		for _, p := range prefixes {
			if a >= p.factor {
				return fixed(v/p.factor, step/p.factor) + p.letter
			}
		}
	}
	return fixed(v, step)
}

// fixed writes v with the decimals that step needs, a real minus sign and thousands apart.
func fixed(v, step float64) string {
	decimals := 0
	for s := math.Abs(step); decimals < 9 && s > 0; decimals++ {
		if scaled := s * math.Pow10(decimals); math.Abs(scaled-math.Round(scaled)) < 1e-6*scaled {
			break
		}
	}
	s := strconv.FormatFloat(v, 'f', decimals, 64)
	whole, rest, _ := strings.Cut(s, ".")
	if n := len(strings.TrimLeft(whole, "-")); n > 3 {
		whole = whole[:len(whole)-3] + "," + whole[len(whole)-3:]
	}
	if rest != "" {
		whole += "." + rest
	}
	return minus(whole)
}

// figures gives the step at which v is written in three figures, or whole where it has more.
func figures(v float64) float64 {
	a := math.Abs(v)
	switch {
	case a == 0 || !finite(a):
		return 1
	case a == math.Trunc(a) && a < 1e4:
		return 1
	}
	digits := math.Floor(math.Log10(a)) - 2
	if a < 1e4 {
		digits = math.Min(digits, 0)
	}
	return decimal(1, digits)
}

func minus(s string) string { return strings.ReplaceAll(s, "-", "−") }

// change writes a ratio: as a difference in per cent where it is near one, as a factor
// where per cents would be hard to read.
func change(ratio, step float64) string {
	switch {
	case ratio >= 3 || ratio <= 1.0/3:
		return "×" + strconv.FormatFloat(ratio, 'g', 3, 64)
	case math.Abs(ratio-1) < 1e-9:
		return "0 %"
	}
	sign := ""
	if ratio > 1 {
		sign = "+"
	}
	return sign + fixed((ratio-1)*100, step*100) + " %"
}

// duration writes seconds in at most two units.
func duration(seconds float64) string {
	switch {
	case seconds == 0:
		return "0"
	case seconds < 0:
		return "−" + duration(-seconds)
	case seconds < 1:
		return strconv.FormatFloat(seconds*1000, 'g', 3, 64) + "ms"
	case seconds < 120 && seconds != 60:
		return strconv.FormatFloat(seconds, 'g', 4, 64) + "s"
	}
	d := time.Duration(seconds * float64(time.Second)).Round(time.Second)
	days, hours := d/(24*time.Hour), d%(24*time.Hour)/time.Hour
	minutes, rest := d%time.Hour/time.Minute, d%time.Minute/time.Second
	switch {
	case days > 0:
		return two(days, "d", hours, "h")
	case hours > 0:
		return two(hours, "h", minutes, "m")
	}
	return two(minutes, "m", rest, "s")
}

func two(a time.Duration, unitA string, b time.Duration, unitB string) string {
	s := strconv.Itoa(int(a)) + unitA
	if b > 0 {
		s += strconv.Itoa(int(b)) + unitB
	}
	return s
}
