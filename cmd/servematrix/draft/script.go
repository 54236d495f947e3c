package draft

import (
	"errors"
	"maps"
	"slices"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"
)

// deepest bounds functions that call themselves.
const deepest = 20

func (w *walker) stmts(list []*syntax.Stmt) {
	for _, s := range list {
		w.stmt(s)
		if w.leave != "" {
			return
		}
	}
}

// stmt follows one statement. Redirections and the background are left out:
// capturing output and supervising processes is what servematrix does.
func (w *walker) stmt(s *syntax.Stmt) {
	if w.followed++; s == nil || w.tired(s) {
		return
	}
	had := len(w.commands)
	defer func() {
		if len(w.commands) > had {
			w.left(had, around(s)...)
		}
	}()
	switch c := s.Cmd.(type) {
	case *syntax.CallExpr:
		w.call(c)
	case *syntax.DeclClause:
		w.declare(c)
	case *syntax.ForClause:
		w.loop(c)
	case *syntax.BinaryCmd:
		w.binary(c)
	case *syntax.Block:
		w.stmts(c.Stmts)
	case *syntax.Subshell:
		w.stmts(c.Stmts)
		w.leave = ""
	case *syntax.TimeClause:
		w.stmt(c.Stmt)
	case *syntax.WhileClause:
		w.stmts(c.Do)
		w.leave = ""
	case *syntax.IfClause:
		w.branch(c)
	case *syntax.CaseClause:
		w.choose(c)
	case *syntax.FuncDecl:
		if c.Name != nil { // a function without a name runs nowhere
			w.funcs[c.Name.Value] = c.Body
		}
	}
}

// around gives what stands around a statement, as it is written.
func around(s *syntax.Stmt) (written []string) {
	for _, r := range s.Redirs {
		text := r.Op.String() + source(r.Word)
		if r.N != nil {
			text = r.N.Value + text
		}
		written = append(written, text)
	}
	if s.Background {
		written = append(written, "&")
	}
	return written
}

func source(n syntax.Node) string {
	var b strings.Builder
	if syntax.NewPrinter(syntax.SingleLine(true)).Print(&b, n) != nil {
		return "…"
	}
	return b.String()
}

// left notes at the commands since had what stood around them.
func (w *walker) left(had int, written ...string) {
	for i := had; i < len(w.commands); i++ {
		w.commands[i].Left = append(w.commands[i].Left, written...)
	}
}

// binary follows a pipe, or the sides of && and || that can run.
func (w *walker) binary(c *syntax.BinaryCmd) {
	had := len(w.commands)
	if c.Op == syntax.Pipe || c.Op == syntax.PipeAll {
		if w.stmt(c.X); len(w.commands) > had {
			w.left(had, c.Op.String()+" "+source(c.Y))
		}
		had = len(w.commands)
		w.stmt(c.Y)
		for i := had; i < len(w.commands); i++ {
			w.commands[i].Piped = true
		}
		return
	}
	first := w.holds(c.X)
	w.stmt(c.X)
	switch {
	case w.leave != "":
	case first == unknown:
		w.stmt(c.Y)
		w.leave = "" // perhaps
	case (first == yes) == (c.Op == syntax.AndStmt):
		w.stmt(c.Y)
	}
}

func (w *walker) declare(c *syntax.DeclClause) {
	for _, a := range c.Args {
		if a.Name == nil {
			continue // an option
		}
		if !a.Naked {
			w.assign(a)
		}
		if c.Variant.Value == "export" && !slices.Contains(w.exported, a.Name.Value) {
			w.exported = append(w.exported, a.Name.Value)
		}
	}
}

// call follows a command: assignments alone, a function of the script, or a program.
func (w *walker) call(c *syntax.CallExpr) {
	if len(c.Args) == 0 {
		for _, a := range c.Assigns {
			w.assign(a)
		}
		return
	}
	argv, err := w.fields(c.Args...)
	if err != nil || len(argv) == 0 {
		var sub expand.UnexpectedCommandError
		if errors.As(err, &sub) || errors.Is(err, errRuns) {
			w.note(c, "a command with $(…) or <(…) is left out; use shell: for it")
		}
		if errors.Is(err, errWide) {
			w.note(c, "a command is left out: its words are too long, or too many")
		}
		return
	}
	switch argv[0] {
	case "shift":
		if w.depth > 0 {
			w.shift(argv[1:])
			return
		}
	case "continue", "break", "return", "exit":
		w.leave = argv[0]
		return
	}
	if body := w.funcs[argv[0]]; body != nil {
		w.enter(body, argv[1:])
		return
	}
	cmd := Command{Line: int(c.Pos().Line())}
	for _, name := range w.exported {
		if v := w.vars[name]; v.Set && v.Kind == expand.String {
			cmd.set(name, text(v.Str))
		}
	}
	for _, a := range c.Assigns {
		value, err := w.value(a.Value)
		if err != nil {
			value = markOpen + a.Name.Value + markClose
			w.note(a, "%s is set by something that only a shell can run; fill it in under vars", a.Name.Value)
		}
		cmd.set(a.Name.Value, text(value))
	}
	for _, word := range argv {
		if strings.Contains(word, "$"+markOpen) {
			w.note(c, "a $ directly before a variable cannot be written in a sweep; the command is left out")
			return
		}
	}
	for _, word := range cmd.unwrap(argv) {
		cmd.Argv = append(cmd.Argv, text(word))
	}
	if len(cmd.Argv) > 0 {
		w.commands = append(w.commands, cmd)
	}
}

// enter follows a function's body with its arguments, which are its own.
func (w *walker) enter(body *syntax.Stmt, args []string) {
	if w.depth >= deepest {
		return
	}
	before := map[string]expand.Variable{}
	for name, v := range arguments(args) {
		before[name] = w.vars[name]
		w.vars[name] = v
	}
	w.depth++
	w.stmt(body)
	w.depth--
	if w.leave == "return" {
		w.leave = ""
	}
	for name, v := range before {
		w.vars[name] = v
	}
}

// arguments are the variables by which a function sees what it was called with.
func arguments(args []string) map[string]expand.Variable {
	set := map[string]expand.Variable{"#": {Set: true, Kind: expand.String, Str: strconv.Itoa(len(args))}}
	for _, name := range []string{"@", "*"} {
		set[name] = expand.Variable{Set: true, Kind: expand.Indexed, List: args}
	}
	for i := range max(len(args), 9) {
		v := expand.Variable{}
		if i < len(args) {
			v = expand.Variable{Set: true, Kind: expand.String, Str: args[i]}
		}
		set[strconv.Itoa(i+1)] = v
	}
	return set
}

// shift drops a function's first arguments.
func (w *walker) shift(by []string) {
	n := 1
	if len(by) > 0 {
		n, _ = strconv.Atoi(by[0])
	}
	args := w.vars["@"].List
	w.spent += nodeCost * len(args)
	if n < 0 || n > len(args) {
		return
	}
	for i := len(args) - n; i < len(args); i++ {
		w.vars[strconv.Itoa(i+1)] = expand.Variable{}
	}
	maps.Copy(w.vars, arguments(args[n:]))
}
