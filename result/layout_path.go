package result

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"servematrix/engine"
	"servematrix/metric"
)

// spot is a place in a tree: a value, and where it is held.
type spot struct {
	value any
	in    any // map[string]any or *list
	key   string
	index int
}

// follow gives all places to which a path leads.
func follow(node any, p engine.Path) []spot {
	spots := []spot{{value: node}}
	for _, step := range p {
		var next []spot
		for _, s := range spots {
			next = append(next, s.step(step)...)
		}
		spots = next
	}
	return spots
}

func (s spot) step(step string) (next []spot) {
	filter := strings.HasPrefix(step, "[")
	switch node := s.value.(type) {
	case map[string]any:
		switch {
		case filter:
			if holds(node, step) {
				next = append(next, s)
			}
		case step == "*":
			for _, key := range sortedKeys(node) {
				next = append(next, spot{node[key], node, key, 0})
			}
		default:
			if value, ok := node[step]; ok {
				next = append(next, spot{value, node, step, 0})
			}
		}
	case *list:
		index, err := strconv.Atoi(step)
		for i, item := range node.items {
			if inner, ok := item.(map[string]any); step == "*" || err == nil && i == index || filter && ok && holds(inner, step) {
				next = append(next, spot{item, node, "", i})
			}
		}
	}
	return next
}

// holds tells whether an object has the text of a [key=text] under that key.
func holds(node map[string]any, step string) bool {
	key, text, _ := strings.Cut(strings.Trim(step, "[]"), "=")
	value, ok := node[key]
	return ok && value != nil && fmt.Sprint(value) == text
}

// taken notes that a metric was made of the place: it is no part of extra.
func (s spot) taken() {
	switch in := s.in.(type) {
	case map[string]any:
		delete(in, s.key)
	case *list:
		if in.taken == nil {
			in.taken = map[int]bool{}
		}
		in.taken[s.index] = true
	}
}

func sortedKeys(node map[string]any) []string {
	keys := make([]string, 0, len(node))
	for key := range node {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}

var powers = map[string]int{"s": 0, "ms": -3, "us": -6, "ns": -9}

// number reads a node as a number in the unit wanted. printed is the unit in the file where the
// number does not carry its own, as "53.2 ms" does; "" is the one wanted.
func number(node any, printed, wanted string) (float64, bool) {
	var text string
	switch v := node.(type) {
	case json.Number:
		text = v.String()
	case string:
		text = v
		if front, unit, ok := withUnit(v); ok {
			text, printed = front, unit
		}
	}
	f, _, ok := parseNumber(text)
	if !ok {
		return 0, false
	}
	have, _ := metric.Unit(printed)
	want, _ := metric.Unit(wanted)
	if printed == "" || printed == wanted || have != "" && have == want {
		return f, true
	}
	from, known := powers[have]
	to, also := powers[want]
	if !known || !also || !finite(f) {
		return f, known && also
	}
	// Moving the decimal point is exact, where a multiplication rounds once more.
	front, exponent, _ := strings.Cut(strings.ToLower(text), "e")
	shift, _ := strconv.Atoi(exponent)
	f, err := strconv.ParseFloat(fmt.Sprintf("%se%d", front, shift+from-to), 64)
	return f, err == nil
}

// withUnit takes "1386.1347 ms" apart.
func withUnit(text string) (front, unit string, ok bool) {
	front, unit, ok = strings.Cut(text, " ")
	if !ok || unit == "" || strings.ContainsAny(unit, " 0123456789") {
		return "", "", false
	}
	_, _, ok = parseNumber(front)
	return front, unit, ok
}
