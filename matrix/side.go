package matrix

import (
	"fmt"
	"math"
	"servematrix/spelling"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"
)

// side is one of the two scopes of a sweep, server or client, that expand independently.
type side struct {
	name   string
	nm     *names // for expressions about a row of this side
	consts *names // for values that are the same for every row
	cols   *columns
	node   *yaml.Node

	groups   []group
	derived  []*definition
	excludes []*rule
	adds     []addedRow
	patches  []*patch
	requires []*requirement

	rows    []row
	dropped []droppedRow
}

// axis is one dimension of the matrix.
type axis struct {
	name   string
	key    *yaml.Node
	values []*value
	col    int
}

// group is what counts as one axis of the product: an axis, or zipped axes of equal length.
type group struct {
	axes []*axis
	node *yaml.Node
}

func (g group) size() int { return len(g.axes[0].values) }

// reserved are names that an axis or a derived value cannot have, because an
// expression or a rule reads them otherwise.
const reserved = " vars env late server client secret name when why match set assert id" +
	" in not and or matches contains startsWith endsWith let if else true false nil "

// checkName reports a name that expressions could not refer to.
func (sd *side) checkName(key *yaml.Node, name, what string) bool {
	s := sd.consts.src
	switch {
	case !isIdentifier(name):
		s.fail(key, "bad-name", "write it with ASCII letters, digits and underscores"+suchAs(name), "%s %q cannot be used in expressions", what, name)
	case strings.Contains(reserved, " "+name+" ") || sd.name == "server" && (name == "url" || name == "port"):
		s.fail(key, "bad-name", "take another name, such as "+name+"_", "the name %q means something else in a sweep", name)
	default:
		if i, ok := sd.cols.index[name]; ok && sd.cols.axes[i] != nil {
			s.report(Problem{Pos: s.pos(key), Len: s.width(key), Rule: "duplicate-key", Message: fmt.Sprintf("%s %q is the name of an axis already", what, name), Also: []Pos{s.pos(sd.cols.axes[i].key)}})
			return false
		}
		return true
	}
	return false
}

func isIdentifier(s string) bool {
	for i, c := range s {
		if !(c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || i > 0 && c >= '0' && c <= '9') {
			return false
		}
	}
	return s != ""
}

// identifierLike is a name like the one given, but usable.
// suchAs proposes an identifier in place of a name that is none, where letters of the name stay.
func suchAs(name string) string {
	like := identifierLike(name)
	if !strings.ContainsFunc(like, func(c rune) bool { return c != '_' && isIdentifier(string(c)) }) {
		return ""
	}
	return ", such as " + like
}

func identifierLike(s string) string {
	out := strings.Map(func(c rune) rune {
		if isIdentifier("a" + string(c)) {
			return c
		}
		return '_'
	}, s)
	if !isIdentifier(out) {
		out = "_" + out
	}
	return out
}

// loadAxes reads axes and zip. Groups stand in the order of the file; a zip group
// over axes that are declared elsewhere takes the place of the first of them.
//
// zip has three forms: a mapping of axes is one group; a list of such mappings is
// several groups; a list of lists of names groups axes that stand under axes.
func (sd *side) loadAxes(m *mapping) {
	axesEntry, zipEntry := m.entry("axes"), m.entry("zip")
	zipFirst := axesEntry != nil && zipEntry != nil && zipEntry.key.Line < axesEntry.key.Line
	var byName []*yaml.Node
	if zipEntry != nil && zipFirst {
		byName = sd.loadZip(zipEntry.value)
	}
	if axesEntry != nil {
		if axes := sd.consts.src.keyed(axesEntry.value, sd.name+".axes"); axes != nil {
			for _, e := range axes.entries {
				if a := sd.loadAxis(e); a != nil {
					sd.groups = append(sd.groups, group{[]*axis{a}, e.key})
				}
			}
		}
	}
	if zipEntry != nil && !zipFirst {
		byName = sd.loadZip(zipEntry.value)
	}
	for _, n := range byName {
		sd.zipNamed(n)
	}
}

// loadZip reads the groups that declare their axes, and gives those that only name them.
func (sd *side) loadZip(n *yaml.Node) (byName []*yaml.Node) {
	s := sd.consts.src
	if n.Kind == yaml.MappingNode {
		entries, _ := s.entries(n)
		nested := len(entries) > 0
		for _, e := range entries {
			nested = nested && e.value.Kind == yaml.MappingNode
		}
		if !nested {
			sd.zipGroup(n)
			return nil
		}
		for _, e := range entries { // named groups
			sd.zipGroup(e.value)
		}
		return nil
	}
	items, ok := s.items(n, sd.name+".zip")
	if !ok {
		return nil
	}
	for _, item := range items {
		switch item = deref(item); item.Kind {
		case yaml.MappingNode:
			sd.zipGroup(item)
		case yaml.SequenceNode:
			byName = append(byName, item)
		default:
			s.fail(item, "wrong-type", "write zip: [{a: [1, 2], b: [3, 4]}], or zip: [[a, b]] for axes that are declared under axes",
				"a zip group is a mapping of axes or a list of axis names, this is %s", nodeKind(item))
		}
	}
	return byName
}

// zipGroup reads one group that declares its axes.
func (sd *side) zipGroup(n *yaml.Node) {
	m := sd.consts.src.keyed(n, "a zip group")
	if m == nil {
		return
	}
	g := group{node: n}
	for _, e := range m.entries {
		if a := sd.loadAxis(e); a != nil {
			g.axes = append(g.axes, a)
		}
	}
	sd.addZip(g)
}

// zipNamed makes one group of axes that are declared under axes.
func (sd *side) zipNamed(n *yaml.Node) {
	s := sd.consts.src
	g, at := group{node: n}, -1
	for _, item := range n.Content {
		name := deref(item).Value
		i := slices.IndexFunc(sd.groups, func(o group) bool { return len(o.axes) == 1 && o.axes[0].name == name })
		if i < 0 {
			s.fail(item, "unknown-reference", spelling.DidYouMean(name, sd.cols.names), "there is no axis %q to zip", name)
			return
		}
		if at < 0 || i < at {
			at = i
		}
		g.axes = append(g.axes, sd.groups[i].axes[0])
		sd.groups[i].axes = nil
	}
	before := len(sd.groups)
	sd.addZip(g)
	if len(sd.groups) > before {
		sd.groups[at] = sd.groups[before]
		sd.groups = sd.groups[:before]
	}
	sd.groups = slices.DeleteFunc(sd.groups, func(o group) bool { return len(o.axes) == 0 })
}

// addZip adds a group when its axes have one length.
func (sd *side) addZip(g group) {
	s := sd.consts.src
	if len(g.axes) == 0 {
		s.fail(g.node, "zip-length", "", "a zip group needs axes")
		return
	}
	for _, a := range g.axes[1:] {
		if first := g.axes[0]; len(a.values) != len(first.values) {
			s.report(Problem{Pos: s.pos(a.key), Len: s.width(a.key), Rule: "zip-length", Also: []Pos{s.pos(first.key)},
				Message:    fmt.Sprintf("zipped axes need equal lengths: %s has %d values, %s has %d", a.name, len(a.values), first.name, len(first.values)),
				Suggestion: "a value is paired with the one in the same place; nothing is repeated"})
			return
		}
	}
	sd.groups = append(sd.groups, g)
}

// size is the number of rows before any rule; it stops counting at the largest number.
func (sd *side) size() int {
	n := 1
	for _, g := range sd.groups {
		n = multiply(n, g.size())
	}
	if n > math.MaxInt-len(sd.adds) {
		return math.MaxInt
	}
	return n + len(sd.adds)
}

// multiply is a product that never overflows.
func multiply(a, b int) int {
	if a != 0 && b > math.MaxInt/a {
		return math.MaxInt
	}
	return a * b
}
