package result

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"servematrix/engine"
)

// A tree is what a client's file holds, in four kinds of node: map[string]any, *list, text
// (json.Number for a number, string otherwise) and bool. What is null is nil.

// list is an array in a tree; taken counts the elements that a metric was made of.
type list struct {
	items []any
	taken map[int]bool
}

// Bounds of a tree: what has an entry a request is skipped by the layout and never held.
const (
	maxNodes  = 1 << 21
	maxFailed = 1000 // requests in which messages of errors are looked for
	maxFile   = 64 << 20
)

// treeReader builds a tree from JSON. It holds nothing of the paths to skip, and of the list
// of requests with their errors only the beginning.
type treeReader struct {
	*scanner
	skipped []engine.Path
	failed  engine.Path
	at      []string // keys down to the present place, "*" for the elements of a list
	left    int
}

func readJSONTree(r io.Reader, l *engine.Layout) (any, error) {
	t := treeReader{scanner: newScanner(r), skipped: l.Skip, failed: l.Errors, left: maxNodes}
	if len(l.Each) > 0 && len(l.Errors) > 0 {
		t.failed = slices.Concat(l.Each, engine.Path{"*"}, l.Errors)
	}
	t.byteOrderMark()
	node, err := t.value()
	if errors.Is(err, io.ErrUnexpectedEOF) {
		err = &TruncatedError{}
	}
	return node, err
}

func (t *treeReader) value() (any, error) {
	c, err := t.peek()
	if t.left--; err == nil && t.left < 0 {
		err = fmt.Errorf("more than %d values outside of the paths that the profile skips", maxNodes)
	}
	switch {
	case err != nil:
		return nil, err
	case (c == '{' || c == '[') && len(t.at) >= maxDepth:
		return nil, t.skip()
	case c == '{':
		return t.mapping()
	case c == '[':
		return t.elements()
	case c == '"':
		text, err := t.string()
		return redactor.String(text), err
	}
	bare, _, err := t.word()
	word := string(bare)
	switch {
	case word == "true" || word == "false":
		return word == "true", err
	case word == "null":
		return nil, err
	case decimal.MatchString(word):
		return json.Number(word), err
	}
	if _, ok := nonFinite(word); !ok && err == nil {
		err = t.bad("%.20q is no value of JSON", word)
	}
	return word, err
}

func (t *treeReader) mapping() (any, error) {
	node := map[string]any{}
	return node, t.object(func(key string) (err error) {
		t.at = append(t.at, key)
		if t.within(t.skipped) {
			err = t.skip()
		} else {
			node[key], err = t.value()
		}
		t.at = t.at[:len(t.at)-1]
		return err
	})
}

func (t *treeReader) elements() (any, error) {
	node := &list{}
	t.at = append(t.at, "*")
	requests, unread := len(t.at) <= len(t.failed) && matches(t.failed[:len(t.at)], t.at), t.within(t.skipped)
	err := t.array(func() error {
		if unread || requests && len(node.items) >= maxFailed {
			return t.skip()
		}
		item, err := t.value()
		node.items = append(node.items, item)
		return err
	})
	t.at = t.at[:len(t.at)-1]
	return node, err
}

func (t *treeReader) within(paths []engine.Path) bool {
	for _, p := range paths {
		if matches(p, t.at) {
			return true
		}
	}
	return false
}

func matches(p engine.Path, at []string) bool {
	if len(p) != len(at) {
		return false
	}
	for i := range p {
		if p[i] != "*" && p[i] != at[i] {
			return false
		}
	}
	return true
}

// readTree reads a file by its ending: .csv as a table, .yaml and .yml as YAML, else JSON.
func readTree(path string, l *engine.Layout, table *engine.Table) (any, error) {
	f, err := openSource(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var node any
	switch strings.ToLower(filepath.Ext(path)) {
	case ".csv":
		node, err = readTable(&atMost{f, maxFile}, table)
	case ".yaml", ".yml":
		var doc yaml.Node
		if err = yaml.NewDecoder(&atMost{f, maxFile}).Decode(&doc); err == nil {
			node = fromYAML(&doc, 0)
		}
	default:
		node, err = readJSONTree(f, l)
	}
	return node, err
}

func fromYAML(n *yaml.Node, depth int) any {
	switch {
	case depth > maxDepth:
	case n.Kind == yaml.DocumentNode && len(n.Content) > 0:
		return fromYAML(n.Content[0], depth+1)
	case n.Kind == yaml.MappingNode:
		node := map[string]any{}
		for i := 0; i+1 < len(n.Content); i += 2 {
			node[n.Content[i].Value] = fromYAML(n.Content[i+1], depth+1)
		}
		return node
	case n.Kind == yaml.SequenceNode:
		node := &list{}
		for _, item := range n.Content {
			node.items = append(node.items, fromYAML(item, depth+1))
		}
		return node
	case n.Tag == "!!null":
	default:
		return cell(n.Value)
	}
	return nil
}
