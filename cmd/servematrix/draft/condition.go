package draft

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"
)

// truth is what is known of a condition before anything runs.
type truth int

const (
	unknown truth = iota
	yes
	no
)

func truthOf(b bool) truth {
	if b {
		return yes
	}
	return no
}

func (t truth) not() truth { return [...]truth{unknown, no, yes}[t] }

// both and either combine conditions as && and || do.
func both(a, b truth) truth {
	switch {
	case a == no || b == no:
		return no
	case a == yes && b == yes:
		return yes
	}
	return unknown
}

func either(a, b truth) truth { return both(a.not(), b.not()).not() }

// branch follows the branch of an if that its conditions select. Where one is known
// only to a shell it follows that branch and goes on to the next, and says so where it matters.
func (w *walker) branch(c *syntax.IfClause) {
	for b := c; b != nil; b = b.Else {
		holds := yes // an else
		if len(b.Cond) > 0 {
			holds = w.holds(b.Cond[len(b.Cond)-1])
		}
		switch holds {
		case yes:
			w.stmts(b.Then)
			return
		case unknown:
			w.perhaps(b, "whether this if holds is known only when it runs; it is followed, and what is behind it too", b.Then)
		}
	}
}

// perhaps follows statements that may not run: what they leave behind is noted,
// and that they would leave the script or a loop is not believed.
func (w *walker) perhaps(n syntax.Node, note string, list []*syntax.Stmt) {
	w.spent += nodeCost * len(w.vars)
	had, vars := len(w.commands), maps.Clone(w.vars)
	w.stmts(list)
	w.leave = ""
	note = w.at(n, note)
	for i := had; i < len(w.commands); i++ {
		w.commands[i].Notes = append([]string{note}, w.commands[i].Notes...)
	}
	for name, v := range w.vars {
		if old := vars[name]; old.Str != v.Str || !slices.Equal(old.List, v.List) {
			w.noteText(note)
			return
		}
	}
}

// holds tells whether a condition holds, where the script alone decides it.
func (w *walker) holds(s *syntax.Stmt) (t truth) {
	if w.spent > dearest {
		return unknown
	}
	if s.Negated {
		defer func() { t = t.not() }()
	}
	switch c := s.Cmd.(type) {
	case *syntax.CallExpr:
		words, err := w.fields(c.Args...)
		if err != nil || len(words) == 0 {
			return unknown
		}
		switch words[0] {
		case "true", ":":
			return yes
		case "false":
			return no
		case "test":
			return tested(words[1:])
		case "[":
			if end := len(words) - 1; words[end] == "]" {
				return tested(words[1:end])
			}
		}
	case *syntax.TestClause:
		return w.compared(c.X)
	case *syntax.ArithmCmd:
		if n, ok := w.number(c.X); ok {
			return truthOf(n != 0)
		}
	case *syntax.BinaryCmd:
		switch c.Op {
		case syntax.AndStmt:
			return both(w.holds(c.X), w.holds(c.Y))
		case syntax.OrStmt:
			return either(w.holds(c.X), w.holds(c.Y))
		}
	}
	return unknown
}

// tested answers what stands between [ and ].
func tested(words []string) truth {
	if slices.ContainsFunc(words, func(s string) bool { return strings.Contains(s, markOpen) }) {
		return unknown
	}
	switch {
	case len(words) > 1 && words[0] == "!":
		return tested(words[1:]).not()
	case len(words) == 1:
		return truthOf(words[0] != "")
	case len(words) == 2 && words[0] == "-z":
		return truthOf(words[1] == "")
	case len(words) == 2 && words[0] == "-n":
		return truthOf(words[1] != "")
	case len(words) == 3:
		return related(words[0], words[1], words[2])
	}
	return unknown
}

// related compares two texts, or two numbers.
func related(x, op, y string) truth {
	switch op {
	case "=", "==":
		return truthOf(x == y)
	case "!=":
		return truthOf(x != y)
	}
	a, err1 := strconv.Atoi(strings.TrimSpace(x))
	b, err2 := strconv.Atoi(strings.TrimSpace(y))
	if err1 != nil || err2 != nil {
		return unknown
	}
	switch op {
	case "-eq":
		return truthOf(a == b)
	case "-ne":
		return truthOf(a != b)
	case "-lt":
		return truthOf(a < b)
	case "-le":
		return truthOf(a <= b)
	case "-gt":
		return truthOf(a > b)
	case "-ge":
		return truthOf(a >= b)
	}
	return unknown
}

// compared answers what stands between [[ and ]].
func (w *walker) compared(x syntax.TestExpr) truth {
	switch x := x.(type) {
	case *syntax.ParenTest:
		return w.compared(x.X)
	case *syntax.UnaryTest:
		if x.Op == syntax.TsNot {
			return w.compared(x.X).not()
		}
		if value, ok := w.known(x.X); ok && (x.Op == syntax.TsEmpStr || x.Op == syntax.TsNempStr) {
			return truthOf((value == "") == (x.Op == syntax.TsEmpStr))
		}
	case *syntax.Word:
		if value, ok := w.known(x); ok {
			return truthOf(value != "")
		}
	case *syntax.BinaryTest:
		switch x.Op {
		case syntax.AndTest:
			return both(w.compared(x.X), w.compared(x.Y))
		case syntax.OrTest:
			return either(w.compared(x.X), w.compared(x.Y))
		}
		left, ok1 := w.known(x.X)
		right, ok2 := w.known(x.Y)
		if !ok1 || !ok2 {
			return unknown
		}
		switch x.Op {
		case syntax.TsMatch, syntax.TsMatchShort:
			return truthOf(w.matches(left, x.Y.(*syntax.Word)))
		case syntax.TsNoMatch:
			return truthOf(!w.matches(left, x.Y.(*syntax.Word)))
		}
		return related(left, x.Op.String(), right)
	}
	return unknown
}

// known gives the value of a word that the script alone decides.
func (w *walker) known(x syntax.TestExpr) (string, bool) {
	word, ok := x.(*syntax.Word)
	if !ok {
		return "", false
	}
	value, err := w.value(word)
	return value, err == nil && !strings.Contains(value, markOpen)
}

// number computes what stands between (( and )), with its effects on variables.
func (w *walker) number(x syntax.ArithmExpr) (int, bool) {
	known := true
	var set syntax.Node // what an = gives a value needs none
	syntax.Walk(x, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.BinaryArithm:
			if n.Op == syntax.Assgn {
				set = n.X
			}
		case *syntax.ParamExp, *syntax.CmdSubst:
			known = known && !w.asks(n)
		case *syntax.Word:
			if name := n.Lit(); n != set && syntax.ValidName(name) && !w.vars[name].Set {
				known = false
			}
		}
		return known
	})
	if w.spent += int(w.cost(x)); !known || w.spent > dearest {
		return 0, false
	}
	n, err := expand.Arithm(&expand.Config{Env: w}, x)
	return n, err == nil
}

// asks tells whether an expansion needs what only a shell or the environment has.
func (w *walker) asks(n syntax.Node) bool {
	p, ok := n.(*syntax.ParamExp)
	if !ok || p.Param == nil {
		return true
	}
	v := w.vars[p.Param.Value]
	return !v.Set || strings.Contains(v.Str, markOpen)
}
