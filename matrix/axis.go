package matrix

import (
	"regexp"

	"gopkg.in/yaml.v3"
)

// loadAxis reads one axis and makes it a column; nil after reporting what is wrong.
func (sd *side) loadAxis(e entry) *axis {
	s := sd.consts.src
	if !sd.checkName(e.key, e.name, "the axis") {
		return nil
	}
	a := &axis{name: e.name, key: e.key}
	a.col = sd.cols.add(e.name, a)
	t := sd.consts.compileTree(e.value)
	if t == nil {
		return nil
	}
	v := t.fixed
	if v.kind != list {
		suggestion := ""
		if v.kind == scalar {
			suggestion = "write [" + v.plain() + "]"
		}
		s.fail(e.value, "wrong-type", suggestion, "the axis %s must be a list of values, this is %s", e.name, v.kind)
		return nil
	}
	if len(v.items) == 0 {
		s.fail(e.value, "empty", "", "the axis %s has no values, so nothing would run", e.name)
		return nil
	}
	seen := map[string]*value{}
	for _, item := range v.items {
		x := sd.axisValue(a, item, e.value)
		if x == nil {
			return nil
		}
		if first := seen[x.id]; first != nil {
			p := Problem{Pos: s.pos(e.value), Rule: "duplicate-value", Message: "the axis " + e.name + " has the value " + x.id + " twice"}
			if x.node != nil && first.node != nil {
				p.Pos, p.Len, p.Also = s.pos(x.node), s.width(x.node), []Pos{s.pos(first.node)}
			}
			s.report(p)
			return nil
		}
		seen[x.id] = x
		a.values = append(a.values, x)
	}
	return a
}

// axisValue makes a value of an axis: with an id that names it, and with what
// looks like a mistake pointed out; nil after reporting that it has no id.
func (sd *side) axisValue(a *axis, v *value, fallback *yaml.Node) *value {
	s := sd.consts.src
	at := v.node
	if at == nil {
		at = fallback
	}
	own := *v // values of vars can be shared by several axes
	if v.kind == object {
		id := v.field["id"]
		if id == nil || id.kind != scalar || id.text == "" || id.late {
			s.fail(at, "missing-key", "write {id: NAME, …}", "a value of the axis %s with fields needs an id that names it", a.name)
			return nil
		}
		own.id = id.plain()
	} else {
		own.id = v.label()
	}
	sd.warnSeveralFlags(&own, at)
	return &own
}

var severalFlags = regexp.MustCompile(`^--?[A-Za-z][^\s=]*\s+\S`)

// warnSeveralFlags points out a text such as "--tp 8": it stays one word of the
// command, which nobody means.
func (sd *side) warnSeveralFlags(v *value, at *yaml.Node) {
	if v.node != nil {
		at = v.node
	}
	if v.kind == scalar && severalFlags.MatchString(v.text) {
		sd.consts.src.warn(at, "several-flags", "write a list: ["+commaWords(v.plain())+"]", "this value stays one word of the command, spaces included")
	}
	for _, item := range v.items {
		sd.warnSeveralFlags(item, at)
	}
	for _, k := range v.keys {
		sd.warnSeveralFlags(v.field[k], at)
	}
}

var blanks = regexp.MustCompile(`\s+`)

func commaWords(s string) string { return blanks.ReplaceAllString(s, ", ") }
