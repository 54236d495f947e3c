package matrix

import (
	"fmt"
	"strings"
)

// definition is a named value that can refer to others of its kind: a derived
// value, or one of vars.
type definition struct {
	entry
	col  int
	tree *tree
}

// define compiles definitions and puts them in an order in which each comes
// after those it refers to; nil after reporting what is wrong. Their columns
// are in nm.own already.
func (nm *names) define(entries []entry) []*definition {
	byCol := map[int]*definition{}
	var all []*definition
	ok := true
	for _, e := range entries {
		d := &definition{entry: e, col: nm.own.index[e.name], tree: nm.compileTree(e.value)}
		ok = ok && d.tree != nil
		byCol[d.col] = d
		all = append(all, d)
	}
	if !ok {
		return nil
	}
	var order []*definition
	state := map[*definition]int{} // 1: on the way, 2: done
	var visit func(d *definition, way []*definition) bool
	visit = func(d *definition, way []*definition) bool {
		if state[d] == 2 {
			return true
		}
		state[d] = 1
		way = append(way, d)
		good := true
		d.tree.references(func(e *expression, r *ref) {
			to := byCol[r.col]
			switch {
			case r.fixed != nil || r.second || to == nil || !good:
			case state[to] == 1:
				nm.reportCycle(e, r, to, way)
				good = false
			default:
				good = visit(to, way)
			}
		})
		state[d] = 2
		order = append(order, d)
		return good
	}
	for _, d := range all {
		if !visit(d, nil) {
			return nil
		}
	}
	return order
}

// reportCycle reports that the reference r closes a circle; way holds the
// definitions that were gone through.
func (nm *names) reportCycle(e *expression, r *ref, to *definition, way []*definition) {
	for way[0] != to {
		way = way[1:]
	}
	var path []string
	p := Problem{Pos: nm.src.at(e.node, e.off+r.off), Len: r.n, Rule: "cycle"}
	for _, d := range way {
		path = append(path, d.name)
		p.Also = append(p.Also, nm.src.pos(d.key))
	}
	p.Message = fmt.Sprintf("%s → %s is a circle: no value can come first", strings.Join(path, " → "), to.name)
	nm.src.report(p)
}

// loadDerive reads derive: names whose values are computed for each row.
func (sd *side) loadDerive(m *mapping) {
	e := m.entry("derive")
	if e == nil {
		return
	}
	derive := sd.nm.src.keyed(e.value, sd.name+".derive")
	if derive == nil {
		return
	}
	var good []entry
	for _, d := range derive.entries {
		if sd.checkName(d.key, d.name, "the derived value") {
			sd.cols.add(d.name, nil)
			good = append(good, d)
		}
	}
	nm := *sd.nm
	nm.late = true // a derived text can hold them; nothing can be computed from them
	sd.derived = nm.define(good)
}
