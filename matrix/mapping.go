package matrix

import (
	"fmt"
	"servematrix/spelling"
	"slices"

	"gopkg.in/yaml.v3"
)

// entry is one key of a mapping with its value, aliases followed.
type entry struct {
	name  string
	key   *yaml.Node
	value *yaml.Node
}

// deref follows aliases.
func deref(n *yaml.Node) *yaml.Node {
	for n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	return n
}

// entries gives the keys of a mapping in order, those of merged mappings (<<)
// after its own; false after reporting keys that are doubled or no text.
func (s *source) entries(n *yaml.Node) ([]entry, bool) {
	var out []entry
	seen := map[string]*yaml.Node{}
	ok := true
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, val := n.Content[i], deref(n.Content[i+1])
		if key.Kind == yaml.ScalarNode && key.ShortTag() == "!!merge" {
			continue
		}
		if deref(key).Kind != yaml.ScalarNode {
			s.fail(key, "wrong-type", "", "a key must be a single word")
			ok = false
			continue
		}
		name := deref(key).Value
		if first := seen[name]; first != nil {
			s.report(Problem{Pos: s.pos(key), Len: s.width(key), Rule: "duplicate-key", Message: fmt.Sprintf("the key %q is here twice", name), Also: []Pos{s.pos(first)}})
			ok = false
			continue
		}
		seen[name] = key
		out = append(out, entry{name, key, val})
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if key := n.Content[i]; key.Kind == yaml.ScalarNode && key.ShortTag() == "!!merge" {
			merged, good := s.merged(n.Content[i+1])
			ok = ok && good
			for _, e := range merged {
				if seen[e.name] == nil {
					seen[e.name] = e.key
					out = append(out, e)
				}
			}
		}
	}
	return out, ok
}

// merged gives the keys that a merge (<<: *a, or <<: [*a, *b]) brings in; the earlier ones win.
func (s *source) merged(n *yaml.Node) ([]entry, bool) {
	switch v := deref(n); v.Kind {
	case yaml.MappingNode:
		return s.entries(v)
	case yaml.SequenceNode:
		var out []entry
		for _, c := range v.Content {
			if deref(c).Kind != yaml.MappingNode {
				s.fail(c, "wrong-type", "", "a merge (<<) takes mappings only")
				return nil, false
			}
			more, ok := s.entries(deref(c))
			if !ok {
				return nil, false
			}
			out = append(out, more...)
		}
		return out, true
	}
	s.fail(n, "wrong-type", "", "a merge (<<) takes a mapping or a list of mappings")
	return nil, false
}

// mapping is a mapping with known keys.
type mapping struct {
	node    *yaml.Node
	entries []entry
	ok      bool // no problem was found in its keys
}

// get gives the value of a key, nil when it is not there.
func (m *mapping) get(name string) *yaml.Node {
	if e := m.entry(name); e != nil {
		return e.value
	}
	return nil
}

func (m *mapping) entry(name string) *entry {
	for i := range m.entries {
		if m.entries[i].name == name {
			return &m.entries[i]
		}
	}
	return nil
}

// keyed reads a mapping that knows only the given keys (any, when none is
// given); nil after reporting that the node is no mapping. what names it in messages.
func (s *source) keyed(n *yaml.Node, what string, known ...string) *mapping {
	n = deref(n)
	if !s.checkTag(n) {
		return nil
	}
	if n.Kind != yaml.MappingNode {
		s.wrongType(n, what, "a mapping (key: value)")
		return nil
	}
	m := &mapping{node: n}
	m.entries, m.ok = s.entries(n)
	if len(known) == 0 {
		return m
	}
	for _, e := range m.entries {
		if !slices.Contains(known, e.name) {
			s.fail(e.key, "unknown-key", spelling.DidYouMean(e.name, known), "unknown key %q in %s", e.name, what)
			m.ok = false
		}
	}
	return m
}

// items reads a list; false after reporting that the node is none.
func (s *source) items(n *yaml.Node, what string) ([]*yaml.Node, bool) {
	n = deref(n)
	if !s.checkTag(n) {
		return nil, false
	}
	if n.Kind != yaml.SequenceNode {
		s.wrongType(n, what, "a list (- item, or [item, item])")
		return nil, false
	}
	return n.Content, true
}

func (s *source) wrongType(n *yaml.Node, what, want string) {
	s.fail(n, "wrong-type", "", "%s must be %s, this is %s", what, want, nodeKind(n))
}

// nodeKind names what a node is.
func nodeKind(n *yaml.Node) string {
	switch n = deref(n); n.Kind {
	case yaml.MappingNode:
		return "a mapping"
	case yaml.SequenceNode:
		return "a list"
	}
	switch n.ShortTag() {
	case "!!null":
		return "empty"
	case "!!bool":
		return "true or false"
	case "!!int", "!!float":
		return "a number"
	}
	return "a text"
}

// checkTag reports a YAML tag that means nothing in a sweep.
func (s *source) checkTag(n *yaml.Node) bool {
	switch n.ShortTag() {
	case "!!str", "!!int", "!!float", "!!bool", "!!null", "!!timestamp", "!!map", "!!seq", "!!merge":
		return true
	}
	s.fail(n, "yaml", "leave the tag out", "the YAML tag %s means nothing in a sweep", n.Tag)
	return false
}
