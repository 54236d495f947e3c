package report

import (
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/invopop/jsonschema"

	"servematrix/journal"
	"servematrix/process"
	"servematrix/result"
	"servematrix/schema/schematest"
)

func TestSchemaOfSamples(t *testing.T) {
	schematest.Current(t, "sample", sampleSchema())
	for _, text := range examples(t, "json sample") {
		schematest.Holds(t, "sample", []byte(text))
	}
	r := eventful(t, t.TempDir(), "en")
	samples, err := Samples(r.folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range samples {
		line, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		schematest.Holds(t, "sample", line)
		schematest.Refuses(t, "sample", strings.Replace(string(line), `"cell":`, `"other":`, 1))
	}
}

// sampleSchema is the schema of result.Sample, which writes itself: its fields' names in lower
// case are its keys, all of them always there but source and simulated, and null where nobody knows.
func sampleSchema() *jsonschema.Schema {
	s := schematest.Of(result.Sample{}, "one sample: a line of results.jsonl, a sample.json, a line of import")
	lower(s, "status", "source", "simulated")
	s.Required = slices.DeleteFunc(s.Required, func(key string) bool { return key == "source" || key == "simulated" })
	status, _ := s.Properties.Get("status")
	status.Enum = []any{result.StatusOK, result.StatusInvalid, result.StatusFailed, result.StatusSkipped}
	lower(s.Definitions["result.Side"])
	side := s.Definitions["result.Side"]
	side.Required = slices.DeleteFunc(side.Required, func(key string) bool { return slices.Contains([]string{"config", "replaced", "left_out"}, key) }) // of imports, and where a client was replaced
	return s
}

// lower writes the keys of an object in lower case, and lets each be null but some.
func lower(s *jsonschema.Schema, never ...string) {
	keys := jsonschema.NewProperties()
	for p := s.Properties.Oldest(); p != nil; p = p.Next() {
		key := keyOfField(p.Key)
		if p.Value.Type == "" && p.Value.Ref == "" && p.Value.AnyOf == nil && p.Value.Properties == nil || slices.Contains(never, key) {
			keys.Set(key, p.Value)
			continue
		}
		keys.Set(key, schematest.Nullable(p.Value))
	}
	s.Properties = keys
	for i, key := range s.Required {
		s.Required[i] = keyOfField(key)
	}
}

// keyOfField is the key of a field: left_out of LeftOut.
func keyOfField(field string) string {
	return strings.ToLower(regexp.MustCompile("([a-z])([A-Z])").ReplaceAllString(field, "${1}_$2"))
}

func TestSchemaOfEvents(t *testing.T) {
	s := schematest.Of(journal.Event{}, "one line of events.jsonl")
	types := slices.Sorted(maps.Keys(dataOf))
	names := make([]any, len(types))
	for i, typ := range types {
		names[i] = typ
		data := schematest.Of(dataOf[typ](), "")
		data.Version = ""
		for name, def := range data.Definitions {
			s.Definitions[name] = def
		}
		data.Definitions = nil
		if typ == journal.LaunchEnded {
			steps := schematest.Of([]process.Step{}, "")
			maps.Copy(s.Definitions, steps.Definitions)
			listed, _ := data.Properties.Get("steps")
			about := listed.Description
			listed = schematest.Nullable(&jsonschema.Schema{Type: "array", Items: steps.Items})
			listed.Description = about
			data.Properties.Set("steps", listed)
		}
		is, then := jsonschema.NewProperties(), jsonschema.NewProperties()
		is.Set("type", &jsonschema.Schema{Const: typ})
		then.Set("data", data)
		s.AllOf = append(s.AllOf, &jsonschema.Schema{If: &jsonschema.Schema{Properties: is}, Then: &jsonschema.Schema{Properties: then}})
	}
	typ, _ := s.Properties.Get("type")
	typ.Enum = names
	about, _ := s.Properties.Get("data")
	s.Properties.Set("data", &jsonschema.Schema{Type: "object", Description: about.Description})
	schematest.Current(t, "event", s)
	for _, text := range examples(t, "json event") {
		schematest.Holds(t, "event", []byte(text))
	}
	schematest.Refuses(t, "event", `{"seq":1,"time":"2026-11-20T22:11:02Z","mono":0,"session":1,"type":"warning","data":{"msg":"x"}}`)
}

func TestSchemaOfComparisons(t *testing.T) {
	s := schematest.Of(compareJSON{}, "compare --format json")
	schematest.Current(t, "compare", s)
}

func TestSchemaOfReferences(t *testing.T) {
	schematest.Current(t, "reference", schematest.Of(referenceJSON{}, "compare --reference FILE --format json"))
}
