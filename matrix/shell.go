package matrix

import (
	"strings"

	"gopkg.in/yaml.v3"
	"mvdan.cc/sh/v3/syntax"
)

// script is a shell: command before the row is known: text as it stands, and
// between it values that are put in as quoted words.
type script struct {
	node   *yaml.Node
	pieces []piece
}

// piece is a part of a script.
type piece struct {
	text   string // template of the run time, put in as it stands; or
	value  *part  // put in quoted
	around string // quote that the piece stands in: closed before it and opened again after it
	alone  bool   // the piece is a whole word: a list can be spliced in
	secret string // the piece is the value of a secret of this name
}

// loadShell reads a shell: script; nil after reporting what is wrong.
func (nm *names) loadShell(n *yaml.Node) *script {
	s := nm.src
	if !s.checkTag(n) {
		return nil
	}
	if n.Kind != yaml.ScalarNode || n.ShortTag() == "!!null" || strings.TrimSpace(n.Value) == "" {
		s.wrongType(n, "shell", "a script as one text")
		return nil
	}
	c := nm.cutOut(n)
	if c == nil {
		return nil
	}
	f := c.parse()
	if f == nil {
		return nil
	}
	if len(f.Stmts) == 0 {
		s.fail(n, "empty", "", "shell is empty")
		return nil
	}
	if last := lastCommand(f.Stmts[len(f.Stmts)-1]); last == nil || !isExec(last) {
		at := f.Stmts[len(f.Stmts)-1].Pos()
		if last != nil {
			at = last.Pos()
		}
		s.report(Problem{Pos: s.at(n, c.valueOffset(int(at.Offset()))), Severity: Warning, Rule: "no-exec", Suggestion: "write exec before the last command",
			Message: "the shell stays between servematrix and this program: signals and the exit status are the shell's"})
	}
	found := scanner{c: c}
	found.scan(f)
	if found.failed {
		return nil
	}
	return found.script(n)
}

// lastCommand is the command that a script ends with, nil when it is no simple one.
func lastCommand(st *syntax.Stmt) *syntax.CallExpr {
	if st.Background {
		return nil
	}
	switch cmd := st.Cmd.(type) {
	case *syntax.CallExpr:
		return cmd
	case *syntax.BinaryCmd:
		if cmd.Op == syntax.AndStmt {
			return lastCommand(cmd.Y)
		}
	}
	return nil
}

func isExec(call *syntax.CallExpr) bool { return len(call.Args) > 1 && call.Args[0].Lit() == "exec" }
