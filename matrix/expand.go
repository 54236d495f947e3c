package matrix

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"gopkg.in/yaml.v3"
)

// row is one configuration of a side before its command is made: a value for each column.
type row struct {
	vals  []*value
	added *yaml.Node // the add rule that it comes from, nil for a row of the product
}

// droppedRow is a row that an exclude rule took out.
type droppedRow struct {
	vals []*value
	rule *rule
}

// expand makes the rows: product, derived values, exclude, add, patch, require.
// It reports what is wrong and tells whether rows are left.
func (sd *side) expand() bool {
	s := sd.nm.src
	before := s.errors
	width := len(sd.cols.names)
	product := 1
	for _, g := range sd.groups {
		product = multiply(product, g.size())
	}
	backing := make([]*value, product*width)
	counter := make([]int, len(sd.groups))
	sd.rows = make([]row, 0, product+len(sd.adds))
	for i := range product {
		r := row{vals: backing[i*width : (i+1)*width : (i+1)*width]}
		for k, g := range sd.groups {
			for _, a := range g.axes {
				r.vals[a.col] = a.values[counter[k]]
			}
		}
		sd.derive(&r)
		if !sd.excluded(r) {
			sd.rows = append(sd.rows, r)
		}
		for k := len(counter) - 1; k >= 0; k-- { // the last axis turns fastest
			if counter[k]++; counter[k] < sd.groups[k].size() {
				break
			}
			counter[k] = 0
		}
	}
	for _, a := range sd.adds {
		r := row{vals: make([]*value, width), added: a.node}
		copy(r.vals, a.vals)
		sd.derive(&r)
		sd.rows = append(sd.rows, r)
	}
	for i := range sd.rows {
		if failed := sd.apply(&sd.rows[i]); failed != nil {
			s.reportEval(failed, rows{own: sd.rows[i].vals}, sd.describe)
		}
		sd.require(sd.rows[i])
	}
	sd.reportIdle()
	if len(sd.rows) == 0 && s.errors == before {
		p := Problem{Pos: s.pos(sd.node), Rule: "empty", Message: fmt.Sprintf("no %s is left: every row is excluded", sd.name)}
		for _, r := range sd.excludes {
			p.Also = append(p.Also, s.pos(r.node))
		}
		s.report(p)
	}
	return len(sd.rows) > 0 && s.errors == before
}

// derive computes the derived values of a row.
func (sd *side) derive(r *row) {
	for _, d := range sd.derived {
		v, failed := d.tree.eval(rows{own: r.vals})
		if failed != nil {
			sd.nm.src.reportEval(failed, rows{own: r.vals}, sd.describe)
			v = nullValue
		}
		r.vals[d.col] = v
	}
}

// excluded asks every rule, so that a rule that overlaps another one is not
// taken for one that matches nothing; the first to match is the reason.
func (sd *side) excluded(r row) bool {
	var reason *rule
	for _, x := range sd.excludes {
		holds, failed := x.holds(r.vals)
		if failed != nil {
			sd.nm.src.reportEval(failed, rows{own: r.vals}, sd.describe)
			x.hits++ // what it would have matched is not known
		}
		if holds {
			x.hits++
			if reason == nil {
				reason = x
			}
		}
	}
	if reason != nil {
		sd.dropped = append(sd.dropped, droppedRow{r.vals, reason})
	}
	return reason != nil
}

func (sd *side) require(r row) {
	s := sd.nm.src
	in := rows{own: r.vals}
	for _, q := range sd.requires {
		if q.when != nil {
			holds, failed := q.when.truth(in)
			if failed != nil {
				s.reportEval(failed, in, sd.describe)
			}
			if !holds {
				continue
			}
		}
		q.hits++
		holds, failed := q.assert.truth(in)
		if failed != nil {
			s.reportEval(failed, in, sd.describe)
		} else if !holds {
			p := Problem{Pos: s.at(q.assert.node, q.assert.off), Len: utf8.RuneCountInString(q.assert.src), Rule: "require",
				Message: fmt.Sprintf("%s does not meet this requirement", sd.describe(in)), Suggestion: "exclude such rows, or change the requirement"}
			if q.why != "" {
				p.Message += ": " + q.why
			}
			if r.added != nil {
				p.Also = append(p.Also, s.pos(r.added))
			}
			s.reportRow(p)
		}
	}
}

// reportIdle reports the rules that chose no row: a typing mistake in most cases.
func (sd *side) reportIdle() {
	const hint = "a rule that does nothing is most often a typing mistake; take it out, or correct it"
	s := sd.nm.src
	for _, r := range sd.excludes {
		if r.hits == 0 {
			s.fail(r.node, "rule-matches-nothing", hint, "this exclude rule matches no row")
		}
	}
	for _, p := range sd.patches {
		if p.rule.hits == 0 {
			s.fail(p.rule.node, "rule-matches-nothing", hint, "this patch matches no row")
		}
	}
	for _, q := range sd.requires {
		if q.hits == 0 && q.when != nil && len(sd.rows) > 0 {
			s.fail(q.node, "rule-matches-nothing", hint, "when holds for no row, so this requirement asks nothing")
		}
	}
}

// describe names a row by its axes.
func (sd *side) describe(in rows) string {
	var parts []string
	for i, a := range sd.cols.axes {
		if a != nil && in.own[i] != nil {
			parts = append(parts, a.name+"="+in.own[i].label())
		}
	}
	return strings.Join(parts, " ")
}

// axes gives the axes of a row with the ids of its values.
func (sd *side) axesOf(vals []*value) Axes {
	out := make(Axes, 0, len(vals))
	for i, a := range sd.cols.axes {
		if a != nil {
			out = append(out, Axis{a.name, vals[i].id})
		}
	}
	return out
}
