package matrix_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/invopop/jsonschema"
	"gopkg.in/yaml.v3"

	"servematrix/matrix"
	"servematrix/schema/schematest"
)

// draft7 is what the YAML language server reads.
const draft7 = "http://json-schema.org/draft-07/schema#"

func TestSchemaIsMadeFromTheKeys(t *testing.T) {
	s := object(matrix.SweepKeys())
	s.Version, s.Title = draft7, "servematrix sweep"
	s.Description = "Server variants × client workloads, for servematrix run."
	schematest.Current(t, "sweep", s)
}

func object(keys []matrix.Key) *jsonschema.Schema {
	s := &jsonschema.Schema{Type: "object", Properties: jsonschema.NewProperties(), AdditionalProperties: jsonschema.FalseSchema}
	var commands []*jsonschema.Schema
	for _, k := range keys {
		p := valueOf(k)
		p.Description = k.About
		if k.Default != "" {
			p.Default = decoded(k.Default)
		}
		for _, text := range append([]string{k.Example}, k.Choices...) {
			if text != "" && (text == k.Example || k.Example != "") {
				p.Examples = append(p.Examples, decoded(text))
			}
		}
		s.Properties.Set(k.Name, p)
		if k.Needed {
			s.Required = append(s.Required, k.Name)
		}
		if slices.Contains([]string{"shell", "bench"}, k.Name) {
			commands = append(commands, &jsonschema.Schema{Required: []string{k.Name}})
		}
	}
	if commands != nil { // a scope: one of them
		s.AnyOf = append([]*jsonschema.Schema{{Required: []string{"command"}}}, commands...)
	}
	return s
}

// expression is a text with an expression, which can stand for any single value.
func expression() *jsonschema.Schema { return &jsonschema.Schema{Type: "string", Pattern: `\$\{\{`} }

func either(s ...*jsonschema.Schema) *jsonschema.Schema { return &jsonschema.Schema{AnyOf: s} }

func listOf(item *jsonschema.Schema) *jsonschema.Schema {
	return &jsonschema.Schema{Type: "array", Items: item}
}

func word() *jsonschema.Schema {
	return either(&jsonschema.Schema{Type: "string"}, &jsonschema.Schema{Type: "number"}, &jsonschema.Schema{Type: "boolean"})
}

func off() []*jsonschema.Schema {
	return []*jsonschema.Schema{{Type: "null"}, {Const: false}}
}

// anything is a mapping with names of the user's own.
func anything() *jsonschema.Schema { return &jsonschema.Schema{Type: "object"} }

func valueOf(k matrix.Key) *jsonschema.Schema {
	number := &jsonschema.Schema{Type: "integer"}
	if k.Name == "version" {
		return &jsonschema.Schema{Const: 1}
	}
	switch k.Kind {
	case matrix.KindText:
		return word()
	case matrix.KindChoice:
		values := make([]any, len(k.Choices))
		for i, c := range k.Choices {
			values[i] = c
		}
		if k.Name == "signal" { // SIGTERM, TERM and term are one
			return &jsonschema.Schema{Type: "string"}
		}
		return either(&jsonschema.Schema{Enum: values}, expression())
	case matrix.KindBool:
		return either(&jsonschema.Schema{Type: "boolean"}, expression())
	case matrix.KindNumber:
		return either(number, expression())
	case matrix.KindShare:
		return either(&jsonschema.Schema{Type: "number", Minimum: "0"}, &jsonschema.Schema{Type: "string", Pattern: `^[0-9.]+ *%$`}, expression())
	case matrix.KindTime:
		return either(&jsonschema.Schema{Type: "string", Pattern: `^\+?([0-9.]+(ns|us|µs|ms|s|m|h))+$`}, &jsonschema.Schema{Const: 0}, expression())
	case matrix.KindBytes:
		return either(&jsonschema.Schema{Type: "string", Pattern: `^[0-9.]+ *[kKMGT]i?B?$`}, &jsonschema.Schema{Const: 0}, expression())
	case matrix.KindPattern:
		return either(append(off(), &jsonschema.Schema{Type: "string"})...)
	case matrix.KindPlace:
		return either(append(off(), &jsonschema.Schema{Type: "string", Pattern: `^/`}, expression())...)
	case matrix.KindCondition:
		return either(&jsonschema.Schema{Type: "string"}, &jsonschema.Schema{Type: "boolean"})
	case matrix.KindTexts:
		return listOf(word())
	case matrix.KindWords:
		return either(&jsonschema.Schema{Type: "string"}, listOf(word()))
	case matrix.KindValues:
		return anything()
	case matrix.KindVariables:
		return &jsonschema.Schema{Type: "object", AdditionalProperties: either(word(), &jsonschema.Schema{Type: "null"})}
	case matrix.KindAxes:
		row := &jsonschema.Schema{Type: "object", Required: []string{"id"}}
		value := either(word(), &jsonschema.Schema{Type: "null"}, &jsonschema.Schema{Type: "array"}, row)
		values := listOf(value)
		values.MinItems = new(uint64(1))
		return &jsonschema.Schema{Type: "object", AdditionalProperties: either(values, expression())}
	case matrix.KindZip:
		return either(anything(), listOf(either(anything(), listOf(word()))))
	case matrix.KindRules, matrix.KindRows:
		return listOf(anything())
	case matrix.KindRequirements:
		return listOf(either(&jsonschema.Schema{Type: "string"}, &jsonschema.Schema{Type: "boolean"}, object(k.Keys)))
	case matrix.KindMapping:
		return object(k.Keys)
	case matrix.KindMappings:
		return listOf(object(k.Keys))
	case matrix.KindOffOrMapping:
		return either(append(off(), object(k.Keys))...)
	}
	panic("a key without a form: " + k.Name)
}

// decoded is a value as it stands in a sweep.
func decoded(text string) (v any) {
	if strings.HasPrefix(text, "${{") {
		return text
	}
	if err := yaml.Unmarshal([]byte(text), &v); err != nil {
		panic(err)
	}
	return v
}

// asJSON is a sweep as an editor holds it against the schema.
func asJSON(t *testing.T, sweep []byte) ([]byte, error) {
	t.Helper()
	var v any
	if err := yaml.Unmarshal(sweep, &v); err != nil {
		return nil, err
	}
	return json.Marshal(v)
}

// TestSchemaAllowsWhatTheLoaderAllows holds every sweep of the project that the
// loader takes against the schema.
func TestSchemaAllowsWhatTheLoaderAllows(t *testing.T) {
	checked := 0
	for _, sweep := range sweepsOfProject(t) {
		plan, _ := matrix.Parse("sweep.yaml", sweep.text, generous)
		if plan == nil {
			continue
		}
		checked++
		text, err := asJSON(t, sweep.text)
		if err != nil {
			t.Errorf("%s: %v", sweep.name, err)
			continue
		}
		if err := schematest.Fits("sweep", text); err != nil {
			t.Errorf("%s: %v", sweep.name, err)
		}
	}
	if checked < 60 {
		t.Errorf("only %d sweeps were checked", checked)
	}
}

// structural are the loader's rules that a schema can have too.
var structural = []string{"unknown-key", "missing-key", "wrong-type"}

// deeper are bad sweeps whose faults of these kinds lie in what an expression gives.
var deeper = []string{"words-2.bad.yaml"}

func TestSchemaRefusesBadStructure(t *testing.T) {
	files, err := filepath.Glob("testdata/bad/*.bad.yaml")
	if err != nil {
		t.Fatal(err)
	}
	refused := 0
	for _, file := range files {
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		_, problems := matrix.Parse(file, src, generous)
		if !slices.ContainsFunc(problems, func(p matrix.Problem) bool { return slices.Contains(structural, p.Rule) }) || slices.Contains(deeper, filepath.Base(file)) {
			continue
		}
		text, err := asJSON(t, src)
		if err != nil {
			continue // no YAML for an editor either
		}
		if schematest.Fits("sweep", text) == nil {
			t.Errorf("the schema allows %s:\n%v", file, problems)
		}
		refused++
	}
	if refused < 5 {
		t.Errorf("only %d bad sweeps were tried", refused)
	}
}

// TestKeysTellTheTruth gives keys of the sweep their default, each of their choices and their
// example, and asks the loader: a default changes nothing, the others are taken. What profiles
// decide is asked in package engine.
func TestKeysTellTheTruth(t *testing.T) {
	for name, sweep := range map[string]string{ // with %s for the key
		"run":     minimal + "run: {%s}\n",
		"compare": minimal + "compare: {%s}\n",
		"report":  minimal + "report: {%s}\n",
	} {
		tellTruth(t, sweep, only(matrix.SweepKeys(), name)[0].Keys)
	}
	tellTruth(t, minimal+"%s\n", only(matrix.SweepKeys(), "validity"))
	for _, side := range []string{"server", "client"} {
		keys := only(only(matrix.SweepKeys(), side)[0].Keys, "isolation", "warmup", "timeout")
		tellTruth(t, strings.Replace(minimal, side+": {", side+": {%s, ", 1), keys)
	}
}

func only(keys []matrix.Key, names ...string) []matrix.Key {
	return slices.DeleteFunc(slices.Clone(keys), func(k matrix.Key) bool { return !slices.Contains(names, k.Name) })
}

func tellTruth(t *testing.T, sweep string, keys []matrix.Key) {
	t.Helper()
	without := regexp.MustCompile(`(, )?%s(, )?`).ReplaceAllString(sweep, "")
	for _, k := range keys {
		given := func(value string) *matrix.Plan { return parsed(t, strings.Replace(sweep, "%s", k.Name+": "+value, 1)) }
		for _, value := range append(slices.Clone(k.Choices), k.Example) {
			if value != "" {
				given(value)
			}
		}
		if k.Default != "" && meaning(t, given(k.Default)) != meaning(t, parsed(t, without)) {
			t.Errorf("%s: %s is not what its absence means", k.Name, k.Default)
		}
	}
}

const minimal = "version: 1\nserver: {command: s}\nclient: {command: c}\n"

func parsed(t *testing.T, sweep string) *matrix.Plan {
	t.Helper()
	plan, problems := matrix.Parse("sweep.yaml", []byte(sweep), generous)
	if plan == nil {
		t.Fatalf("%s%v", sweep, problems)
	}
	return plan
}

// meaning is a plan without its places and origins.
func meaning(t *testing.T, p *matrix.Plan) string {
	t.Helper()
	for _, v := range p.Servers {
		v.Origins, v.At = nil, matrix.Pos{}
	}
	for _, v := range p.Clients {
		v.Origins, v.At = nil, matrix.Pos{}
	}
	text, err := json.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
