package result

import (
	"errors"
	"fmt"
	"math/big"
	"strings"

	"go.starlark.net/syntax"

	"servematrix/secret"
)

// Bounds of what is read out of one Namespace(...) line. Both clients stay far below them; a
// line beyond them is damaged or hostile, and the parser below is recursive.
const (
	maxNamespace      = 1 << 20
	maxNamespaceValue = 64 << 10
	maxNamespaceDepth = 40
)

var errNoNamespace = errors.New("no Namespace(...) in the line")

// findNamespace gives the place where a line's Namespace( begins, or -1. Both clients print it
// bare or as NAME=Namespace(...).
func findNamespace(line string) int {
	i := strings.Index(line, "Namespace(")
	if i > 0 && line[i-1] != '=' && line[i-1] != ' ' {
		return -1
	}
	return i
}

// parseNamespace reads the repr of a Python argparse.Namespace. Nothing is executed: a value
// counts when it is made of literals (numbers, strings, inf, nan, None, True, False, lists,
// tuples, dicts); any other, such as <function f at 0x7f>, is left out. Values under credential
// names are masked. None is kept as nil, so that "not set" and "not known" stay apart.
func parseNamespace(line string) (map[string]any, error) {
	i := findNamespace(line)
	if i < 0 {
		return nil, errNoNamespace
	}
	body := line[i+len("Namespace("):]
	if len(body) > maxNamespace {
		body = body[:maxNamespace]
	}
	config := map[string]any{}
	for _, field := range splitArguments(body) {
		name, text, ok := strings.Cut(field, "=")
		name = strings.TrimSpace(name)
		if !ok || name == "" {
			continue
		}
		if value, ok := pythonLiteral(text); ok {
			config[name] = value
		}
	}
	return masked(config).(map[string]any), nil
}

// splitArguments cuts "a=1, b=[2, 3], c='x')..." at its top-level commas and ends at the
// closing parenthesis. An argument that the end of the text cut off is left out. Values that
// are nested too deeply for the parser come out empty.
func splitArguments(body string) []string {
	var fields []string
	var open []byte // brackets that are open
	start, tooDeep := 0, false
	flush := func(end int) {
		if !tooDeep {
			fields = append(fields, body[start:end])
		}
		start, tooDeep = end+1, false
	}
	for i := 0; i < len(body); i++ {
		switch c := body[i]; c {
		case '\'', '"':
			end := stringEnd(body, i)
			if end < 0 {
				return fields
			}
			i = end
		case '(', '[', '{', '<':
			open = append(open, c)
			tooDeep = tooDeep || len(open) > maxNamespaceDepth
		case ')', ']', '}', '>':
			if len(open) == 0 {
				if c == ')' {
					flush(i)
					return fields
				}
				continue
			}
			open = open[:len(open)-1]
		case ',':
			if len(open) == 0 {
				flush(i)
			}
		}
	}
	return fields
}

// stringEnd gives the place of the quote that ends the string literal beginning at i, or -1.
func stringEnd(s string, i int) int {
	quote := s[i]
	for j := i + 1; j < len(s); j++ {
		switch s[j] {
		case '\\':
			j++
		case quote:
			return j
		}
	}
	return -1
}

func pythonLiteral(text string) (any, bool) {
	text = strings.TrimSpace(text)
	if text == "" || len(text) > maxNamespaceValue {
		return nil, false
	}
	expr, err := (&syntax.FileOptions{}).ParseExpr("", text, 0)
	if err != nil {
		return nil, false
	}
	return literal(expr)
}

func literal(expr syntax.Expr) (any, bool) {
	switch e := expr.(type) {
	case *syntax.Ident:
		switch e.Name {
		case "True":
			return true, true
		case "False":
			return false, true
		case "None":
			return nil, true
		case "inf", "nan":
			return e.Name, true
		}
		return nil, false
	case *syntax.Literal:
		return number(e.Value)
	case *syntax.UnaryExpr:
		return signed(e)
	case *syntax.ParenExpr:
		return literal(e.X)
	case *syntax.ListExpr:
		return literals(e.List)
	case *syntax.TupleExpr:
		return literals(e.List)
	case *syntax.DictExpr:
		return dict(e)
	}
	return nil, false
}

// number takes a scanned literal's value: a string, or a number in the forms of plain.
func number(value any) (any, bool) {
	switch v := value.(type) {
	case string:
		return v, true
	case int64:
		return v, true
	case float64:
		return plain(v, false), true
	case *big.Int:
		return v.String(), true
	}
	return nil, false
}

func signed(e *syntax.UnaryExpr) (any, bool) {
	v, ok := literal(e.X)
	if !ok || (e.Op != syntax.MINUS && e.Op != syntax.PLUS) {
		return nil, false
	}
	if e.Op == syntax.PLUS {
		return v, true
	}
	switch v := v.(type) {
	case int64:
		return -v, true
	case float64:
		return -v, true
	case string:
		if v == "inf" {
			return "-inf", true
		}
	}
	return nil, false
}

func literals(list []syntax.Expr) (any, bool) {
	out := make([]any, 0, len(list))
	for _, e := range list {
		v, ok := literal(e)
		if !ok {
			return nil, false
		}
		out = append(out, v)
	}
	return out, true
}

// dict reads {key: value}; keys that are not strings get the text of their value.
func dict(e *syntax.DictExpr) (any, bool) {
	out := make(map[string]any, len(e.List))
	for _, entry := range e.List {
		pair, ok := entry.(*syntax.DictEntry)
		if !ok {
			return nil, false
		}
		key, kok := literal(pair.Key)
		value, vok := literal(pair.Value)
		if !kok || !vok {
			return nil, false
		}
		name, isString := key.(string)
		if !isString {
			name = fmt.Sprint(key)
		}
		out[name] = value
	}
	return out, true
}

var redactor secret.Redactor

// masked hides credentials in what a client revealed: whole values under credential names,
// and what looks like one (Authorization headers, tokens) anywhere in a string.
func masked(value any) any {
	switch v := value.(type) {
	case string:
		return redactor.String(v)
	case []any:
		for i := range v {
			v[i] = masked(v[i])
		}
	case map[string]any:
		for name, inner := range v {
			if inner != nil && secret.IsSecretName(name, nil) {
				v[name] = secret.Mask
			} else {
				v[name] = masked(inner)
			}
		}
	}
	return value
}
