package engine

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
)

var lateDir = regexp.MustCompile(`\$\{\{\s*late\.dir\s*\}\}`)

// NumPrompts is how many requests a client that is started with argv is asked
// to send; false where the command does not tell.
func (p *ClientProfile) NumPrompts(argv []string) (int, bool) {
	a := arguments(argv, p.Match)
	if p.Requests.Flag == "" || anyHolds(p.Requests.Unless, a) {
		return 0, false
	}
	n, err := strconv.Atoi(Flag{p.Requests.Flag, p.Requests.Default}.in(a))
	if err != nil || n <= 0 || a.Several(p.Requests.Flag) {
		return 0, false
	}
	for _, t := range p.Requests.Times {
		more, err := strconv.Atoi(t.in(a))
		if err != nil || more <= 0 || a.Several(t.Flag) {
			return 0, false
		}
		n *= more
	}
	return n, true
}

// ExpectedOutputTokens is how many tokens all requests together generate;
// false where the workload does not fix that exactly, because lengths vary or
// the model may end an answer.
func (p *ClientProfile) ExpectedOutputTokens(argv []string) (int, bool) {
	a := arguments(argv, p.Match)
	n, ok := p.NumPrompts(argv)
	if !ok || p.Tokens.Flag == "" || !allHold(p.Tokens.When, a) || anyHolds(p.Tokens.Unless, a) {
		return 0, false
	}
	each, err := strconv.Atoi(Flag{p.Tokens.Flag, p.Tokens.Default}.in(a))
	return n * each, err == nil && each > 0
}

// Promised lists the metrics, by contract name, that a valid result of a
// client started with argv holds; sorted.
func (p *ClientProfile) Promised(argv []string) []string {
	a := arguments(argv, p.Match)
	all := slices.Clone(p.Promise.Always)
	for _, family := range strings.Split(p.Promise.By.in(a), ",") {
		all = append(all, p.Promise.Listed[strings.TrimSpace(family)]...)
	}
	for _, u := range p.Promise.Unless {
		if !a.Has(u.Flag) {
			all = append(all, u.Metrics...)
		}
	}
	for _, w := range p.Promise.When {
		if a.Has(w.Flag) {
			all = append(all, w.Metrics...)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}
