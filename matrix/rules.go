package matrix

import (
	"servematrix/spelling"
	"strings"

	"gopkg.in/yaml.v3"
)

// addedRow is a full row that stands beside the product.
type addedRow struct {
	node *yaml.Node
	vals []*value // by column; derived ones are computed later
}

// requirement is a condition that every row (for which when holds) must meet.
type requirement struct {
	node   *yaml.Node
	assert *expression
	when   *expression
	why    string
	hits   int
}

// loadRules reads exclude, add, patch and require. Patched names become columns,
// so that every expression of this side can use them.
func (sd *side) loadRules(m *mapping) {
	s := sd.nm.src
	if e := m.entry("patch"); e != nil {
		sd.declarePatched(e.value)
	}
	if items, ok := sd.ruleItems(m, "exclude"); ok {
		for _, item := range items {
			if rm := s.keyed(item, "an exclude rule"); rm != nil {
				if r := sd.loadRule(rm); r != nil {
					sd.excludes = append(sd.excludes, r)
				}
			}
		}
	}
	if items, ok := sd.ruleItems(m, "add"); ok {
		for _, item := range items {
			sd.loadAdd(item)
		}
	}
	if items, ok := sd.ruleItems(m, "patch"); ok {
		for _, item := range items {
			sd.loadPatch(item)
		}
	}
	if items, ok := sd.ruleItems(m, "require"); ok {
		for _, item := range items {
			sd.loadRequire(item)
		}
	}
}

func (sd *side) ruleItems(m *mapping, key string) ([]*yaml.Node, bool) {
	e := m.entry(key)
	if e == nil {
		return nil, false
	}
	return sd.nm.src.items(e.value, sd.name+"."+key)
}

// loadAdd reads one full row: every axis by name, with a value of the axis (by
// its id where it has one) or a new one.
func (sd *side) loadAdd(n *yaml.Node) {
	s := sd.nm.src
	m := s.keyed(n, "an added row")
	if m == nil {
		return
	}
	r := addedRow{node: m.node, vals: make([]*value, len(sd.cols.names))}
	ok := m.ok
	for _, e := range m.entries {
		col, known := sd.cols.index[e.name]
		if !known || sd.cols.axes[col] == nil {
			s.fail(e.key, "unknown-reference", spelling.DidYouMean(e.name, sd.axisNames()), "%s has no axis %q", sd.name, e.name)
			ok = false
			continue
		}
		r.vals[col] = sd.addedValue(sd.cols.axes[col], e)
		ok = ok && r.vals[col] != nil
	}
	var missing []string
	for _, name := range sd.axisNames() {
		if m.get(name) == nil {
			missing = append(missing, name)
		}
	}
	if len(missing) > 0 {
		s.fail(n, "missing-key", "", "an added row names every axis; missing: %s", strings.Join(missing, ", "))
		ok = false
	}
	if ok {
		sd.adds = append(sd.adds, r)
	}
}

func (sd *side) addedValue(a *axis, e entry) *value {
	t := sd.consts.compileTree(e.value)
	if t == nil {
		return nil
	}
	withIDs := false
	var ids []string
	for _, v := range a.values {
		// The source text decides: 0.90 is not the axis's 0.9.
		if v.id == t.fixed.label() && (v.kind == object || v.kind == t.fixed.kind) {
			return v
		}
		withIDs = withIDs || v.kind == object
		ids = append(ids, v.id)
	}
	if withIDs && t.fixed.kind != object {
		sd.nm.src.fail(e.value, "unknown-reference", spelling.DidYouMean(t.fixed.label(), ids), "the axis %s has no value %q", a.name, t.fixed.label())
		return nil
	}
	return sd.axisValue(a, t.fixed, e.value)
}

func (sd *side) axisNames() []string {
	var out []string
	for i, name := range sd.cols.names {
		if sd.cols.axes[i] != nil {
			out = append(out, name)
		}
	}
	return out
}

// loadRequire reads an assertion: an expression, or {assert: EXPR, when: EXPR, why: TEXT}.
func (sd *side) loadRequire(n *yaml.Node) {
	s := sd.nm.src
	n = deref(n)
	if n.Kind == yaml.ScalarNode {
		if ex := sd.nm.condition(n, "a requirement"); ex != nil {
			sd.requires = append(sd.requires, &requirement{node: n, assert: ex})
		}
		return
	}
	m := s.keyed(n, "a requirement", namesOf(requireKeys)...)
	if m == nil {
		return
	}
	q := &requirement{node: n}
	ok := m.ok
	assert := m.get("assert")
	if assert == nil {
		s.fail(n, "missing-key", "write {assert: tp * dp <= 8, why: …}", "a requirement needs assert")
		return
	}
	q.assert = sd.nm.condition(assert, "assert")
	ok = ok && q.assert != nil
	if e := m.entry("when"); e != nil {
		q.when = sd.nm.condition(e.value, "when")
		ok = ok && q.when != nil
	}
	if e := m.entry("why"); e != nil {
		q.why = sd.consts.text(e.value, "why")
	}
	if ok {
		sd.requires = append(sd.requires, q)
	}
}
