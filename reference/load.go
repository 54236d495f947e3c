package reference

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"

	"servematrix/matrix"
	"servematrix/metric"
)

// maxFile bounds a reference file: it holds a handful of numbers.
const maxFile = 1 << 20

// Load reads a reference file. What is wrong with it is a matrix.Problems, each with its place.
func Load(path string) (*File, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return Parse(path, data)
}

// Parse reads the text of a reference file; file names it in problems.
func Parse(file string, data []byte) (*File, error) {
	r := &reader{file: file}
	if len(data) > maxFile {
		return nil, fmt.Errorf("%s: larger than a reference can be (%d bytes)", file, len(data))
	}
	var doc yaml.Node
	d := yaml.NewDecoder(bytes.NewReader(data))
	switch err := d.Decode(&doc); {
	case errors.Is(err, io.EOF):
		return nil, fmt.Errorf("%s: the file is empty", file)
	case err != nil:
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	if err := d.Decode(new(yaml.Node)); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%s: more than one YAML document", file)
	}
	f := r.read(doc.Content[0])
	if err := r.problems.Err(); err != nil {
		return nil, err
	}
	return f, nil
}

type reader struct {
	file     string
	problems matrix.Problems
}

func (r *reader) at(n *yaml.Node) matrix.Pos {
	return matrix.Pos{File: r.file, Line: n.Line, Col: n.Column}
}

func (r *reader) bad(n *yaml.Node, rule, format string, args ...any) {
	r.problems = append(r.problems, matrix.Problem{Pos: r.at(n), Severity: matrix.Error, Rule: rule, Message: fmt.Sprintf(format, args...)})
}

// mapping calls each with the entries of a mapping, each key once.
func (r *reader) mapping(n *yaml.Node, what string, each func(key, value *yaml.Node)) {
	if n.Kind != yaml.MappingNode {
		r.bad(n, "wrong-type", "%s must be a mapping", what)
		return
	}
	seen := map[string]bool{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		switch {
		case key.Kind != yaml.ScalarNode || value.Kind == yaml.AliasNode || key.Tag == "!!merge":
			r.bad(key, "wrong-type", "%s: aliases, merges and keys that are no words are not taken", what)
		case seen[key.Value]:
			r.bad(key, "duplicate-key", "%q stands here twice", key.Value)
		default:
			seen[key.Value] = true
			each(key, value)
		}
	}
}

func (r *reader) unknown(key *yaml.Node, known ...string) {
	r.bad(key, "unknown-key", "there is no key %q here; known are %s", key.Value, strings.Join(known, ", "))
}

// text gives a scalar's source text.
func (r *reader) text(n *yaml.Node, what string) string {
	if n.Kind != yaml.ScalarNode || n.Tag == "!!null" || strings.TrimSpace(n.Value) == "" {
		r.bad(n, "wrong-type", "%s must be a word, a number or a text", what)
		return ""
	}
	return n.Value
}

func (r *reader) list(n *yaml.Node, what string) []*yaml.Node {
	if n.Kind != yaml.SequenceNode || len(n.Content) == 0 {
		r.bad(n, "wrong-type", "%s must be a list with an entry at least", what)
		return nil
	}
	return n.Content
}

func (r *reader) read(n *yaml.Node) *File {
	f := &File{}
	version := false
	r.mapping(n, "a reference", func(key, value *yaml.Node) {
		switch key.Value {
		case "version":
			if version = true; value.Value != "1" {
				r.bad(value, "version", "this servematrix reads version 1")
			}
		case "reference":
			f.Name = r.text(value, "reference")
		case "source":
			f.Source = r.source(value)
		case "conditions":
			f.Conditions = r.conditions(value)
		case "results":
			for _, item := range r.list(value, "results") {
				f.Results = append(f.Results, r.result(item))
			}
		case "notes":
			for _, item := range r.list(value, "notes") {
				f.Notes = append(f.Notes, r.text(item, "a note"))
			}
		default:
			r.unknown(key, "version", "reference", "source", "conditions", "results", "notes")
		}
	})
	for _, missing := range []struct {
		key    string
		absent bool
	}{{"version", !version}, {"reference", f.Name == ""}, {"source.title", f.Source.Title == ""}, {"results", len(f.Results) == 0}} {
		if missing.absent && n.Kind == yaml.MappingNode && !r.problems.HasErrors() {
			r.bad(n, "missing-key", "%s is missing", missing.key)
		}
	}
	if !r.problems.HasErrors() { // else most of what it finds follows from them
		r.check(f)
	}
	return f
}

func (r *reader) source(n *yaml.Node) Source {
	var s Source
	fields := map[string]*string{"title": &s.Title, "url": &s.URL, "date": &s.Date, "file": &s.File}
	r.mapping(n, "source", func(key, value *yaml.Node) {
		if field := fields[key.Value]; field != nil {
			*field = r.text(value, key.Value)
			return
		}
		r.unknown(key, "title", "url", "date", "file")
	})
	return s
}

func (r *reader) conditions(n *yaml.Node) []Condition {
	var out []Condition
	r.mapping(n, "conditions", func(key, value *yaml.Node) {
		if !isFlag(key.Value) && lookup(key.Value) == nil {
			r.unknown(key, append(conditionNames(), "any --flag")...)
			return
		}
		out = append(out, Condition{key.Value, r.text(value, key.Value), r.at(key)})
	})
	return out
}

func (r *reader) result(n *yaml.Node) Result {
	out := Result{At: r.at(n)}
	r.mapping(n, "a result", func(key, value *yaml.Node) {
		switch key.Value {
		case "name":
			out.Name = r.text(value, "name")
		case "conditions":
			out.Conditions = r.conditions(value)
		case "ratio_to":
			out.RatioTo = r.text(value, "ratio_to")
		case "metrics":
			r.mapping(value, "metrics", func(key, value *yaml.Node) {
				if _, ok := metric.Lookup(key.Value); !ok {
					r.bad(key, "unknown-metric", "there is no metric %q; metrics are named as in results.jsonl", key.Value)
					return
				}
				f, err := strconv.ParseFloat(r.text(value, key.Value), 64)
				if err != nil || math.IsNaN(f) || math.IsInf(f, 0) || f <= 0 {
					r.bad(value, "wrong-number", "%s must be a number above 0", key.Value)
				}
				out.Metrics = append(out.Metrics, Number{key.Value, f, value.Value})
			})
		default:
			r.unknown(key, "name", "conditions", "ratio_to", "metrics")
		}
	})
	return out
}

// check looks at what several results have to do with one another.
func (r *reader) check(f *File) {
	var based []string
	for _, res := range f.Results {
		based = append(based, res.RatioTo)
	}
	names := map[string]bool{}
	for _, res := range f.Results {
		problem := ""
		switch base := f.result(res.RatioTo); {
		case res.Name == "":
			problem = "the result has no name"
		case names[res.Name]:
			problem = fmt.Sprintf("there are two results %q", res.Name)
		case res.RatioTo != "" && (base == nil || base.RatioTo != ""):
			problem = fmt.Sprintf("ratio_to: there is no result %q that is no ratio itself", res.RatioTo)
		case len(res.Metrics) == 0 && !slices.Contains(based, res.Name):
			problem = fmt.Sprintf("the result %q has no metrics, and no other is a ratio to it", res.Name)
		}
		names[res.Name] = true
		if problem != "" {
			r.problems = append(r.problems, matrix.Problem{Pos: res.At, Severity: matrix.Error, Rule: "result", Message: problem})
		}
	}
}
