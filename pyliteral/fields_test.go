package pyliteral_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"servematrix/pyliteral"
)

func TestCall(t *testing.T) {
	for text, want := range map[string][]pyliteral.Field{
		`Namespace()`:                   nil,
		`benchmark_args=Namespace(a=1)`: {{Name: "a", Text: "1"}},
		`[2026-11-21] server_args=ServerArgs(p='a, b=c)', l=[1, 2], e=<Enum.X: 'it, is'>), (t=1)`: {
			{Name: "p", Text: "'a, b=c)'"}, {Name: "l", Text: "[1, 2]"}, {Name: "e", Text: "<Enum.X: 'it, is'>"}},
		`Namespace(lambda=1, 'positional', c=Config(level='INFO', x=None))`: {
			{Name: "lambda", Text: "1"}, {Name: "c", Text: "Config(level='INFO', x=None)"}},
		// Cut off: what is whole counts.
		`Namespace(a=1, b='unfinished`: {{Name: "a", Text: "1"}},
		`Namespace(a=1, b=25`:          {{Name: "a", Text: "1"}},
	} {
		name, _, _ := strings.Cut(text[strings.LastIndexAny(text[:strings.Index(text, "(")], " =")+1:], "(")
		got, ok := pyliteral.Call(text, name)
		if diff := cmp.Diff(want, got); diff != "" || !ok {
			t.Errorf("%s of %s: %v\n%s", name, text, ok, diff)
		}
	}
	for _, text := range []string{"Traffic request rate: inf", "MyNamespace(a=1)", "Namespace a=1"} {
		if got, ok := pyliteral.Call(text, "Namespace"); ok {
			t.Errorf("%s: %v", text, got)
		}
	}
}

func TestEntries(t *testing.T) {
	got, ok := pyliteral.Entries(` {'a': 'x: {y}', "b": <Mode.NONE: 0>, 3: [1, {'k': 2}], 'c': C(d={'e': 1}), f(): 1, 'cut': 'of`)
	want := []pyliteral.Field{
		{Name: "a", Text: "'x: {y}'"}, {Name: "b", Text: "<Mode.NONE: 0>"},
		{Name: "3", Text: "[1, {'k': 2}]"}, {Name: "c", Text: "C(d={'e': 1})"},
	}
	if diff := cmp.Diff(want, got); diff != "" || !ok {
		t.Errorf("%v\n%s", ok, diff)
	}
	if got, ok := pyliteral.Entries("[1, 2]"); ok {
		t.Errorf("a list gave %v", got)
	}
}

// A hostile text must not overflow the stack of a recursive parser, and hides no other field.
func TestBounds(t *testing.T) {
	for name, value := range map[string]string{
		"brackets": strings.Repeat("[", 1<<19) + strings.Repeat("]", 1<<19),
		"open":     strings.Repeat("(", 1<<20),
		"minus":    strings.Repeat("-", 1<<20) + "1",
		"string":   "'" + strings.Repeat("x", 2<<20) + "'",
		"nots":     strings.Repeat("not ", 1<<18) + "1",
	} {
		fields, ok := pyliteral.Call("Namespace(a=1, b="+value+", c=3)", "Namespace")
		if !ok || len(fields) == 0 || fields[0] != (pyliteral.Field{Name: "a", Text: "1"}) {
			t.Errorf("%s: %v, %.80v", name, ok, fields)
		}
		for _, f := range fields {
			if v, ok := pyliteral.Parse(f.Text); ok && f.Name == "b" {
				t.Errorf("%s: b = %.40v", name, v)
			}
		}
	}
}

// FuzzFields holds: nothing panics, whatever is read can be written as JSON.
func FuzzFields(f *testing.F) {
	files, _ := filepath.Glob("testdata/*.txt")
	if len(files) == 0 {
		f.Fatal("no seeds")
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(data))
	}
	f.Add(`Namespace(a=-inf, b=[1, (2,), {'x': None}], c=<f at 0x1>, d='it\'s', api_key='k')`)
	f.Fuzz(func(t *testing.T, text string) {
		fields, _ := pyliteral.Call(text, "Namespace")
		fields = append(fields, pyliteral.Arguments(text)...)
		entries, _ := pyliteral.Entries(text)
		for _, field := range append(fields, entries...) {
			if !strings.Contains(text, field.Text) {
				t.Fatalf("%q stands nowhere in %q", field.Text, text)
			}
			v, ok := pyliteral.Parse(field.Text)
			if !ok && v != nil {
				t.Fatalf("%q: %v is no literal", field.Text, v)
			}
			if _, err := json.Marshal(v); err != nil {
				t.Fatalf("%q: %v", field.Text, err)
			}
		}
	})
}
