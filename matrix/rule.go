package matrix

import (
	"fmt"
	"servematrix/spelling"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"
)

// rule chooses rows: those that have all the wanted values and for which when holds.
type rule struct {
	node  *yaml.Node
	match []matcher
	when  *expression
	why   string
	hits  int
}

// matcher is one wanted value of a rule, or several of which one is enough.
type matcher struct {
	name string
	col  int
	path []step
	want []*value
}

// loadRule reads the conditions of a rule: name: value, name: [values], when and why.
// Keys in further belong to the kind of rule and are left alone.
func (sd *side) loadRule(m *mapping, further ...string) *rule {
	s := sd.nm.src
	r := &rule{node: m.node}
	ok := m.ok
	for _, e := range m.entries {
		switch {
		case slices.Contains(further, e.name):
		case e.name == "when":
			r.when = sd.nm.condition(e.value, "when")
			ok = ok && r.when != nil
		case e.name == "why":
			r.why = sd.consts.text(e.value, "why")
		default:
			mt := sd.loadMatcher(e)
			if mt == nil {
				ok = false
				continue
			}
			r.match = append(r.match, *mt)
		}
	}
	if !ok {
		return nil
	}
	if len(r.match) == 0 && r.when == nil {
		s.fail(m.node, "empty", "name an axis value, or give when:", "this rule has no condition")
		return nil
	}
	return r
}

// loadMatcher reads name: value; name is an axis, a derived value or axis.field.
func (sd *side) loadMatcher(e entry) *matcher {
	s := sd.nm.src
	name, field, hasField := strings.Cut(e.name, ".")
	col, known := sd.cols.index[name]
	if !known {
		s.fail(e.key, "unknown-reference", spelling.DidYouMean(name, append(slices.Clone(sd.cols.names), "when", "why")), "%s has no axis or derived value %q", sd.name, name)
		return nil
	}
	m := &matcher{name: e.name, col: col}
	if hasField {
		m.path = []step{{name: field}}
	}
	t := sd.consts.compileTree(e.value)
	if t == nil {
		return nil
	}
	m.want = []*value{t.fixed}
	if t.fixed.kind == list {
		m.want = t.fixed.items
	}
	if a := sd.cols.axes[col]; a != nil {
		for _, w := range m.want {
			if !sd.hasValue(m, a, w) {
				sd.reportNoValue(e.value, m, a, w)
				return nil
			}
		}
	}
	return m
}

// hasValue tells whether any value of the axis, or of an added row, is the wanted one.
func (sd *side) hasValue(m *matcher, a *axis, want *value) bool {
	is := func(v *value) bool { got, err := walk(v, m.path, true); return err == nil && got.matches(want) }
	return slices.ContainsFunc(a.values, is) ||
		slices.ContainsFunc(sd.adds, func(r addedRow) bool { return r.vals[a.col] != nil && is(r.vals[a.col]) })
}

func (sd *side) reportNoValue(n *yaml.Node, m *matcher, a *axis, want *value) {
	var known []string
	suggestion := ""
	for _, v := range a.values {
		got, err := walk(v, m.path, true)
		if err != nil || got.kind == null {
			continue
		}
		label := got.label()
		if len(m.path) == 0 {
			label = v.id
		}
		if label == want.label() {
			suggestion = fmt.Sprintf("the axis has the %s %s, the rule the %s %s: write both alike", typeName(got), label, typeName(want), label)
		}
		known = append(known, label)
	}
	if suggestion == "" {
		suggestion = spelling.DidYouMean(want.label(), known)
	}
	if want.node != nil {
		n = want.node
	}
	sd.nm.src.fail(n, "rule-matches-nothing", suggestion, "%s is never %s", m.name, want.label())
}

func typeName(v *value) string {
	switch v.typed.(type) {
	case int, float64:
		return "number"
	case bool:
		return "truth value"
	}
	return "text"
}

// holds tells whether the rule chooses a row.
func (r *rule) holds(row []*value) (bool, *evalError) {
	for i := range r.match {
		m := &r.match[i]
		v := row[m.col]
		if v != nil && m.path != nil {
			v, _ = walk(v, m.path, true)
		}
		if v == nil || !slices.ContainsFunc(m.want, v.matches) {
			return false, nil
		}
	}
	if r.when == nil {
		return true, nil
	}
	return r.when.truth(rows{own: row})
}

// String describes the rule in a listing of what it dropped.
func (r *rule) String() string {
	if r.why != "" {
		return r.why
	}
	var parts []string
	for _, m := range r.match {
		var want []string
		for _, w := range m.want {
			want = append(want, w.label())
		}
		parts = append(parts, m.name+"="+strings.Join(want, "|"))
	}
	if r.when != nil {
		parts = append(parts, "when "+strings.TrimSpace(r.when.src))
	}
	return strings.Join(parts, " ")
}

// condition compiles an expression that stands bare or as one ${{ … }}.
func (nm *names) condition(n *yaml.Node, what string) *expression {
	if n.Kind != yaml.ScalarNode || n.ShortTag() == "!!null" {
		nm.src.wrongType(n, what, "an expression, such as tp * dp <= 8")
		return nil
	}
	segs, err := segments(n.Value)
	if err != nil {
		nm.src.reportUnclosed(n, err)
		return nil
	}
	off, src := 0, n.Value
	exprs := 0
	for _, seg := range segs {
		if seg.isExpr {
			exprs++
			off, src = seg.off, seg.text
		} else if strings.TrimSpace(seg.text) != "" {
			exprs += 2
		}
	}
	if exprs != 1 && exprs != 2 || strings.Contains(n.Value, opener) && exprs != 1 {
		nm.src.fail(n, "bad-expression", "write the whole condition as one expression: tp * dp <= 8", "%s is one expression, not a text with expressions in it", what)
		return nil
	}
	return nm.compile(n, off, src)
}

// text reads a text that is the same for every row; "" after reporting a problem.
func (nm *names) text(n *yaml.Node, what string) string {
	t := nm.compileTree(n)
	if t == nil {
		return ""
	}
	if t.fixed.kind != scalar || t.fixed.late {
		nm.src.wrongType(n, what, "a text")
		return ""
	}
	return t.fixed.plain()
}
