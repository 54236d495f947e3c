package progress

import (
	"fmt"
	"slices"
	"time"
)

// eta writes "ETA 9h–11h30 → Fri 07:20–09:50 UTC", and less of it for where there is
// little room; "ETA ?" before there is data.
func (v *View) eta(now time.Time) (longestFirst []string) {
	if v.over != "" {
		return []string{v.ending()}
	}
	if v.track.state.Interrupted != "" {
		return []string{"ending in order"}
	}
	low, high, ok := v.track.remaining(v.moment(now))
	if !ok {
		return []string{"ETA ?"}
	}
	texts := etaTexts(low, high, now.In(v.zone))
	if s := v.track.state.Session; s.Until != nil { // what follows is not known yet
		texts = slices.Insert(texts, 0, fmt.Sprintf("%s for block %d", texts[0], s.Blocks))
	}
	return texts
}

func etaTexts(low, high time.Duration, now time.Time) (longestFirst []string) {
	span := "ETA " + About(low, high)
	from, to := now.Add(low), now.Add(high)
	at, end := day(from, now), day(to, now)
	switch {
	case from.Format(time.DateOnly) != to.Format(time.DateOnly):
		at += "–" + end
	case from.Format("15:04") != to.Format("15:04"):
		at += "–" + to.Format("15:04")
	}
	zone := to.Format(" MST")
	return []string{span + " → " + at + zone, span + " → " + end + zone, span}
}

// day writes a time of day, with the weekday where it is another day than now's.
func day(at, now time.Time) string {
	switch days := at.Sub(now).Hours() / 24; {
	case days > 6:
		return at.Format("Jan 2 15:04")
	case at.Format(time.DateOnly) != now.Format(time.DateOnly):
		return at.Format("Mon 15:04")
	}
	return at.Format("15:04")
}

// About writes an estimate as coarse as it is: 9h–11h30.
func About(low, high time.Duration) string {
	s := about(low)
	if h := about(high); h != s {
		s += "–" + h
	}
	return s
}

// about writes a duration as coarse as an estimate is.
func about(d time.Duration) string {
	switch {
	case d < time.Minute:
		return fmt.Sprintf("%.0fs", d.Seconds())
	case d < time.Hour:
		return fmt.Sprintf("%.0fm", d.Minutes())
	}
	d = d.Round(10 * time.Minute)
	if m := int(d.Minutes()) % 60; m > 0 {
		return fmt.Sprintf("%dh%02d", int(d.Hours()), m)
	}
	return fmt.Sprintf("%dh", int(d.Hours()))
}
