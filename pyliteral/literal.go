package pyliteral

import (
	"fmt"
	"math/big"
	"strings"

	"go.starlark.net/syntax"
)

// Parse reads one literal: int64 and float64 for numbers (text for one beyond them), string,
// bool, nil for None, []any for lists and tuples, map[string]any for dicts; inf and nan are the
// words "inf", "-inf" and "nan", which JSON can hold. ok is false for whatever else stands there.
func Parse(text string) (value any, ok bool) {
	text = strings.TrimSpace(text)
	if text == "" || len(text) > maxValue {
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
		return scalar(e.Value)
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

func scalar(value any) (any, bool) {
	switch v := value.(type) {
	case string:
		return v, true
	case int64:
		return v, true
	case float64: // finite: the scanner refuses 1e999
		return v, true
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
		out[fmt.Sprint(key)] = value
	}
	return out, true
}
