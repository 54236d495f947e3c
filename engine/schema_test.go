package engine_test

import (
	"bytes"
	"encoding"
	"encoding/json"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/invopop/jsonschema"
	"gopkg.in/yaml.v3"

	"servematrix/engine"
	"servematrix/schema/schematest"
)

// TestSchemaIsMadeFromTheTypes makes the schema of a profile document from the types that the
// loader checks it by, with what their comments say of each key.
func TestSchemaIsMadeFromTheTypes(t *testing.T) {
	m := maker{about: commentsOfKeys(t)}
	server, client := m.of(reflect.TypeFor[engine.ServerProfile]()), m.of(reflect.TypeFor[engine.ClientProfile]())
	server.Required, client.Required = []string{"server"}, []string{"client"}
	schematest.Current(t, "profile", &jsonschema.Schema{
		Version: "http://json-schema.org/draft-07/schema#", Title: "servematrix profile",
		Description: "What is known of a serving engine or of a benchmark client; a file can hold several, parted by ---.",
		AnyOf:       []*jsonschema.Schema{server, client},
		Definitions: jsonschema.Definitions{"value": m.fields(reflect.TypeFor[engine.Value]())},
	})
}

type maker struct {
	about map[string]string // "Type.key" → what its comment says
}

// of mirrors the loader's check of a value against its type.
func (m maker) of(t reflect.Type) *jsonschema.Schema {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	scalar := &jsonschema.Schema{AnyOf: []*jsonschema.Schema{{Type: "string"}, {Type: "number"}, {Type: "boolean"}}}
	switch {
	case reflect.PointerTo(t).Implements(reflect.TypeFor[encoding.TextUnmarshaler]()):
		return scalar
	case t == reflect.TypeFor[engine.Match]():
		return &jsonschema.Schema{AnyOf: append(scalar.AnyOf, m.fields(t))}
	case t == reflect.TypeFor[engine.Value](): // it can hold another one
		return &jsonschema.Schema{AnyOf: append(scalar.AnyOf, &jsonschema.Schema{Ref: "#/$defs/value"})}
	}
	switch t.Kind() {
	case reflect.Struct:
		return m.fields(t)
	case reflect.Map:
		return &jsonschema.Schema{Type: "object", AdditionalProperties: m.orNull(t.Elem())}
	case reflect.Slice:
		return &jsonschema.Schema{Type: "array", Items: m.of(t.Elem())}
	case reflect.Bool:
		return &jsonschema.Schema{Type: "boolean"}
	}
	return scalar
}

// orNull allows null, which takes an inherited key away.
func (m maker) orNull(t reflect.Type) *jsonschema.Schema {
	s := m.of(t)
	if s.AnyOf != nil {
		s.AnyOf = append(s.AnyOf, &jsonschema.Schema{Type: "null"})
		return s
	}
	return schematest.Nullable(s)
}

func (m maker) fields(t reflect.Type) *jsonschema.Schema {
	s := &jsonschema.Schema{Type: "object", Properties: jsonschema.NewProperties(), AdditionalProperties: jsonschema.FalseSchema}
	for i := range t.NumField() {
		key := t.Field(i).Tag.Get("yaml")
		p := m.orNull(t.Field(i).Type)
		p.Description = m.about[t.Name()+"."+key]
		s.Properties.Set(key, p)
	}
	return s
}

// commentsOfKeys reads what stands beside or above the fields of this package's types; of a key
// without a comment, what stands above its type.
func commentsOfKeys(t *testing.T) map[string]string {
	t.Helper()
	about, types := map[string]string{}, map[string]string{}
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	fieldType := map[string]string{}
	for _, name := range files {
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range f.Decls {
			decl, ok := d.(*ast.GenDecl)
			if !ok {
				continue
			}
			for _, spec := range decl.Specs {
				typ, ok := spec.(*ast.TypeSpec)
				if !ok {
					continue
				}
				types[typ.Name.Name] = decl.Doc.Text()
				fields, ok := typ.Type.(*ast.StructType)
				if !ok {
					continue
				}
				for _, field := range fields.Fields.List {
					if field.Tag == nil {
						continue
					}
					tag, err := strconv.Unquote(field.Tag.Value)
					if err != nil {
						t.Fatal(err)
					}
					key := typ.Name.Name + "." + reflect.StructTag(tag).Get("yaml")
					about[key] = strings.TrimSpace(field.Doc.Text() + field.Comment.Text())
					fieldType[key] = nameOf(field.Type)
				}
			}
		}
	}
	for key, typ := range fieldType {
		if _, sentence, ok := strings.Cut(types[typ], " "); ok && about[key] == "" {
			about[key] = strings.Join(strings.Fields(sentence), " ")
		}
	}
	return about
}

func nameOf(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return nameOf(e.X)
	case *ast.ArrayType:
		return nameOf(e.Elt)
	case *ast.Ident:
		return e.Name
	}
	return ""
}

// TestSchemaAllowsOurProfiles holds every embedded profile against the schema.
func TestSchemaAllowsOurProfiles(t *testing.T) {
	files, err := filepath.Glob("profiles/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatal("no profiles", err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for dec := yaml.NewDecoder(bytes.NewReader(text)); ; {
			var v any
			if err := dec.Decode(&v); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Fatal(err)
			}
			j, err := json.Marshal(v)
			if err != nil {
				t.Fatal(err)
			}
			if err := schematest.Fits("profile", j); err != nil {
				t.Errorf("%s: %v", file, err)
			}
		}
	}
}

func TestSchemaRefusesWhatNoProfileHas(t *testing.T) {
	for _, text := range []string{
		`{"server": "x", "redy": {"log": "up"}}`,
		`{"server": "x", "ready": {"logs": "up"}}`,
		`{"server": "x", "match": "vllm"}`,
		`{"client": "x", "ready": {"log": "up"}}`,
		`{"ready": {"log": "up"}}`,
	} {
		schematest.Refuses(t, "profile", text)
		if file := filepath.Join(t.TempDir(), "p.yaml"); os.WriteFile(file, []byte(text), 0o600) == nil {
			if _, err := engine.Load(file); err == nil {
				t.Errorf("the loader takes %s", text)
			}
		}
	}
}
