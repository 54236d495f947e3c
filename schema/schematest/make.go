// Package schematest makes the files of package schema from Go types, and holds outputs against
// them. Only tests use it: a package that writes something for scripts has one that says which
// type that is.
package schematest

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/invopop/jsonschema"

	"servematrix/matrix"
	"servematrix/metric"
)

var update = flag.Bool("schemas", false, "write the schemas anew")

// Of makes the schema of a type as encoding/json writes it. Keys that are not in the type are
// refused, keys without omitempty are required.
func Of(v any, title string) *jsonschema.Schema {
	r := &jsonschema.Reflector{Mapper: mapped, ExpandedStruct: true, Anonymous: true, Namer: named, LookupComment: about}
	s := r.Reflect(v)
	s.Title = title
	nulls(s, s, reflect.TypeOf(v), map[reflect.Type]bool{})
	return s
}

// nulls allows null where a key that is always there, or an element of a list, is a pointer. at is
// the schema of t; root has those of the named types.
func nulls(root, at *jsonschema.Schema, t reflect.Type, seen map[reflect.Type]bool) {
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice || t.Kind() == reflect.Array || t.Kind() == reflect.Map {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct || seen[t] || mapped(t) != nil {
		return
	}
	seen[t] = true
	if def, ok := root.Definitions[named(t)]; ok {
		at = def
	}
	for _, f := range reflect.VisibleFields(t) {
		key, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		property, ok := property(at, key)
		if !ok {
			continue
		}
		switch kind := f.Type.Kind(); {
		case kind == reflect.Pointer && options == "":
			at.Properties.Set(key, Nullable(property))
		case (kind == reflect.Slice || kind == reflect.Array) && f.Type.Elem().Kind() == reflect.Pointer && f.Type.Elem().Elem().Kind() != reflect.Struct:
			property.Items = Nullable(property.Items)
		}
		nulls(root, property, f.Type, seen)
	}
}

func property(s *jsonschema.Schema, key string) (*jsonschema.Schema, bool) {
	if s.Properties == nil || key == "" {
		return nil, false
	}
	return s.Properties.Get(key)
}

// named tells types of the same name in two packages apart.
func named(t reflect.Type) string {
	if t.Name() == "" {
		return ""
	}
	return filepath.Base(t.PkgPath()) + "." + t.Name()
}

// mapped gives the schema of types that write themselves.
func mapped(t reflect.Type) *jsonschema.Schema {
	switch t {
	case reflect.TypeFor[matrix.Axes]():
		return Texts("axis → value id")
	case reflect.TypeFor[matrix.Duration]():
		return &jsonschema.Schema{Type: "string", Description: "a duration as Go writes it, such as 30m0s"}
	case reflect.TypeFor[matrix.Size]():
		return &jsonschema.Schema{Type: "string", Description: "a size with its unit, such as 2GiB"}
	case reflect.TypeFor[metric.Values]():
		return Metrics()
	}
	return nil
}

// Texts is an object of strings.
func Texts(about string) *jsonschema.Schema {
	return &jsonschema.Schema{Type: "object", AdditionalProperties: &jsonschema.Schema{Type: "string"}, Description: about}
}

// Metrics is an object with all metrics of the contract, a number or null each, those that are told
// sometimes, and further percentiles.
func Metrics() *jsonschema.Schema {
	s := &jsonschema.Schema{Type: "object", Properties: jsonschema.NewProperties(), Required: metric.Names(), AdditionalProperties: jsonschema.FalseSchema}
	for _, name := range append(metric.Names(), metric.Sometimes()...) {
		info, _ := metric.Lookup(name)
		number := Nullable(&jsonschema.Schema{Type: "number"})
		number.Description = info.About
		s.Properties.Set(name, number)
	}
	percentile := Nullable(&jsonschema.Schema{Type: "number"})
	percentile.Description = "a percentile of a latency, in milliseconds"
	s.PatternProperties = map[string]*jsonschema.Schema{
		`^p[0-9]+(\.[0-9]+)?_(ttft|tpot|itl|e2e_latency)_ms$`: percentile,
	}
	return s
}

// Nullable allows null beside what s allows.
func Nullable(s *jsonschema.Schema) *jsonschema.Schema {
	return &jsonschema.Schema{AnyOf: []*jsonschema.Schema{s, {Type: "null"}}}
}

// Current checks that schema/NAME.json is what the type gives; with -schemas it writes the file.
func Current(t *testing.T, name string, s *jsonschema.Schema) {
	t.Helper()
	var want bytes.Buffer
	enc := json.NewEncoder(&want)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(s); err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile(file(name), want.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	got, err := os.ReadFile(file(name))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(got), want.String()); diff != "" {
		t.Errorf("schema/%s.json is not that of the type (-file +type); go test -run Schema -schemas writes it:\n%s", name, diff)
	}
}

// file is where a schema lies in the checkout.
func file(name string) string {
	_, here, _, _ := runtime.Caller(0)
	return filepath.Join(filepath.Dir(here), "..", name+".json")
}
