package draft

import (
	"regexp"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/pattern"
	"mvdan.cc/sh/v3/syntax"
)

// choose follows the branch of a case that its word selects. Where only a shell
// knows which one that is, it follows all of them and says so.
func (w *walker) choose(c *syntax.CaseClause) {
	word, err := w.value(c.Word)
	if err != nil || strings.Contains(word, markOpen) {
		w.note(c, "which branch of this case is taken is known only when it runs; all of them are followed")
		for _, item := range c.Items {
			w.stmts(item.Stmts)
		}
		return
	}
	on := false // ;& goes on into the next branch, whatever its patterns
	for _, item := range c.Items {
		if !on && !slices.ContainsFunc(item.Patterns, func(p *syntax.Word) bool { return w.matches(word, p) }) {
			continue
		}
		if w.stmts(item.Stmts); w.leave != "" || item.Op != syntax.Fallthrough && item.Op != syntax.Resume {
			return
		}
		on = item.Op == syntax.Fallthrough
	}
}

func (w *walker) matches(word string, p *syntax.Word) bool {
	if _, err := w.fields(p); err != nil {
		return false
	}
	w.plain = map[string]bool{}
	glob, err := expand.Pattern(&expand.Config{Env: w}, p)
	if err != nil {
		return false
	}
	if w.spent += len(word) * len(glob) / nodeCost; w.spent > dearest {
		return false
	}
	expr, err := pattern.Regexp(glob, pattern.EntireString)
	if err != nil {
		return false
	}
	re, err := regexp.Compile(expr)
	return err == nil && re.MatchString(word)
}
