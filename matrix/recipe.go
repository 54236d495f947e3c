package matrix

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"
)

// recipe is what the variants of a side are made from: their command and
// settings, compiled once and evaluated for each row.
type recipe struct {
	sd       *side
	node     *yaml.Node // the command
	words    []word
	script   *script
	args     []arg
	env      []assignment
	unset    []string
	files    []*tree
	datasets []*tree // files that bench names: their content belongs to the identity too
	perRow   []*setting
	base     draft // a variant with the settings that are the same for every row
	origins  map[string]string
	failures int
}

// loadRecipe reads the command and the settings of a side; nil after reporting
// what is wrong.
func (sd *side) loadRecipe(m *mapping) *recipe {
	s := sd.nm.src
	before := s.errors
	r := &recipe{sd: sd, origins: map[string]string{}}
	r.loadProgram(m)
	if e := m.entry("env"); e != nil {
		r.loadEnv(e.value)
	}
	if e := m.entry("unset"); e != nil {
		r.loadUnset(e.value)
	}
	if e := m.entry("files"); e != nil {
		items, _ := s.items(e.value, "files")
		for _, item := range items {
			r.files = append(r.files, sd.nm.compileTree(item))
		}
	}
	for _, e := range m.entries {
		if !slices.Contains(scopeRules, e.name) {
			r.origins[e.name] = origin(s.pos(e.key))
		}
	}
	settings := sd.loadSettings(m)
	r.base = newDraft(sd.name)
	r.failures = settings.failures
	if settings.failures > 0 {
		r.base.server.Failure = make([]FailurePattern, settings.failures)
	}
	if settings.flush {
		r.base.server.Flush = &Flush{Method: "POST"}
	}
	if sd.name == "server" {
		r.base.server.Isolation = "cell"
		if r.origins["isolation"] == "" {
			r.origins["isolation"] = "default"
		}
	}
	for _, set := range settings.settings {
		if !strings.HasPrefix(set.key, "failure.") && !strings.HasPrefix(set.key, "flush.") {
			r.origins[set.key] = origin(s.pos(set.node))
		}
		if set.tree.fixed != nil {
			r.apply(set, r.base, set.tree.fixed, rows{})
		} else {
			r.perRow = append(r.perRow, set)
		}
	}
	for _, parent := range []string{"ready", "stop"} { // their keys have origins of their own
		delete(r.origins, parent)
	}
	if s.errors > before {
		return nil
	}
	return r
}

// scopeRules are the keys of a side that make its rows.
var scopeRules = []string{"axes", "zip", "derive", "exclude", "add", "patch", "require"}

func origin(p Pos) string { return fmt.Sprintf("%s:%d", p.File, p.Line) }

func newDraft(name string) draft {
	if name == "server" {
		s := &Server{}
		return draft{Variant: &s.Variant, server: s}
	}
	c := &Client{}
	return draft{Variant: &c.Variant, client: c}
}

// loadProgram reads command, shell or bench, and args.
func (r *recipe) loadProgram(m *mapping) {
	nm := *r.sd.nm
	nm.late = true
	s := nm.src
	var given []string
	for _, key := range []string{"command", "shell", "bench"} {
		if e := m.entry(key); e != nil {
			given = append(given, key)
			r.node = e.value
		}
	}
	switch {
	case len(given) == 0:
		s.fail(r.sd.node, "missing-key", "write command: PROGRAM WORDS…", "%s has no command", r.sd.name)
		return
	case len(given) > 1:
		s.fail(m.entry(given[1]).key, "conflict", "keep one of them", "%s has both %s and %s", r.sd.name, given[0], given[1])
		return
	}
	switch given[0] {
	case "command":
		r.words, r.env = nm.loadCommand(r.node, "command")
	case "shell":
		r.script = nm.loadShell(r.node)
	case "bench":
		r.words, r.args, _ = nm.loadBench(r.node)
		for _, a := range r.args {
			if a.flag == "--dataset-path" && a.value != nil {
				r.datasets = append(r.datasets, a.value)
			}
		}
	}
	e := m.entry("args")
	if e == nil {
		return
	}
	if given[0] == "shell" {
		s.fail(e.key, "conflict", "write the flags into the script", "args cannot be added to a shell script")
		return
	}
	args, _ := nm.loadArgs(e.value, "args")
	r.args = append(r.args, args...)
}

// loadEnv reads env, a map of variables; null takes one out of the inherited environment.
func (r *recipe) loadEnv(n *yaml.Node) {
	nm := *r.sd.nm
	nm.late = true
	s := nm.src
	m := s.keyed(n, "env")
	if m == nil {
		return
	}
	for _, e := range m.entries {
		if !isIdentifier(e.name) {
			s.fail(e.key, "bad-name", "", "%q cannot be the name of an environment variable", e.name)
			continue
		}
		if i := slices.IndexFunc(r.env, func(a assignment) bool { return a.name == e.name }); i >= 0 {
			s.report(Problem{Pos: s.pos(e.key), Len: s.width(e.key), Rule: "conflict", Also: []Pos{s.pos(r.env[i].key)},
				Message: e.name + " is set here and before the command", Suggestion: "keep one of them"})
			continue
		}
		if e.value.Kind != yaml.ScalarNode {
			s.wrongType(e.value, "the value of "+e.name, "a single value")
			continue
		}
		r.env = append(r.env, assignment{e.name, e.key, nm.compileTree(e.value)})
		r.origins["env."+e.name] = origin(s.pos(e.key))
	}
}

func (r *recipe) loadUnset(n *yaml.Node) {
	s := r.sd.nm.src
	items, _ := s.items(n, "unset")
	for _, item := range items {
		name := r.sd.consts.text(item, "a name in unset")
		if name == "" {
			continue
		}
		if !isIdentifier(name) {
			s.fail(item, "bad-name", "", "%q cannot be the name of an environment variable", name)
			continue
		}
		if slices.ContainsFunc(r.env, func(a assignment) bool { return a.name == name }) {
			s.fail(item, "conflict", "keep one of them", "%s is both set and unset", name)
			continue
		}
		r.unset = append(r.unset, name)
	}
}

// apply puts one setting into a variant and reports a value that does not fit.
func (r *recipe) apply(set *setting, d draft, v *value, in rows) {
	wrong, suggestion := set.set(d, v)
	if wrong == "" {
		return
	}
	s := r.sd.nm.src
	name := set.key
	p := Problem{Pos: s.pos(set.node), Len: s.width(set.node), Rule: "bad-value", Message: name + " " + wrong, Suggestion: suggestion}
	if in.own != nil {
		p.Message += " (for " + r.sd.describe(in) + ")"
	}
	if v.node != nil && v.node != set.node {
		p.Also = []Pos{s.pos(v.node)}
	}
	s.reportRow(p)
}

// copyBase starts a variant from the settings that all have in common.
func (r *recipe) copyBase() draft {
	if r.base.client != nil {
		c := *r.base.client
		c.Origins = maps.Clone(r.origins)
		return draft{Variant: &c.Variant, client: &c}
	}
	s := *r.base.server
	s.Origins = maps.Clone(r.origins)
	s.Failure = slices.Clone(s.Failure)
	if s.Flush != nil {
		flush := *s.Flush
		s.Flush = &flush
	}
	return draft{Variant: &s.Variant, server: &s}
}
