package matrix

import (
	"fmt"
	"servematrix/spelling"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"
)

// patch writes values into the rows that its rule chooses.
type patch struct {
	rule *rule
	set  []write
}

// write is one value that a patch sets: a name, or a field of an axis value.
type write struct {
	key   *yaml.Node
	name  string
	col   int
	field string
	tree  *tree
}

// declarePatched makes columns of the names that patches introduce.
func (sd *side) declarePatched(n *yaml.Node) {
	if n.Kind != yaml.SequenceNode {
		return
	}
	for _, item := range n.Content {
		item = deref(item)
		if item.Kind != yaml.MappingNode {
			continue
		}
		for i := 0; i+1 < len(item.Content); i += 2 {
			set := deref(item.Content[i+1])
			if item.Content[i].Value != "set" || set.Kind != yaml.MappingNode {
				continue
			}
			for j := 0; j+1 < len(set.Content); j += 2 {
				name := set.Content[j].Value
				if _, known := sd.cols.index[name]; !known && !strings.Contains(name, ".") && sd.checkName(set.Content[j], name, "the patched value") {
					sd.cols.add(name, nil)
				}
			}
		}
	}
}

func (sd *side) loadPatch(n *yaml.Node) {
	s := sd.nm.src
	m := s.keyed(n, "a patch", namesOf(patchKeys)...)
	if m == nil {
		return
	}
	conditions := &mapping{node: m.node, ok: m.ok}
	if match := m.get("match"); match != nil {
		inner := s.keyed(match, "match")
		if inner == nil {
			return
		}
		conditions.ok = conditions.ok && inner.ok
		conditions.entries = inner.entries
	}
	for _, key := range []string{"when", "why"} {
		if e := m.entry(key); e != nil {
			conditions.entries = append(conditions.entries, *e)
		}
	}
	p := &patch{rule: sd.loadRule(conditions)}
	set := m.get("set")
	if set == nil {
		s.fail(n, "missing-key", "write set: {name: value}", "a patch needs set")
		return
	}
	sm := s.keyed(set, "set")
	if sm == nil {
		return
	}
	ok := sm.ok && p.rule != nil
	for _, e := range sm.entries {
		name, field, hasField := strings.Cut(e.name, ".")
		col, known := sd.cols.index[name]
		switch {
		case !known:
			if hasField {
				s.fail(e.key, "unknown-reference", spelling.DidYouMean(name, sd.cols.names), "%s has no axis %q", sd.name, name)
			}
			ok = false // else declarePatched has reported the name
			continue
		case sd.cols.axes[col] != nil && (!hasField || field == "id"):
			s.fail(e.key, "bad-value", "exclude the row and add another one", "a patch cannot set the axis %s itself: the row would bear a wrong name", name)
			ok = false
			continue
		case sd.cols.axes[col] == nil && hasField:
			s.fail(e.key, "bad-value", "set "+name+" as a whole", "only axis values have fields that can be set")
			ok = false
			continue
		}
		nm := *sd.nm
		nm.late = true
		t := nm.compileTree(e.value)
		ok = ok && t != nil
		p.set = append(p.set, write{e.key, e.name, col, field, t})
	}
	if ok {
		sd.patches = append(sd.patches, p)
	}
}

// apply writes the patches into a row, each as seen on the row before any patch.
func (sd *side) apply(r *row) *evalError {
	type written struct {
		by write
		v  *value
	}
	var done []written
	for _, p := range sd.patches {
		holds, failed := p.rule.holds(r.vals)
		if failed != nil {
			p.rule.hits++ // what it would have matched is not known
			return failed
		}
		if !holds {
			continue
		}
		p.rule.hits++
		for _, w := range p.set {
			v, failed := w.tree.eval(rows{own: r.vals})
			if failed != nil {
				return failed
			}
			i := slices.IndexFunc(done, func(d written) bool { return d.by.name == w.name })
			if i >= 0 && (done[i].v.label() != v.label() || done[i].v.kind != v.kind) {
				s := sd.nm.src
				s.reportRow(Problem{Pos: s.pos(w.key), Len: s.width(w.key), Rule: "patch-conflict", Also: []Pos{s.pos(done[i].by.key)},
					Message:    fmt.Sprintf("two patches set %s for %s: to %s and to %s", w.name, sd.describe(rows{own: r.vals}), done[i].v.label(), v.label()),
					Suggestion: "narrow the match of one of them"})
			}
			done = append(done, written{w, v})
		}
	}
	for _, d := range done {
		if d.by.field == "" {
			r.vals[d.by.col] = d.v
			continue
		}
		old := r.vals[d.by.col]
		if old.kind != object {
			return &evalError{node: d.by.key, n: len([]rune(d.by.name)), rule: "bad-value", message: fmt.Sprintf("%s has no fields, so %s cannot be set", old.label(), d.by.name)}
		}
		r.vals[d.by.col] = old.with(d.by.field, d.v)
	}
	return nil
}

// with is a copy of an object with one field set.
func (v *value) with(name string, x *value) *value {
	out := *v
	out.field = make(map[string]*value, len(v.field)+1)
	for k, f := range v.field {
		out.field[k] = f
	}
	if out.field[name] == nil {
		out.keys = append(slices.Clone(v.keys), name)
	}
	out.field[name] = x
	return &out
}
