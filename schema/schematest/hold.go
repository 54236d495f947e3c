package schematest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// Fits holds a text of one JSON value, or of several one behind the other, against the schema of
// that name.
func Fits(name string, text []byte) error {
	schema, err := jsonschema.NewCompiler().Compile(file(name))
	if err != nil {
		return err
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	for n := 1; ; n++ {
		var v any
		err := d.Decode(&v)
		switch {
		case err == io.EOF && n == 1:
			return fmt.Errorf("there is nothing to hold against schema/%s.json", name)
		case err == io.EOF:
			return nil
		case err != nil:
			return err
		}
		if err := schema.Validate(v); err != nil {
			return fmt.Errorf("value %d does not fit schema/%s.json: %w", n, name, err)
		}
	}
}

// Holds fails the test where a text does not fit its schema.
func Holds(t *testing.T, name string, text []byte) {
	t.Helper()
	if err := Fits(name, text); err != nil {
		t.Error(err)
	}
}

// Refuses fails the test where a text fits that must not.
func Refuses(t *testing.T, name, text string) {
	t.Helper()
	if Fits(name, []byte(text)) == nil {
		t.Errorf("schema/%s.json allows %s", name, text)
	}
}
