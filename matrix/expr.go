package matrix

import (
	"errors"
	"fmt"
	"maps"
	"servematrix/spelling"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/builtin"
	"github.com/expr-lang/expr/checker"
	"github.com/expr-lang/expr/compiler"
	"github.com/expr-lang/expr/conf"
	"github.com/expr-lang/expr/file"
	"github.com/expr-lang/expr/parser"
	"github.com/expr-lang/expr/vm"
	"gopkg.in/yaml.v3"
)

// expression is a compiled ${{ … }} or when:. It is compiled once and evaluated
// for many rows, by one goroutine.
type expression struct {
	node    *yaml.Node // the scalar that it stands in
	off     int        // byte of the scalar's value where it begins
	src     string
	refs    []*ref
	lone    bool // one reference alone: yields the value itself, with its source text
	program *vm.Program
	machine vm.VM
	env     map[string]any
}

// unpredictable are functions whose result changes from run to run: the clock,
// and those that go through a map in Go's random order.
var unpredictable = []string{"now", "keys", "values", "toPairs"}

// Functions are the names of what an expression can call.
func Functions() []string {
	return slices.DeleteFunc(slices.Clone(builtin.Names), func(name string) bool { return slices.Contains(unpredictable, name) })
}

// exprConfig is what an expression can use beside its references.
func exprConfig() *conf.Config {
	c := conf.CreateNew()
	for _, name := range unpredictable {
		c.Disabled[name] = true
		delete(c.Builtins, name)
	}
	c.WithEnv(map[string]any{})
	c.Strict = false // types of references are known only when evaluated
	return c
}

// compile compiles an expression that stands at byte off of a scalar's value;
// nil after reporting what is wrong.
func (nm *names) compile(node *yaml.Node, off int, src string) *expression {
	e := &expression{node: node, off: off, src: src, env: map[string]any{}}
	if strings.TrimSpace(src) == "" {
		nm.src.failAt(node, off, 1, "bad-expression", "", "an expression is missing here")
		return nil
	}
	config := exprConfig()
	tree, err := parser.ParseWithConfig(src, config)
	if err != nil {
		nm.reportExpr(e, err)
		return nil
	}
	found := collector{chains: map[ast.Node]*chain{}, locals: map[string]bool{}}
	ast.Walk(&tree.Node, &found)
	if nm.asText {
		ast.Walk(&tree.Node, textual{found.chains})
	}
	if !nm.resolveAll(e, &found, config) {
		return nil
	}
	root := tree.Node
	if c, ok := root.(*ast.ChainNode); ok {
		root = c.Node
	}
	if c := found.chains[root]; c != nil && len(e.refs) == 1 {
		e.lone = true
		return e
	}
	for _, r := range e.refs {
		if r.fixed != nil && r.fixed.hasLate() {
			nm.src.failAt(node, off+r.off, r.n, "late-value", "let it stand alone: ${{ "+r.text+" }}",
				fmt.Sprintf("%s %s, so nothing can be computed from it", r.text, whyLate(r.fixed)))
			return nil
		}
	}
	ast.Walk(&tree.Node, replacer{found.chains})
	// expr's optimizer is left out: it turns a list of texts into a map of texts, in which
	// `x in ["a", "b"]` cannot look up an x that is a number.
	if _, err = new(checker.Checker).Check(tree, config); err == nil {
		e.program, err = compiler.Compile(tree, config)
	}
	if err != nil {
		nm.reportExpr(e, err)
		return nil
	}
	return e
}

// resolveAll finds what the references mean; false after reporting those that mean nothing.
func (nm *names) resolveAll(e *expression, found *collector, config *conf.Config) bool {
	ok := true
	for _, call := range found.calls {
		name := call.String()
		name, _, _ = strings.Cut(name, "(")
		nm.src.failAt(e.node, e.off+byteAt(e.src, call.Location().From), utf8.RuneCountInString(name), "bad-expression",
			spelling.DidYouMean(name, slices.Sorted(maps.Keys(config.Builtins))), fmt.Sprintf("there is no function %s", name))
		ok = false
	}
	for _, node := range found.order {
		c := found.chains[node]
		if c == nil {
			continue
		}
		if found.locals[c.path[0].name] {
			delete(found.chains, node)
			continue
		}
		from, to := byteAt(e.src, c.from), byteAt(e.src, c.to)
		r := &ref{text: strings.TrimSpace(e.src[from:to]), off: from, n: c.to - c.from, optional: c.optional, asText: c.asText, path: c.path}
		if u := nm.resolve(r); u != nil {
			nm.src.failAt(e.node, e.off+from, r.n, u.rule, u.suggestion, u.message)
			ok = false
			continue
		}
		r.slot = "\x00" + strconv.Itoa(len(e.refs)) // no name that can be written
		c.slot = r.slot
		e.refs = append(e.refs, r)
	}
	return ok
}

// reportExpr reports an error of expr-lang with its place.
func (nm *names) reportExpr(e *expression, err error) {
	off, n, message := e.off, utf8.RuneCountInString(e.src), err.Error()
	var fe *file.Error
	if errors.As(err, &fe) {
		off, n, message = e.off+byteAt(e.src, fe.From), max(1, fe.To-fe.From), fe.Message
	}
	nm.src.failAt(e.node, off, n, "bad-expression", "", "in the expression: "+inWords(message))
}

// byteAt turns a place counted in characters into bytes.
func byteAt(s string, chars int) int {
	off := 0
	for ; chars > 0 && off < len(s); chars-- {
		_, size := utf8.DecodeRuneInString(s[off:])
		off += size
	}
	return off
}

// evalError is what goes wrong with an expression for one row.
type evalError struct {
	node       *yaml.Node
	off, n     int
	rule       string
	message    string
	suggestion string
	also       *yaml.Node // where the value that does not fit is written; can be nil
}

func (e *expression) failed(off, n int, rule, message string) *evalError {
	return &evalError{node: e.node, off: e.off + off, n: n, rule: rule, message: message}
}

// lost is the failure of a reference for a row.
func (e *expression) lost(r *ref, in rows, err error) *evalError {
	f := e.failed(r.off, r.n, "unknown-reference", err.Error())
	row := in.own
	if r.second {
		row = in.other
	}
	if r.fixed == nil && row[r.col] != nil {
		f.also = row[r.col].node
	}
	return f
}

// eval evaluates the expression for a row.
func (e *expression) eval(in rows) (*value, *evalError) {
	if e.lone {
		v, err := e.refs[0].get(in)
		if err != nil {
			return nil, e.lost(e.refs[0], in, err)
		}
		return v, nil
	}
	x, failed := e.run(in)
	if failed != nil {
		return nil, failed
	}
	v, err := fromAny(x)
	if err != nil {
		return nil, e.failed(0, utf8.RuneCountInString(e.src), "bad-expression", "the expression "+err.Error())
	}
	return v, nil
}

// run evaluates a computed expression.
func (e *expression) run(in rows) (any, *evalError) {
	for _, r := range e.refs {
		v, err := r.get(in)
		if err != nil {
			return nil, e.lost(r, in, err)
		}
		if v.hasLate() {
			return nil, e.failed(r.off, r.n, "late-value", fmt.Sprintf("%s is %s here; this %s, so nothing can be computed from it", r.text, v.label(), whyLate(v)))
		}
		if e.env[r.slot] = v.any(); r.asText && v.kind == scalar {
			e.env[r.slot] = v.plain()
		}
	}
	x, err := e.machine.Run(e.program, e.env)
	if err != nil {
		var fe *file.Error
		if errors.As(err, &fe) {
			return nil, e.failed(byteAt(e.src, fe.From), max(1, fe.To-fe.From), "bad-expression", "in the expression: "+inWords(fe.Message))
		}
		return nil, e.failed(0, 1, "bad-expression", "in the expression: "+inWords(err.Error()))
	}
	return x, nil
}

// truth evaluates a condition.
func (e *expression) truth(in rows) (bool, *evalError) {
	var x any
	if e.lone {
		v, failed := e.eval(in)
		if failed != nil {
			return false, failed
		}
		x = v.any()
	} else {
		var failed *evalError
		if x, failed = e.run(in); failed != nil {
			return false, failed
		}
	}
	b, ok := x.(bool)
	if !ok {
		return false, e.failed(0, utf8.RuneCountInString(e.src), "bad-expression", fmt.Sprintf("a condition must be true or false, this yields %v", x))
	}
	return b, nil
}
