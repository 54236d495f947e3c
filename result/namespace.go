package result

import (
	"errors"

	"servematrix/pyliteral"
	"servematrix/secret"
)

var errNoNamespace = errors.New("no Namespace(...) in the line")

// parseNamespace reads the repr of a Python argparse.Namespace. A value counts when it is made
// of literals; any other, such as <function f at 0x7f>, is left out. Values under credential
// names are masked. None is kept as nil, so that "not set" and "not known" stay apart.
func parseNamespace(line string) (map[string]any, error) {
	fields, ok := pyliteral.Call(line, "Namespace")
	if !ok {
		return nil, errNoNamespace
	}
	config := map[string]any{}
	for _, f := range fields {
		if value, ok := pyliteral.Parse(f.Text); ok {
			config[f.Name] = value
		}
	}
	redactor.Value(config, nil)
	return config, nil
}

var redactor secret.Redactor
