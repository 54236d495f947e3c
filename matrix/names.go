package matrix

import (
	"fmt"
	"servematrix/spelling"
	"slices"
	"strings"
)

// names is what the expressions at one place of the sweep can refer to.
type names struct {
	src   *source
	side  string   // "server" or "client" for a place inside one of them
	vars  *value   // the sweep's vars; nil while vars themselves are read
	own   *columns // the row that an expression is evaluated for; nil outside of a side
	other *columns // pair.when: the row of the client, while own is the server's
	late  bool     // run-time values can stand here
	// asText: compared with a quoted text, a value is taken as text (see textual).
	asText bool
}

// columns are the names that a row has values for, in the order of its values.
type columns struct {
	side  string // first part under which they are known too: server, client; vars
	names []string
	axes  []*axis // of the same length; nil for a derived or patched name
	index map[string]int
}

func newColumns(side string) *columns { return &columns{side: side, index: map[string]int{}} }

// add gives a new column its place.
func (c *columns) add(name string, a *axis) int {
	c.index[name] = len(c.names)
	c.names, c.axes = append(c.names, name), append(c.axes, a)
	return len(c.names) - 1
}

// step is one further part of a reference: .name or [index].
type step struct {
	name    string
	index   int
	isIndex bool
}

// ref is one reference of an expression, such as load.prompts.
type ref struct {
	text     string
	slot     string // name of its value in the program
	off, n   int    // its place in the expression, in bytes
	optional bool   // written with ?. : yields null where there is nothing
	fixed    *value // what it yields everywhere, or nil: look into a row
	second   bool   // the row is the one of names.other
	col      int
	asText   bool // the program gets the text of the value
	axis     bool // the column is an axis: the bare name of a value with fields is its id
	path     []step
}

// rows are the values that an expression is evaluated for.
type rows struct{ own, other []*value }

// get looks a reference up.
func (r *ref) get(in rows) (*value, error) {
	if r.fixed != nil {
		return r.fixed, nil
	}
	row := in.own
	if r.second {
		row = in.other
	}
	v := row[r.col]
	if v == nil {
		if r.optional {
			return nullValue, nil
		}
		return nil, fmt.Errorf("%s has no value here: only a patch sets it, for other rows", r.text)
	}
	if len(r.path) == 0 {
		if r.axis && v.kind == object {
			return v.field["id"], nil
		}
		return v, nil
	}
	return walk(v, r.path, r.optional)
}

// walk follows the further parts of a reference into a value.
func walk(v *value, path []step, optional bool) (*value, error) {
	for _, p := range path {
		switch {
		case v.kind == object && !p.isIndex && v.field[p.name] != nil:
			v = v.field[p.name]
		case v.kind == list && p.isIndex && p.index < len(v.items):
			v = v.items[p.index]
		case optional:
			return nullValue, nil
		case p.isIndex && v.kind == list:
			return nil, fmt.Errorf("the list has %d values, so there is none at [%d]", len(v.items), p.index)
		case p.isIndex:
			return nil, fmt.Errorf("%s is %s, so [%d] means nothing", v.label(), v.kind, p.index)
		case v.kind == object:
			return nil, fmt.Errorf("%s has no field %q: %s", v.label(), p.name, spelling.DidYouMean(p.name, v.keys))
		default:
			return nil, fmt.Errorf("%s is %s and has no field %q", v.label(), v.kind, p.name)
		}
	}
	return v, nil
}

// unknown is a reference that leads nowhere.
type unknown struct{ rule, message, suggestion string }

func (nm *names) unknown(rule, suggestion, format string, args ...any) *unknown {
	return &unknown{rule, fmt.Sprintf(format, args...), suggestion}
}

// runtimeNames are the values that only the run knows, by their first part.
var runtimeNames = map[string][]string{
	"late":   {"port", "dir", "devices", "seed"},
	"server": {"url", "port"},
}

// resolve finds what a reference means. r.path holds all its parts at first and
// those that remain to be walked afterwards.
func (nm *names) resolve(r *ref) *unknown {
	root, rest := r.path[0].name, r.path[1:]
	first := ""
	if len(rest) > 0 && !rest[0].isIndex {
		first = rest[0].name
	}
	switch root {
	case "env":
		return nm.resolveEnv(r, first, len(rest))
	case "late":
		return nm.resolveRuntime(r, root, first, len(rest))
	case "vars":
		return nm.resolveVar(r, first, rest)
	case "server", "client":
		if root == "server" && nm.side == "client" {
			if slices.Contains(runtimeNames["server"], first) {
				return nm.resolveRuntime(r, root, first, len(rest))
			}
			return nm.unknown("unknown-reference", "a workload is expanded once for all servers; it can use ${{ server.url }} and ${{ server.port }}, and pair.when chooses the pairs",
				"a client does not know the axes of the server it will meet (%s)", r.text)
		}
		for _, c := range []*columns{nm.own, nm.other} {
			if c != nil && c.side == root {
				return nm.resolveColumn(r, c, first, rest[min(1, len(rest)):])
			}
		}
		suggestion := ""
		if nm.side == "server" {
			suggestion = "servers are expanded without their clients; pair.when chooses the pairs"
		}
		return nm.unknown("unknown-reference", suggestion, "%s is not known here", r.text)
	}
	if nm.own != nil && nm.own.side != "vars" {
		_, mine := nm.own.index[root]
		theirs := false
		if nm.other != nil {
			_, theirs = nm.other.index[root]
		}
		switch {
		case mine && theirs:
			return nm.unknown("unknown-reference", fmt.Sprintf("write server.%s or client.%s", root, root), "%s is in both server and client", root)
		case theirs:
			return nm.resolveColumn(r, nm.other, root, rest)
		case mine:
			return nm.resolveColumn(r, nm.own, root, rest)
		}
	}
	return nm.unknown("unknown-reference", spelling.DidYouMean(root, nm.known()), "unknown name %q", root)
}

// known lists the first parts that mean something here.
func (nm *names) known() []string {
	var out []string
	for _, c := range []*columns{nm.own, nm.other} {
		if c != nil && c.side != "vars" {
			out = append(out, c.names...)
			out = append(out, c.side)
		}
	}
	out = append(out, "vars", "env")
	if nm.late {
		out = append(out, "late")
	}
	slices.Sort(out)
	return slices.Compact(out) // a name that both sides have
}

func (nm *names) resolveColumn(r *ref, c *columns, name string, rest []step) *unknown {
	col, ok := c.index[name]
	if !ok {
		if name == "" {
			return nm.unknown("unknown-reference", spelling.DidYouMean(name, c.names), "%s alone means nothing, one of its names must follow", c.side)
		}
		return nm.unknown("unknown-reference", spelling.DidYouMean(name, c.names), "%s has no name %q", c.side, name)
	}
	r.col, r.second, r.axis, r.path = col, c == nm.other, c.axes[col] != nil, rest
	return nil
}

func (nm *names) resolveVar(r *ref, name string, rest []step) *unknown {
	if nm.vars == nil && nm.own != nil && nm.own.side == "vars" {
		return nm.resolveColumn(r, nm.own, name, rest[min(1, len(rest)):])
	}
	vars := nm.vars
	if vars == nil {
		vars = &value{kind: object}
	}
	if vars.field[name] == nil {
		if r.optional {
			r.fixed = nullValue
			return nil
		}
		return nm.unknown("unknown-reference", spelling.DidYouMean(name, vars.keys), "vars has no %q", name)
	}
	v, err := walk(vars.field[name], rest[1:], r.optional)
	if err != nil {
		return nm.unknown("unknown-reference", "", "%s: %v", r.text, err)
	}
	r.fixed = v
	return nil
}

func (nm *names) resolveEnv(r *ref, name string, parts int) *unknown {
	if name == "" || parts > 1 {
		return nm.unknown("unknown-reference", "write ${{ env.NAME }}", "%s names no environment variable", r.text)
	}
	v, ok := "", false
	if nm.src.opt.Getenv != nil {
		v, ok = nm.src.opt.Getenv(name)
	}
	switch {
	case !ok && r.optional:
		r.fixed = nullValue
	case !ok:
		return nm.unknown("unset-env", fmt.Sprintf("set it before, or give a default: ${{ env?.%s ?? \"…\" }}", name), "the environment variable %s is not set", name)
	case nm.src.isSecret(name):
		r.fixed = lateValue("env." + name)
	default:
		r.fixed = textValue(v, nil)
	}
	return nil
}

func (nm *names) resolveRuntime(r *ref, root, name string, parts int) *unknown {
	known := runtimeNames[root]
	switch {
	case parts != 1 || !slices.Contains(known, name):
		return nm.unknown("unknown-reference", spelling.DidYouMean(name, known), "%s is no value of the run time", r.text)
	case !nm.late:
		return nm.unknown("late-value", "", "%s is known only when the run has begun; it can stand in command, shell, args, env and port", r.text)
	case root == "late" && name == "port" && nm.side == "client":
		return nm.unknown("late-value", "write ${{ server.port }} or ${{ server.url }}", "late.port is the server's own name for its port")
	}
	r.fixed = lateValue(strings.Join([]string{root, name}, "."))
	return nil
}
