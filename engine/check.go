package engine

import (
	"cmp"
	"encoding"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"

	"servematrix/matrix"
	"servematrix/metric"
)

// checker holds a YAML tree against the Go type that it will be decoded into
// and reports everything that does not fit, with its place. (yaml.v3's own
// strict decoding gives lines without columns and stops at bad values.)
type checker struct {
	file     string
	problems matrix.Problems
}

func typeOf[T any]() reflect.Type { return reflect.TypeFor[T]() }

func (c *checker) fail(n *yaml.Node, rule, suggestion, format string, args ...any) {
	c.problems = append(c.problems, matrix.Problem{Pos: matrix.Pos{File: c.file, Line: n.Line, Col: n.Column}, Len: max(len([]rune(n.Value)), 1),
		Severity: matrix.Error, Rule: rule, Message: fmt.Sprintf(format, args...), Suggestion: suggestion})
}

func (c *checker) check(n *yaml.Node, t reflect.Type) {
	if n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	if n.Tag == "!!null" { // takes an inherited key away
		return
	}
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch {
	case reflect.PointerTo(t).Implements(typeOf[encoding.TextUnmarshaler]()):
		c.text(n, t)
	case t == typeOf[Match]() && n.Kind == yaml.ScalarNode:
	case t == typeOf[Value]() && n.Kind == yaml.ScalarNode:
		c.text(n, typeOf[Path]())
	case t == typeOf[matrix.Hints]():
		c.hints(n)
	case t == typeOf[Layout]():
		c.fields(n, t)
		c.metrics(get(n, "metrics"), "")
		c.metrics(get(n, "latencies"), "mean_")
	case t.Kind() == reflect.Struct:
		c.fields(n, t)
	case t.Kind() == reflect.Map:
		if c.kind(n, yaml.MappingNode, "a mapping") {
			for i := 1; i < len(n.Content); i += 2 {
				c.check(n.Content[i], t.Elem())
			}
		}
	case t.Kind() == reflect.Slice:
		if c.kind(n, yaml.SequenceNode, "a list") {
			for _, item := range n.Content {
				c.check(item, t.Elem())
			}
		}
	case t.Kind() == reflect.Bool:
		if c.kind(n, yaml.ScalarNode, "true or false") && n.Tag != "!!bool" {
			c.fail(n, "type", "write true or false", "%q is neither true nor false", n.Value)
		}
	default:
		c.kind(n, yaml.ScalarNode, "a text")
	}
}

func (c *checker) kind(n *yaml.Node, want yaml.Kind, what string) bool {
	if n.Kind != want {
		c.fail(n, "type", "", "want %s here", what)
	}
	return n.Kind == want
}

// text checks a scalar that a type reads by itself: durations, expressions, exits.
func (c *checker) text(n *yaml.Node, t reflect.Type) {
	if !c.kind(n, yaml.ScalarNode, "a text") {
		return
	}
	v := reflect.New(t).Interface().(encoding.TextUnmarshaler)
	if err := v.UnmarshalText([]byte(n.Value)); err != nil {
		c.fail(n, "value", "", "%v", err)
	}
}

// metrics checks that the keys of a mapping are metrics of the contract.
func (c *checker) metrics(n *yaml.Node, prefix string) {
	if n == nil || n.Kind != yaml.MappingNode {
		return
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := n.Content[i]
		if _, ok := metric.Lookup(prefix + key.Value); ok {
			continue
		}
		var known []string
		for _, name := range metric.Names() {
			if name, ok := strings.CutPrefix(name, prefix); ok {
				known = append(known, name)
			}
		}
		c.fail(key, "metric", didYouMean(key.Value, known), "%q is no metric of results.jsonl", key.Value)
	}
}

// hints checks that each stands under a failure class and says who says so.
func (c *checker) hints(n *yaml.Node) {
	if !c.kind(n, yaml.MappingNode, "a mapping") {
		return
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		class, hint := n.Content[i], n.Content[i+1]
		if classes := matrix.FailureClasses(); !slices.Contains(classes, class.Value) {
			c.fail(class, "class", didYouMean(class.Value, classes), "%q is no failure class", class.Value)
		}
		c.check(hint, typeOf[matrix.Hint]())
		if source := get(hint, "source"); hint.Kind == yaml.MappingNode && (source == nil || source.Value == "") {
			c.fail(class, "source", "source: URL", "a hint names who says so")
		}
	}
}

func (c *checker) fields(n *yaml.Node, t reflect.Type) {
	if !c.kind(n, yaml.MappingNode, "a mapping") {
		return
	}
	known := map[string]reflect.Type{}
	for i := range t.NumField() {
		known[t.Field(i).Tag.Get("yaml")] = t.Field(i).Type
	}
	seen := map[string]bool{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := n.Content[i]
		field, ok := known[key.Value]
		switch {
		case !ok:
			names := make([]string, 0, len(known))
			for name := range known {
				names = append(names, name)
			}
			c.fail(key, "unknown-key", didYouMean(key.Value, names), "unknown key %q", key.Value)
		case seen[key.Value]:
			c.fail(key, "duplicate-key", "", "key %q stands here twice", key.Value)
		default:
			c.check(n.Content[i+1], field)
		}
		seen[key.Value] = true
	}
}

// UnmarshalYAML reads a match written as its command alone, or in full.
func (m *Match) UnmarshalYAML(n *yaml.Node) error {
	if n.Kind == yaml.ScalarNode {
		m.Command = n.Value
		return nil
	}
	type plain Match
	return n.Decode((*plain)(m))
}

// get gives the value of a key of a mapping, or nil.
func get(n *yaml.Node, key string) *yaml.Node {
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == key {
			return n.Content[i+1]
		}
	}
	return nil
}

// without gives a mapping less one key.
func without(n *yaml.Node, key string) *yaml.Node {
	out := *n
	out.Content = nil
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value != key {
			out.Content = append(out.Content, n.Content[i], n.Content[i+1])
		}
	}
	return &out
}

// merge lays one mapping over another: mappings within are merged alike, null
// takes a key away, failure patterns come before those below, and anything
// else replaces what was there.
func merge(below, above *yaml.Node) *yaml.Node {
	out := *below
	out.Line, out.Column = above.Line, above.Column
	out.Content = slices.Clone(below.Content)
	for i := 0; i+1 < len(above.Content); i += 2 {
		key, value := above.Content[i], above.Content[i+1]
		old := get(&out, key.Value)
		switch {
		case value.Tag == "!!null":
			out = *without(&out, key.Value)
			continue
		case old == nil:
			out.Content = append(out.Content, key, value)
			continue
		case key.Value == "failure" && value.Kind == yaml.SequenceNode && old.Kind == yaml.SequenceNode:
			both := *value
			both.Content = append(slices.Clone(value.Content), old.Content...)
			value = &both
		case value.Kind == yaml.MappingNode && old.Kind == yaml.MappingNode:
			value = merge(old, value)
		}
		for j := 0; j+1 < len(out.Content); j += 2 {
			if out.Content[j].Value == key.Value {
				out.Content[j+1] = value
			}
		}
	}
	return &out
}

var yamlLine = regexp.MustCompile(`^yaml: (?:line (\d+): )?(.*)$`)

// syntaxProblem turns yaml.v3's "yaml: line 3: …" into a problem with a place.
func syntaxProblem(file string, err error) matrix.Problem {
	p := matrix.Problem{Pos: matrix.Pos{File: file, Line: 1, Col: 1}, Severity: matrix.Error, Rule: "yaml", Message: err.Error()}
	if m := yamlLine.FindStringSubmatch(err.Error()); m != nil {
		p.Message = m[2]
		if n, err := strconv.Atoi(m[1]); err == nil {
			p.Line = n
		}
	}
	return p
}

// didYouMean proposes the known name nearest to what was written, or lists the known ones.
func didYouMean(got string, known []string) string {
	known = slices.Clone(known)
	slices.Sort(known)
	near := slices.MinFunc(append(known, ""), func(a, b string) int { return cmp.Compare(distance(got, a), distance(got, b)) })
	if near != "" && distance(got, near) <= max(len(got)/3, 1) {
		return fmt.Sprintf("did you mean %q?", near)
	}
	return "known are " + strings.Join(known, ", ")
}

// distance is the number of changes between two names, a swap of neighbours
// counting as one (optimal string alignment).
func distance(a, b string) int {
	older, old := []int(nil), make([]int, len(b)+1)
	for j := range old {
		old[j] = j
	}
	for i := range len(a) {
		row := make([]int, len(b)+1)
		row[0] = i + 1
		for j := range len(b) {
			change := old[j]
			if a[i] != b[j] {
				change++
			}
			row[j+1] = min(change, row[j]+1, old[j+1]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], older[j-1]+1)
			}
		}
		older, old = old, row
	}
	return old[len(b)]
}
