package draft

import (
	"regexp"
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
	for _, item := range c.Items {
		for _, p := range item.Patterns {
			if !w.matches(word, p) {
				continue
			}
			w.stmts(item.Stmts)
			return
		}
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
	expr, err := pattern.Regexp(glob, pattern.EntireString)
	if err != nil {
		return false
	}
	re, err := regexp.Compile(expr)
	return err == nil && re.MatchString(word)
}
