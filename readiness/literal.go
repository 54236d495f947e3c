package readiness

import (
	"bytes"
	"regexp"
	"regexp/syntax"

	"servematrix/logfile"
)

// A matcher is a regular expression with the literals of which any match must
// contain one. Looking for these first lets a log of gigabytes be read at the
// speed of a byte search instead of that of thirty regular expressions.
type matcher struct {
	re   *regexp.Regexp
	need [][]byte // empty: unknown, always ask the expression
}

// Matching is re's Match, but fast on lines that do not match: of most expressions
// it knows some texts of which a match must hold one.
func Matching(re *regexp.Regexp) func(line []byte) bool { return newMatcher(re).match }

func newMatcher(re *regexp.Regexp) matcher {
	m := matcher{re: re}
	tree, err := syntax.Parse(re.String(), syntax.Perl)
	if err != nil {
		return m // compiled with other flags, for example POSIX
	}
	for _, s := range required(tree) {
		m.need = append(m.need, []byte(s))
	}
	return m
}

func (m matcher) match(line []byte) bool {
	if len(m.need) == 0 {
		return m.re.Match(line)
	}
	for _, s := range m.need {
		if bytes.Contains(line, s) {
			return m.re.Match(line)
		}
	}
	return false
}

// A table is a list of patterns that are tested together.
type table struct {
	all   []matcher
	sieve *logfile.Finder // of the literals of all; nil: some pattern has none, or a very short one
}

func newTable(patterns []Pattern) table {
	var t table
	var words [][]byte
	known := true
	for _, p := range patterns {
		m := newMatcher(p.Log)
		t.all = append(t.all, m)
		words = append(words, m.need...)
		known = known && len(m.need) > 0
	}
	if known {
		t.sieve = logfile.NewFinder(words)
	}
	return t
}

// first gives the index of the first of the leading n patterns that matches, n if none does.
func (t table) first(line []byte, n int) int {
	if t.sieve != nil && !t.sieve.In(line) {
		return n
	}
	for i, m := range t.all[:n] {
		if m.match(line) {
			return i
		}
	}
	return n
}

// required gives strings of which every match of the tree contains at least
// one, or nil when there is no such set.
func required(t *syntax.Regexp) []string {
	switch t.Op {
	case syntax.OpLiteral:
		if t.Flags&syntax.FoldCase == 0 {
			return []string{string(t.Rune)}
		}
	case syntax.OpCapture, syntax.OpPlus:
		return required(t.Sub[0])
	case syntax.OpRepeat:
		if t.Min > 0 {
			return required(t.Sub[0])
		}
	case syntax.OpAlternate:
		var all []string
		for _, sub := range t.Sub {
			s := required(sub)
			if s == nil {
				return nil
			}
			all = append(all, s...)
		}
		return all
	case syntax.OpConcat:
		var best []string
		for _, sub := range t.Sub {
			if s := required(sub); shortest(s) > shortest(best) {
				best = s
			}
		}
		return best
	}
	return nil
}

// shortest is the length of the shortest string, 0 for none: the longer it is,
// the fewer lines pass the search.
func shortest(set []string) int {
	n := 0
	for i, s := range set {
		if i == 0 || len(s) < n {
			n = len(s)
		}
	}
	return n
}
