package matrix

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"
)

type kind uint8

const (
	null kind = iota
	scalar
	list
	object
)

func (k kind) String() string {
	return [...]string{"null", "a single value", "a list", "a mapping"}[k]
}

// value is a resolved value of the sweep: what a YAML node or an expression yields.
type value struct {
	kind kind
	// text of a scalar: its source text (0.90 stays 0.90) as a template of the run
	// time, in which a literal ${{ is written $${{ (see escape).
	text string
	// late: text holds placeholders that are filled at run time; the value has no type yet.
	late  bool
	typed any      // of a scalar: string, int, float64 or bool
	items []*value // of a list
	keys  []string // of an object, in order
	field map[string]*value
	id    string     // of an axis value: what names it
	node  *yaml.Node // where it was written; nil when computed
}

var nullValue = &value{kind: null}

// textValue makes a scalar of a plain text.
func textValue(s string, node *yaml.Node) *value {
	return &value{kind: scalar, text: escape(s), typed: s, node: node}
}

// lateValue makes a scalar of a run-time placeholder.
func lateValue(name string) *value {
	return &value{kind: scalar, text: "${{ " + name + " }}", late: true}
}

// whyLate says why nothing can be done with a placeholder before the run.
func whyLate(v *value) string {
	if strings.Contains(v.text, "${{ env.") {
		return "is a secret, which the plan never holds"
	}
	return "is known only when the run has begun"
}

// scalarType gives the typed value of a YAML scalar without expressions. Dates
// and binary data stay what they look like: text.
func scalarType(n *yaml.Node) any {
	switch n.ShortTag() {
	case "!!int", "!!float", "!!bool":
		var v any
		if n.Decode(&v) != nil {
			return n.Value
		}
		switch x := v.(type) {
		case int64:
			return float64(x)
		case uint64:
			return float64(x)
		}
		return v
	}
	return n.Value
}

// plain is the literal text of a scalar that holds no run-time placeholder.
func (v *value) plain() string { return unescape(v.text) }

// any is the value as expressions see it. An axis value with fields is its id.
func (v *value) any() any {
	switch v.kind {
	case scalar:
		return v.typed
	case list:
		out := make([]any, len(v.items))
		for i, x := range v.items {
			out[i] = x.any()
		}
		return out
	case object:
		out := make(map[string]any, len(v.keys))
		for _, k := range v.keys {
			out[k] = v.field[k].any()
		}
		return out
	}
	return nil
}

// hasLate tells whether a run-time placeholder stands anywhere in the value.
func (v *value) hasLate() bool {
	if v.late || slices.ContainsFunc(v.items, (*value).hasLate) {
		return true
	}
	for _, k := range v.keys {
		if v.field[k].hasLate() {
			return true
		}
	}
	return false
}

// fromAny makes a value of an expression's result.
func fromAny(x any) (*value, error) {
	switch x := x.(type) {
	case nil:
		return nullValue, nil
	case string:
		return textValue(x, nil), nil
	case bool:
		return &value{kind: scalar, text: strconv.FormatBool(x), typed: x}, nil
	case int:
		return &value{kind: scalar, text: strconv.Itoa(x), typed: x}, nil
	case float64:
		if math.IsInf(x, 0) || math.IsNaN(x) {
			return nil, fmt.Errorf("yields %v, which is no number", x)
		}
		return &value{kind: scalar, text: formatFloat(x), typed: x}, nil
	case fmt.Stringer: // a duration or date of an expression
		return textValue(x.String(), nil), nil
	}
	switch r := reflect.ValueOf(x); r.Kind() {
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return fromAny(int(r.Int()))
	case reflect.Slice, reflect.Array:
		out := &value{kind: list}
		for i := range r.Len() {
			item, err := fromAny(r.Index(i).Interface())
			if err != nil {
				return nil, err
			}
			out.items = append(out.items, item)
		}
		return out, nil
	case reflect.Map:
		out := &value{kind: object, field: map[string]*value{}}
		for _, k := range r.MapKeys() {
			item, err := fromAny(r.MapIndex(k).Interface())
			if err != nil {
				return nil, err
			}
			name := fmt.Sprint(k.Interface())
			out.keys, out.field[name] = append(out.keys, name), item
		}
		slices.Sort(out.keys)
		return out, nil
	}
	return nil, fmt.Errorf("yields a %T, which is no value of a sweep", x)
}

// formatFloat writes a computed number as a person would: 8 for 8.0, 0.85, 1e+30.
func formatFloat(x float64) string {
	if a := math.Abs(x); a != 0 && (a < 1e-6 || a >= 1e21) {
		return strconv.FormatFloat(x, 'g', -1, 64)
	}
	return strconv.FormatFloat(x, 'f', -1, 64)
}

// label is the text that names a value in ids and messages.
func (v *value) label() string {
	switch {
	case v.id != "":
		return v.id
	case v.kind == null:
		return "null"
	case v.kind == scalar && v.text == "":
		return `""`
	case v.kind == scalar:
		return v.plain()
	case v.kind == list && len(v.items) == 0:
		return "[]"
	case v.kind == list:
		parts := make([]string, len(v.items))
		for i, x := range v.items {
			parts[i] = x.label()
		}
		return strings.Join(parts, " ")
	}
	parts := make([]string, len(v.keys))
	for i, k := range v.keys {
		parts[i] = k + "=" + v.field[k].label()
	}
	return strings.Join(parts, " ")
}

// matches tells whether a value of a row is what a rule asks for. Numbers are
// compared as numbers; a value with an id by its id; a list by its label.
func (v *value) matches(want *value) bool {
	if v.kind == object && v.field["id"] != nil {
		v = v.field["id"]
	}
	if v.kind != scalar || want.kind != scalar {
		return v.kind == want.kind && v.label() == want.label() || want.kind == scalar && v.kind == list && want.plain() == v.label()
	}
	x, xIsNumber := number(v.typed)
	y, yIsNumber := number(want.typed)
	if xIsNumber && yIsNumber {
		return x == y
	}
	return v.typed == want.typed && v.text == want.text
}

func number(x any) (float64, bool) {
	switch x := x.(type) {
	case int:
		return float64(x), true
	case float64:
		return x, true
	}
	return 0, false
}
