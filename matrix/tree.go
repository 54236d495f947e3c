package matrix

import (
	"fmt"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"
)

// tree is a YAML value with the expressions in its scalars compiled.
type tree struct {
	node  *yaml.Node
	fixed *value  // its value, when it is the same for every row
	parts []part  // of a scalar
	items []*tree // of a list
	keys  []string
	field map[string]*tree // of a mapping
}

// part is a piece of a scalar: text (as a template of the run time) or an expression.
type part struct {
	text string
	ex   *expression
}

// compileTree compiles a node and everything below it; nil after reporting
// what is wrong.
func (nm *names) compileTree(n *yaml.Node) *tree {
	n = deref(n)
	t := &tree{node: n}
	switch n.Kind {
	case yaml.SequenceNode:
		for _, c := range n.Content {
			item := nm.compileTree(c)
			t.items = append(t.items, item)
		}
		if slices.Contains(t.items, nil) {
			return nil
		}
	case yaml.MappingNode:
		t.field = map[string]*tree{}
		entries, ok := nm.src.entries(n)
		for _, e := range entries {
			sub := nm.compileTree(e.value)
			ok = ok && sub != nil
			t.keys, t.field[e.name] = append(t.keys, e.name), sub
		}
		if !ok {
			return nil
		}
	default:
		parts, ok := nm.compileScalar(n)
		if !ok {
			return nil
		}
		t.parts = parts
	}
	return nm.fold(t)
}

// fold evaluates a tree at once when it depends on no row.
func (nm *names) fold(t *tree) *tree {
	if t.perRow() {
		return t
	}
	v, failed := t.eval(rows{})
	if failed != nil {
		nm.src.reportEval(failed, rows{}, nil)
		return nil
	}
	t.fixed = v
	return t
}

// reportEval reports what went wrong in an expression, with the row that it went wrong for.
func (s *source) reportEval(e *evalError, in rows, describe func(rows) string) {
	message := e.message
	if describe != nil {
		if row := describe(in); row != "" {
			message += " (for " + row + ")"
		}
	}
	p := Problem{Pos: s.at(e.node, e.off), Len: e.n, Rule: e.rule, Message: message, Suggestion: e.suggestion}
	if e.also != nil {
		p.Also = []Pos{s.pos(e.also)}
	}
	s.reportRow(p)
}

// compileScalar takes the expressions out of a scalar and compiles them.
func (nm *names) compileScalar(n *yaml.Node) ([]part, bool) {
	if !nm.src.checkTag(n) {
		return nil, false
	}
	if !strings.Contains(n.Value, opener) {
		return []part{{text: n.Value}}, true
	}
	segs, err := segments(n.Value)
	if err != nil {
		nm.src.reportUnclosed(n, err)
		return nil, false
	}
	var parts []part
	ok := true
	for _, seg := range segs {
		if !seg.isExpr {
			parts = append(parts, part{text: escape(seg.text)})
			continue
		}
		ex := nm.compile(n, seg.off, seg.text)
		ok = ok && ex != nil
		parts = append(parts, part{ex: ex})
	}
	return parts, ok
}

// perRow tells whether any part of the tree depends on the row.
func (t *tree) perRow() bool {
	for _, p := range t.parts {
		if p.ex != nil && p.ex.perRow() {
			return true
		}
	}
	if slices.ContainsFunc(t.items, (*tree).perRow) {
		return true
	}
	for _, k := range t.keys {
		if t.field[k].perRow() {
			return true
		}
	}
	return false
}

func (e *expression) perRow() bool {
	return slices.ContainsFunc(e.refs, func(r *ref) bool { return r.fixed == nil })
}

// references calls visit for every reference in the tree.
func (t *tree) references(visit func(*expression, *ref)) {
	for _, p := range t.parts {
		if p.ex != nil {
			for _, r := range p.ex.refs {
				visit(p.ex, r)
			}
		}
	}
	for _, item := range t.items {
		item.references(visit)
	}
	for _, k := range t.keys {
		t.field[k].references(visit)
	}
}

// eval gives the value of the tree for a row.
func (t *tree) eval(in rows) (*value, *evalError) {
	if t.fixed != nil {
		return t.fixed, nil
	}
	switch t.node.Kind {
	case yaml.SequenceNode:
		out := &value{kind: list, node: t.node}
		for _, item := range t.items {
			v, failed := item.eval(in)
			if failed != nil {
				return nil, failed
			}
			if v.kind == list && item.node.Kind == yaml.ScalarNode {
				out.items = append(out.items, v.items...) // one ${{ }} alone that yields a list is spliced in
			} else {
				out.items = append(out.items, v)
			}
		}
		return out, nil
	case yaml.MappingNode:
		out := &value{kind: object, keys: t.keys, field: make(map[string]*value, len(t.keys)), node: t.node}
		for _, k := range t.keys {
			v, failed := t.field[k].eval(in)
			if failed != nil {
				return nil, failed
			}
			out.field[k] = v
		}
		return out, nil
	}
	return t.evalScalar(in)
}

func (t *tree) evalScalar(in rows) (*value, *evalError) {
	if len(t.parts) == 1 && t.parts[0].ex == nil {
		if t.node.ShortTag() == "!!null" {
			return &value{kind: null, node: t.node}, nil
		}
		v := &value{kind: scalar, text: t.parts[0].text, node: t.node}
		if strings.Contains(v.text, opener) {
			v.typed = v.plain()
		} else {
			v.typed = scalarType(t.node)
		}
		return v, nil
	}
	if len(t.parts) == 1 {
		return t.parts[0].ex.eval(in)
	}
	text, failed := joinParts(t.node, t.parts, in)
	if failed != nil {
		return nil, failed
	}
	v := &value{kind: scalar, text: text, node: t.node}
	if v.late = hasPlaceholder(text); !v.late {
		v.typed = v.plain()
	}
	return v, nil
}

// joinParts puts the values of expressions between the text around them.
func joinParts(node *yaml.Node, parts []part, in rows) (string, *evalError) {
	var texts [8]string
	out := texts[:0]
	for _, p := range parts {
		if p.ex == nil {
			out = append(out, p.text)
			continue
		}
		v, failed := p.ex.eval(in)
		if failed != nil {
			return "", failed
		}
		if v.kind != scalar {
			f := p.ex.failed(0, len([]rune(p.ex.src)), "list-in-word", fmt.Sprintf("this yields %s, which cannot be part of a longer word", v.kind))
			f.also = v.node
			if v.kind == list {
				f.suggestion = "let ${{ … }} stand alone as a word of its own, or join the list: ${{ join(…, \",\") }}"
			}
			return "", f
		}
		out = append(out, v.text)
	}
	text, err := concat(out...)
	if err != nil {
		return "", &evalError{node: node, n: 1, rule: "late-value", message: err.Error()}
	}
	return text, nil
}
