package draft

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"
)

// Command is one command of a script, its variables resolved. Words and values
// are texts of a sweep: ${{ vars.NAME }} stands where the script does not say.
type Command struct {
	Env   []Assign // in the order of the script
	Argv  []string
	Line  int      // in the script, from 1
	Piped bool     // it reads what another one prints
	Left  []string // what stood around it and is left out, as it is written
	Notes []string // what else its reader must know
}

// Assign is one variable set for a command.
type Assign struct{ Name, Value string }

// Commands finds the commands that a shell script would run, without running
// any: assignments are followed, loops over words unrolled, functions entered.
// Notes say what could not be taken over. The error is for a script that does not parse.
func Commands(script string) (commands []Command, notes []string, err error) {
	file, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(script), "")
	if err != nil {
		var p syntax.ParseError
		if errors.As(err, &p) {
			return nil, nil, fmt.Errorf("line %d: %s", p.Pos.Line(), p.Text)
		}
		return nil, nil, err
	}
	w := &walker{vars: map[string]expand.Variable{}, funcs: map[string]*syntax.Stmt{}, noted: map[string]bool{}}
	w.stmts(file.Stmts)
	return w.commands, w.notes, nil
}

// Told are the notes of one command, with what of it is left out.
func (c Command) Told() []string {
	if len(c.Left) == 0 {
		return c.Notes
	}
	return append(slices.Clone(c.Notes), fmt.Sprintf("line %d: left out, for servematrix starts, stops and captures by itself: %s", c.Line, strings.Join(c.Left, "  ")))
}

// markOpen and markClose enclose a variable that only the environment knows, until the
// shell's own expansion is done: letters of Unicode's private use.
const (
	markOpen  = "\ue0d0"
	markClose = "\ue0d1"
)

var marks = strings.NewReplacer(markOpen+"HOME"+markClose, "${{ env.HOME }}", markOpen, "${{ vars.", markClose, " }}")

// text turns an expanded word into a text of the sweep.
func text(word string) string {
	return marks.Replace(strings.ReplaceAll(word, "${{", "$${{"))
}

// walker follows a script.
type walker struct {
	vars     map[string]expand.Variable
	exported []string // names, in order
	funcs    map[string]*syntax.Stmt
	depth    int // of function calls
	followed int // statements and rounds
	spent    int // on words, in bytes
	commands []Command
	notes    []string
	noted    map[string]bool
	plain    map[string]bool // variables that the words in hand use without a default
	gaveUp   bool            // that the script is too long was said
	leave    string          // continue, break, return or exit that is under way
}

func (w *walker) note(n syntax.Node, format string, args ...any) {
	w.noteText(w.at(n, fmt.Sprintf(format, args...)))
}

func (w *walker) at(n syntax.Node, text string) string {
	return fmt.Sprintf("line %d: %s", n.Pos().Line(), text)
}

func (w *walker) noteText(text string) {
	if !w.noted[text] {
		w.noted[text] = true
		w.notes = append(w.notes, text)
	}
}

// Get looks a shell variable up for the expansion: one that the script does not
// set is left to the environment, unless its use has a default.
func (w *walker) Get(name string) expand.Variable {
	if v, ok := w.vars[name]; ok {
		return v
	}
	if w.plain[name] {
		if name[0] <= '9' {
			name = "ARG" + name // of the script itself
		}
		return expand.Variable{Set: true, Kind: expand.String, Str: markOpen + name + markClose}
	}
	return expand.Variable{}
}

// Set lets arithmetic and ${x:=y} change a variable.
func (w *walker) Set(name string, v expand.Variable) error {
	w.vars[name] = v
	return nil
}

// Each is part of expand.Environ; no expansion of words needs it.
func (w *walker) Each(func(string, expand.Variable) bool) {}

// fields expands words as the shell would.
func (w *walker) fields(words ...*syntax.Word) ([]string, error) {
	w.plain = map[string]bool{"HOME": true}
	for _, word := range words {
		runs := false
		syntax.Walk(word, func(n syntax.Node) bool {
			if _, ok := n.(*syntax.ProcSubst); ok {
				runs = true
			}
			if p, ok := n.(*syntax.ParamExp); ok && p.Param != nil && p.Exp == nil {
				w.plain[p.Param.Value] = syntax.ValidName(p.Param.Value) || w.depth == 0 && len(p.Param.Value) == 1 && strings.Contains("123456789", p.Param.Value)
			}
			return true
		})
		if runs {
			return nil, errRuns
		}
	}
	if err := w.afford(words); err != nil {
		return nil, err
	}
	return expand.Fields(&expand.Config{Env: w}, words...)
}

// errRuns is a <(…), whose end only a shell can open.
var errRuns = errors.New("a command's output as a file")

// value expands the right side of an assignment.
func (w *walker) value(word *syntax.Word) (string, error) {
	if word == nil {
		return "", nil
	}
	if _, err := w.fields(word); err != nil { // notes the plain variables, too
		return "", err
	}
	return expand.Literal(&expand.Config{Env: w}, word)
}

// errKeyed is an array by keys, which only a shell keeps.
var errKeyed = errors.New("an array with keys")

// assign takes an assignment in; one that cannot be known makes the variable unknown.
func (w *walker) assign(a *syntax.Assign) (string, bool) {
	name := a.Name.Value
	v := expand.Variable{Set: true, Kind: expand.String}
	var err error
	switch {
	case a.Array != nil:
		v.Kind = expand.Indexed
		var words []*syntax.Word
		for _, e := range a.Array.Elems {
			if e.Index != nil || e.Value == nil {
				err = errKeyed
				continue
			}
			words = append(words, e.Value)
		}
		if err == nil {
			v.List, err = w.fields(words...)
		}
		if old := w.vars[name]; a.Append && old.Kind == expand.Indexed {
			w.spent += len(old.List)
			v.List = append(append([]string{}, old.List...), v.List...)
		}
	default:
		v.Str, err = w.value(a.Value)
		if a.Append {
			w.spent += len(w.vars[name].Str)
			v.Str = w.vars[name].Str + v.Str
		}
	}
	if err != nil {
		w.note(a, "%s is set by something that only a shell can run; fill it in under vars", name)
		delete(w.vars, name)
		return "", false
	}
	w.vars[name] = v
	return v.Str, true
}
