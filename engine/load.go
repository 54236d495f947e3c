package engine

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"slices"

	"gopkg.in/yaml.v3"

	"servematrix/matrix"
)

//go:embed profiles/*.yaml
var embedded embed.FS

// Generic is the name of the server and of the client profile that fit any command.
const Generic = "generic"

// Catalog holds the profiles that are known, those of this binary and those of files.
type Catalog struct {
	servers []*ServerProfile // the last loaded first: a user's own wins over ours
	clients []*ClientProfile
}

// document is one profile as it was written.
type document struct {
	kind, name string // kind is "server" or "client"
	node       *yaml.Node
	file       string
}

// Load reads the embedded profiles and then the given files. A document with
// the kind and name of an earlier one replaces the keys that it gives;
// "extends" takes all keys but match from another profile. Of failure, a list,
// both keep what stands below: the new patterns come first.
//
// The error is a matrix.Problems with the place of everything that is wrong.
func Load(files ...string) (*Catalog, error) {
	var docs []document
	var problems matrix.Problems
	read := func(file string, text []byte) {
		d, p := parse(file, text)
		docs, problems = append(docs, d...), append(problems, p...)
	}
	entries, err := embedded.ReadDir("profiles")
	if err != nil {
		return nil, fmt.Errorf("embedded profiles: %w", err)
	}
	for _, e := range entries {
		text, err := embedded.ReadFile(path.Join("profiles", e.Name()))
		if err != nil {
			return nil, fmt.Errorf("embedded profiles: %w", err)
		}
		read(e.Name(), text)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, fmt.Errorf("profile file: %w", err)
		}
		read(file, text)
	}
	c := &Catalog{}
	if err := problems.Err(); err != nil {
		return nil, err
	}
	return c, c.build(docs).Err()
}

// parse reads the documents of one file and checks each key and value.
func parse(file string, text []byte) (docs []document, problems matrix.Problems) {
	dec := yaml.NewDecoder(bytes.NewReader(text))
	for {
		var doc yaml.Node
		err := dec.Decode(&doc)
		if errors.Is(err, io.EOF) {
			return docs, problems
		}
		if err != nil {
			return docs, append(problems, syntaxProblem(file, err))
		}
		if len(doc.Content) == 0 {
			continue
		}
		d, p := profile(file, doc.Content[0])
		problems = append(problems, p...)
		if d != nil {
			docs = append(docs, *d)
		}
	}
}

// profile checks one document.
func profile(file string, root *yaml.Node) (*document, matrix.Problems) {
	c := checker{file: file}
	if root.Kind != yaml.MappingNode {
		c.fail(root, "profile", "start with `server: NAME` or `client: NAME`", "a profile is a mapping")
		return nil, c.problems
	}
	d := document{node: root, file: file}
	for _, kind := range []string{"server", "client"} {
		if n := get(root, kind); n != nil && d.kind == "" {
			d.kind, d.name = kind, n.Value
		}
	}
	switch {
	case d.kind == "":
		c.fail(root, "profile", "start with `server: NAME` or `client: NAME`", "the profile has no name")
		return nil, c.problems
	case d.name == "":
		c.fail(get(root, d.kind), "profile", "", "the profile's name is empty")
	case d.kind == "server":
		c.check(root, typeOf[ServerProfile]())
	default:
		c.check(root, typeOf[ClientProfile]())
	}
	return &d, c.problems
}

// build merges documents into profiles.
func (c *Catalog) build(docs []document) matrix.Problems {
	var ps matrix.Problems
	merged := map[string]document{}
	var order []string
	for _, d := range docs {
		key := d.kind + " " + d.name
		if old, ok := merged[key]; ok {
			d.node = merge(old.node, d.node)
			order = slices.DeleteFunc(order, func(s string) bool { return s == key })
		}
		merged[key] = d
		order = append([]string{key}, order...)
	}
	for _, key := range order {
		d := merged[key]
		node, p := inherit(d, merged, nil)
		if p != nil {
			ps = append(ps, *p)
			continue
		}
		var err error
		if d.kind == "server" {
			s := &ServerProfile{}
			if err = node.Decode(s); err == nil {
				s.Failure = weakestLast(s.Failure)
				c.servers = append(c.servers, s)
			}
		} else {
			s := &ClientProfile{}
			if err = node.Decode(s); err == nil {
				c.clients = append(c.clients, s)
			}
		}
		if err != nil { // each document was checked by itself, so this is about a merge
			ps = append(ps, matrix.Problem{Pos: matrix.Pos{File: d.file, Line: d.node.Line, Col: d.node.Column}, Severity: matrix.Error, Rule: "profile", Message: err.Error()})
		}
	}
	return ps
}

// inherit gives the document with everything that it extends.
func inherit(d document, all map[string]document, seen []string) (*yaml.Node, *matrix.Problem) {
	at := get(d.node, "extends")
	if at == nil || at.Value == "" {
		return d.node, nil
	}
	fail := func(suggestion, format string, args ...any) *matrix.Problem {
		return &matrix.Problem{Pos: matrix.Pos{File: d.file, Line: at.Line, Col: at.Column}, Len: len([]rune(at.Value)), Severity: matrix.Error,
			Rule: "profile-extends", Message: fmt.Sprintf(format, args...), Suggestion: suggestion}
	}
	if slices.Contains(append(seen, d.name), at.Value) {
		return nil, fail("", "profile %q extends itself through %q", d.name, at.Value)
	}
	parent, ok := all[d.kind+" "+at.Value]
	if !ok {
		var known []string
		for _, p := range all {
			if p.kind == d.kind {
				known = append(known, p.name)
			}
		}
		return nil, fail(didYouMean(at.Value, known), "no %s profile is called %q", d.kind, at.Value)
	}
	node, p := inherit(parent, all, append(seen, d.name))
	if p != nil {
		return nil, p
	}
	return merge(without(node, "match"), d.node), nil
}

// weakestLast moves start_failed behind all else: it only says that something failed.
func weakestLast(fs []Failure) []Failure {
	var strong, weak []Failure
	for _, f := range fs {
		if f.Class == "start_failed" {
			weak = append(weak, f)
		} else {
			strong = append(strong, f)
		}
	}
	return append(strong, weak...)
}

// Server gives a server profile; the generic one for an unknown name.
func (c *Catalog) Server(name string) *ServerProfile {
	if p := c.server(name); p != nil {
		return p
	}
	return c.server(Generic)
}

// Client gives a client profile; the generic one for an unknown name.
func (c *Catalog) Client(name string) *ClientProfile {
	if p := c.client(name); p != nil {
		return p
	}
	return c.client(Generic)
}

func (c *Catalog) server(name string) *ServerProfile {
	i := slices.IndexFunc(c.servers, func(p *ServerProfile) bool { return p.Name == name })
	if i < 0 {
		return nil
	}
	return c.servers[i]
}

func (c *Catalog) client(name string) *ClientProfile {
	i := slices.IndexFunc(c.clients, func(p *ClientProfile) bool { return p.Name == name })
	if i < 0 {
		return nil
	}
	return c.clients[i]
}

// ServerNames lists the server profiles, sorted.
func (c *Catalog) ServerNames() (names []string) {
	for _, p := range c.servers {
		names = append(names, p.Name)
	}
	slices.Sort(names)
	return names
}

// ClientNames lists the client profiles, sorted.
func (c *Catalog) ClientNames() (names []string) {
	for _, p := range c.clients {
		names = append(names, p.Name)
	}
	slices.Sort(names)
	return names
}
