package matrix

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"gopkg.in/yaml.v3"
)

// Options hand in what a plan needs from outside of its sweep. The zero value
// knows no environment and leaves the digests of listed files empty.
type Options struct {
	// Getenv gives the environment variables that ${{ env.NAME }} reads.
	Getenv func(name string) (string, bool)
	// Digest gives the SHA-256, in hex, of a file listed under files:, by the path
	// that the sweep writes. What a relative path is relative to is the caller's choice.
	Digest func(path string) (sha256hex string, err error)
}

// Load reads, validates and expands a sweep file. The plan is nil when one of
// the problems is an error.
func Load(path string, opt Options) (*Plan, Problems) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, Problems{{Pos: Pos{path, 1, 1}, Severity: Error, Rule: "file", Message: fmt.Sprintf("cannot read the sweep: %v", err)}}
	}
	return Parse(path, text, opt)
}

// Parse validates and expands a sweep; name is the file name in the problems' places.
func Parse(name string, src []byte, opt Options) (*Plan, Problems) {
	sw := &sweep{source: newSource(name, src, opt)}
	plan := sw.load()
	sw.problems.sort()
	sw.problems = sw.problems.joined("unset-env")
	if sw.problems.HasErrors() {
		return nil, sw.problems
	}
	return plan, sw.problems
}

// sweep is a sweep file on its way to a plan.
type sweep struct {
	*source
	plan      *Plan
	consts    *names     // for values that are the same everywhere
	unordered *yaml.Node // run.blocks, where there is more than one and no run.order
}

func (sw *sweep) load() *Plan {
	root := sw.parse()
	if root == nil {
		return nil
	}
	m := sw.keyed(root, "the sweep", namesOf(topKeys)...)
	if m == nil {
		return nil
	}
	sw.consts = &names{src: sw.source}
	sw.plan = &Plan{Schema: 1}
	sw.loadVersion(m)
	sw.plan.Secrets = sw.texts(m, "secrets")
	sw.secretNames = sw.plan.Secrets
	sw.loadVars(m)
	sw.loadName(m)
	sw.loadTop(m)
	server, client := sw.loadSide(m, "server"), sw.loadSide(m, "client")
	pair := sw.loadPair(m, server, client)
	if server == nil || client == nil {
		return nil
	}
	sw.expandAll(server, client, pair)
	sw.plan.hideSecrets(func(name string) (string, bool) {
		if sw.opt.Getenv == nil {
			return "", false
		}
		return sw.opt.Getenv(name)
	})
	return sw.plan
}

func (sw *sweep) loadVersion(m *mapping) {
	switch e := m.entry("version"); {
	case e == nil:
		sw.fail(m.node, "missing-key", "write version: 1", "the sweep does not say its version")
	case e.value.Value != "1" || e.value.Kind != yaml.ScalarNode:
		sw.fail(e.value, "bad-value", "write version: 1", "this servematrix reads version 1 of the sweep format only")
	}
}

var goodName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`)

// loadName reads the name, which becomes part of a folder's name; the file's own
// name is the default.
func (sw *sweep) loadName(m *mapping) {
	base := filepath.Base(sw.file)
	sw.plan.Name = slug(strings.TrimSuffix(base, filepath.Ext(base)), maxSlug)
	e := m.entry("name")
	if e == nil {
		return
	}
	name := sw.consts.text(e.value, "name")
	if name == "" && sw.errors > 0 {
		return
	}
	if !goodName.MatchString(name) {
		sw.fail(e.value, "bad-value", "write "+slug(name, maxSlug), "the name %q cannot be part of a folder's name", name)
	}
	sw.plan.Name = name
}

// texts reads a list of texts at the top of the sweep.
func (sw *sweep) texts(m *mapping, key string) []string {
	out := []string{}
	e := m.entry(key)
	if e == nil {
		return out
	}
	items, _ := sw.items(e.value, key)
	for _, item := range items {
		if s := sw.consts.text(item, "an entry of "+key); s != "" {
			out = append(out, s)
		}
	}
	return out
}

// loadVars reads vars; they can refer to one another and to env.
func (sw *sweep) loadVars(m *mapping) {
	sw.consts.vars = &value{kind: object, field: map[string]*value{}}
	e := m.entry("vars")
	if e == nil {
		return
	}
	vm := sw.keyed(e.value, "vars")
	if vm == nil {
		return
	}
	cols := newColumns("vars")
	for _, v := range vm.entries {
		cols.add(v.name, nil)
	}
	nm := &names{src: sw.source, own: cols, late: true}
	defs := nm.define(vm.entries)
	row := rows{own: make([]*value, len(cols.names))}
	for _, d := range defs {
		v, failed := d.tree.eval(row)
		if failed != nil {
			sw.reportEval(failed, row, nil)
			v = nullValue
		}
		row.own[d.col] = v
	}
	for i, name := range cols.names {
		v := row.own[i]
		if v == nil { // a problem is reported; the name is known all the same
			v = nullValue
		}
		sw.consts.vars.keys = append(sw.consts.vars.keys, name)
		sw.consts.vars.field[name] = v
	}
}

// loadedSide is a side with what its variants are made from.
type loadedSide struct {
	*side
	recipe *recipe // nil when it has problems
	ok     bool    // its rows can be expanded
}

func (sw *sweep) loadSide(m *mapping, name string) *loadedSide {
	e := m.entry(name)
	if e == nil {
		sw.fail(m.node, "missing-key", "write "+name+": {command: …}", "the sweep has no %s", name)
		return nil
	}
	sm := sw.keyed(e.value, name, namesOf(keyOf(topKeys, name).Keys)...)
	if sm == nil {
		return nil
	}
	consts := *sw.consts
	consts.side, consts.late = name, true
	sd := &side{name: name, consts: &consts, cols: newColumns(name), node: e.key}
	sd.nm = &names{src: sw.source, side: name, vars: sw.consts.vars, own: sd.cols}
	before := sw.errors
	sd.loadAxes(sm)
	sd.loadDerive(sm)
	sd.loadRules(sm)
	out := &loadedSide{side: sd, ok: sw.errors == before}
	out.recipe = sd.loadRecipe(sm)
	return out
}

// pairRule is pair.when with its reason.
type pairRule struct {
	node *yaml.Node
	when *expression
	why  string
}

// loadPair reads pair and checks that no axis is in both sides.
func (sw *sweep) loadPair(m *mapping, server, client *loadedSide) *pairRule {
	e := m.entry("pair")
	var pm *mapping
	if e != nil {
		pm = sw.keyed(e.value, "pair", namesOf(pairKeys)...)
	}
	if server == nil || client == nil {
		return nil
	}
	for i, name := range client.cols.names {
		a := client.cols.axes[i]
		if k, both := server.cols.index[name]; a != nil && both && server.cols.axes[k] != nil {
			sw.report(Problem{Pos: sw.pos(a.key), Len: sw.width(a.key), Rule: "same-axis", Also: []Pos{sw.pos(server.cols.axes[k].key)},
				Message: fmt.Sprintf("server and client both have the axis %s", name), Suggestion: "give one of them another name"})
		}
	}
	if pm == nil {
		return nil
	}
	when := pm.entry("when")
	if when == nil {
		sw.fail(e.value, "missing-key", "write pair: {when: EXPRESSION}", "pair needs when")
		return nil
	}
	nm := &names{src: sw.source, vars: sw.consts.vars, own: server.cols, other: client.cols}
	p := &pairRule{node: when.value, when: nm.condition(when.value, "pair.when")}
	if why := pm.entry("why"); why != nil {
		p.why = sw.consts.text(why.value, "why")
	}
	if p.when == nil {
		return nil
	}
	return p
}
