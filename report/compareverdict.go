package report

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"servematrix/compare"
	"servematrix/stats"
)

// verdict says what may be said of a pair by the primary metric, and what is missing for more.
func (c comparison) verdict(p *compare.Pair) string {
	word, why, tested := c.ruling(p)
	text := string(word)
	switch {
	case !tested:
		text = "no verdict: " + why
	case why != "":
		text = "~ " + text + " (" + why + ")"
	case word == stats.Inconclusive:
		text = "~ " + text
	}
	if lost := c.lostOf(p); lost != "" {
		text += "; " + lost
	}
	return text
}

// ruling gives the verdict of the primary metric and what is missing for one; tested is false
// where there was nothing to test.
func (c comparison) ruling(p *compare.Pair) (word stats.Verdict, why string, tested bool) {
	m, ok := p.Of(c.Primary)
	switch {
	case !ok:
		return stats.Inconclusive, c.without(p), false
	case m.Note != "":
		return stats.Inconclusive, m.Note, false
	case m.Ratio.N < 2:
		return stats.Inconclusive, "one start per arm", false
	case m.Verdict == stats.Inconclusive:
		missing := slices.DeleteFunc([]string{c.doubt(m), needed(m.Needed)}, func(s string) bool { return s == "" })
		return m.Verdict, strings.Join(missing, "; "), true
	}
	return m.Verdict, "", true
}

// lostOf names the blocks of both arms that no average takes in.
func (c comparison) lostOf(p *compare.Pair) string {
	var parts []string
	for _, l := range []struct {
		arm  string
		lost compare.Lost
	}{{c.Arms[0], p.BaselineLost}, {p.Arm, p.ArmLost}} {
		if l.lost.Total() > 0 {
			parts = append(parts, l.arm+": "+lost(l.lost))
		}
	}
	return strings.Join(parts, "; ")
}

// without says what a pair lacks of the primary metric: valid starts, or starts that have it.
func (c comparison) without(p *compare.Pair) string {
	switch {
	case p.BaselineStarts == 0 && p.ArmStarts == 0:
		return "neither arm has a valid start"
	case p.BaselineStarts == 0:
		return c.Arms[0] + " has no valid start"
	case p.ArmStarts == 0:
		return p.Arm + " has no valid start"
	case p.BaselineWith == 0 && p.ArmWith == 0:
		return "no start has " + c.Primary
	case p.BaselineWith == 0:
		return "no start of " + c.Arms[0] + " has " + c.Primary
	case p.ArmWith == 0:
		return "no start of " + p.Arm + " has " + c.Primary
	}
	return "no block has " + c.Primary + " of both arms"
}

// doubt says why there is no verdict though the interval excludes "no difference"; else "".
func (c comparison) doubt(m compare.Comparison) string {
	switch excludes := m.Ratio.Low > 1 || m.Ratio.High < 1; {
	case !excludes:
		return ""
	case m.P > 1-c.Confidence:
		return "p " + strconv.FormatFloat(m.P, 'g', 2, 64) + " after Holm"
	}
	return fmt.Sprintf("less than %s %%", percentOf(c.MinEffect))
}

func percentOf(share float64) string { return strconv.FormatFloat(share*100, 'g', 4, 64) }

func needed(n int) string {
	switch {
	case n == 0:
		return ""
	case n > stats.MostNeeded:
		return fmt.Sprintf("more than %d starts per arm", stats.MostNeeded)
	}
	return fmt.Sprintf("about %d starts per arm", n)
}

// lost says which blocks were left out: "1 invalid, 2 failed (oom, requests_failed)".
func lost(l compare.Lost) string {
	var parts []string
	for _, n := range []struct {
		n    int
		word string
	}{{l.Invalid, "invalid"}, {l.Failed, "failed"}, {l.Skipped, "skipped"}} {
		if n.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n.n, n.word))
		}
	}
	text := strings.Join(parts, ", ")
	if len(l.Why) > 0 {
		text += " (" + strings.Join(l.Why, ", ") + ")"
	}
	return text
}
