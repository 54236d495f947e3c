package progress

import (
	"fmt"
	"strings"
	"time"
)

// short writes a duration as people read it: 0.3s, 71s, 6m41s, 2h05m.
func short(d time.Duration) string {
	switch s := d.Seconds(); {
	case s < 9.95:
		return fmt.Sprintf("%.1fs", max(s, 0))
	case s < 99.5:
		return fmt.Sprintf("%.0fs", s)
	case s < 3600:
		d = d.Round(time.Second)
		return fmt.Sprintf("%dm%02ds", int(d.Minutes()), int(d.Seconds())%60)
	default:
		d = d.Round(time.Minute)
		return fmt.Sprintf("%dh%02dm", int(d.Hours()), int(d.Minutes())%60)
	}
}

// running writes a time that is still growing, without tenths that would only flicker.
func running(d time.Duration) string {
	if d < 100*time.Second {
		return fmt.Sprintf("%ds", max(int(d.Seconds()), 0))
	}
	return short(d.Truncate(time.Second))
}

// roughly writes a time that is expected.
func roughly(d time.Duration) string {
	if d < 100*time.Second {
		return running(d)
	}
	return about(d)
}

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }

// number writes a metric with about four digits.
func number(v float64) string {
	switch {
	case v >= 1000 || v <= -1000:
		return fmt.Sprintf("%.0f", v)
	case v >= 100 || v <= -100:
		return fmt.Sprintf("%.1f", v)
	}
	return fmt.Sprintf("%.2f", v)
}

// longest is how much of a message from a log is shown.
const longest = 200

// Clean makes text from a log fit to be shown in one line: no control
// characters, which could move the cursor, and no endless line.
func Clean(s string) string {
	s = strings.TrimSpace(visible(s))
	if r := []rune(s); len(r) > longest {
		s = string(r[:longest]) + "…"
	}
	return s
}

func oneOf(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
