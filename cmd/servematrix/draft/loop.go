package draft

import (
	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"
)

// loop follows a for over words, round by round.
func (w *walker) loop(c *syntax.ForClause) {
	words, ok := c.Loop.(*syntax.WordIter)
	if !ok {
		w.count(c, c.Loop.(*syntax.CStyleLoop))
		return
	}
	items, err := w.fields(words.Items...)
	if err != nil {
		w.note(c, "what this loop goes over is known only to a shell; it is left out")
		return
	}
	for _, item := range items {
		w.vars[words.Name.Value] = expand.Variable{Set: true, Kind: expand.String, Str: item}
		w.followed++
		if w.stmts(c.Do); w.leftLoop() || w.tired(c) {
			return
		}
	}
}

// count follows a loop that counts.
func (w *walker) count(c *syntax.ForClause, loop *syntax.CStyleLoop) {
	known := loop.Cond != nil
	if loop.Init != nil {
		_, ok := w.number(loop.Init)
		known = known && ok
	}
	for range most {
		n, ok := 0, false
		if known {
			n, ok = w.number(loop.Cond)
		}
		if !ok {
			w.note(c, "how often this loop runs is known only to a shell; it is left out")
			return
		}
		if n == 0 {
			return
		}
		w.followed++
		if w.stmts(c.Do); w.leftLoop() || w.tired(c) {
			return
		}
		if loop.Post != nil {
			_, known = w.number(loop.Post)
		}
	}
}

// leftLoop tells whether a round of a loop was the last one.
func (w *walker) leftLoop() bool {
	switch w.leave {
	case "continue":
		w.leave = ""
	case "break":
		w.leave = ""
		return true
	}
	return w.leave != ""
}
