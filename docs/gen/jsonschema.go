package main

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/invopop/jsonschema"

	"servematrix/schema"
)

// readSchema gives a schema of package schema, its keys in their order.
func readSchema(name string) (*jsonschema.Schema, error) {
	text, err := schema.Read(name)
	if err != nil {
		return nil, err
	}
	s := &jsonschema.Schema{}
	return s, json.Unmarshal(text, s)
}

// keyed draws the keys of an object and of what it holds, dotted, each with its form and meaning.
type keyed struct {
	root *jsonschema.Schema
	// known names the form of an object whose keys stand elsewhere; "" has its keys drawn here.
	known func(ref string, keys []string) string
	rows  [][]string
	bare  []string // keys of which nothing says what they are
}

func (k *keyed) object(s *jsonschema.Schema, before string) {
	for p := s.Properties.Oldest(); p != nil; p = p.Next() {
		name := before + p.Key
		form, inner, more := k.form(p.Value)
		about := strings.TrimSuffix(p.Value.Description, ".")
		if strings.HasPrefix(about, "#/") || about == "" {
			k.bare = append(k.bare, name)
		}
		if s.Required != nil && !slices.Contains(s.Required, p.Key) {
			form += ", optional"
		}
		k.rows = append(k.rows, []string{code(name), form, about})
		if inner != nil {
			k.object(inner, name+more)
		}
	}
}

// form puts a value into words; inner are the keys that it holds, and more what leads to them.
func (k *keyed) form(s *jsonschema.Schema) (words string, inner *jsonschema.Schema, more string) {
	if s.AnyOf != nil {
		var forms []string
		for _, one := range s.AnyOf {
			if one.Type == "null" {
				continue
			}
			word, in, m := k.form(one)
			if in != nil {
				inner, more = in, m
			}
			if !slices.Contains(forms, word) {
				forms = append(forms, word)
			}
		}
		if slices.Contains(forms, "text") { // any single value is one there
			forms = slices.DeleteFunc(forms, func(f string) bool { return f == "number" || f == "true or false" })
		}
		return strings.Join(forms, " or "), inner, more
	}
	if s.Ref != "" {
		target := k.root.Definitions[strings.TrimPrefix(s.Ref, "#/$defs/")]
		if word := k.known(s.Ref, keysOf(target)); word != "" {
			return word, nil, ""
		}
		return k.form(target)
	}
	switch s.Type {
	case "string":
		if s.Format == "date-time" {
			return "time", nil, ""
		}
		return "text", nil, ""
	case "integer", "number":
		return "number", nil, ""
	case "boolean":
		return "true or false", nil, ""
	case "array":
		word, in, m := k.form(s.Items)
		return "list: " + word, in, "[]" + m
	case "object":
		if s.Properties == nil || s.Properties.Len() == 0 {
			if s.AdditionalProperties == nil {
				return "mapping", nil, ""
			}
			word, in, m := k.form(s.AdditionalProperties)
			return "name → " + word, in, ".NAME" + m
		}
		if word := k.known("", keysOf(s)); word != "" {
			return word, nil, ""
		}
		return "mapping", s, "."
	}
	return fmt.Sprintf("value (%s)", s.Type), nil, ""
}

func keysOf(s *jsonschema.Schema) (keys []string) {
	if s == nil || s.Properties == nil {
		return nil
	}
	for p := s.Properties.Oldest(); p != nil; p = p.Next() {
		keys = append(keys, p.Key)
	}
	return keys
}
