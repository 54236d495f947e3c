package result

import (
	"encoding/json"
	"fmt"
	"strings"

	"servematrix/secret"
)

// clone copies a tree, so that what one result takes stays there for the next.
func clone(node any) any {
	switch v := node.(type) {
	case map[string]any:
		out := make(map[string]any, len(v))
		for key, value := range v {
			out[key] = clone(value)
		}
		return out
	case *list:
		out := &list{}
		for _, item := range v.items {
			out.items = append(out.items, clone(item))
		}
		return out
	}
	return node
}

// keyed makes a mapping of a list of objects, by the text that each has under a key.
func keyed(node any, key string) any {
	rows, ok := node.(*list)
	if !ok || key == "" {
		return node
	}
	out := map[string]any{}
	for _, item := range rows.items {
		row, ok := item.(map[string]any)
		if !ok {
			continue
		}
		if name, ok := row[key]; ok {
			delete(row, key)
			out[fmt.Sprint(name)] = row
		}
	}
	return out
}

// prune takes out objects that hold statistics of nothing: their key says 0.
func prune(node any, key string) {
	void := func(v any) bool {
		inner, ok := v.(map[string]any)
		if !ok {
			return false
		}
		f, ok := number(inner[key], "", "")
		return ok && f == 0
	}
	switch v := node.(type) {
	case map[string]any:
		for name, inner := range v {
			if key != "" && void(inner) {
				delete(v, name)
			} else {
				prune(inner, key)
			}
		}
	case *list:
		for _, inner := range v.items {
			prune(inner, key)
		}
	}
}

// remains makes of a tree what extra keeps: plain Go values, nil where nothing is left.
func remains(node any) any {
	switch v := node.(type) {
	case map[string]any:
		out := map[string]any{}
		for key, inner := range v {
			if text, ok := inner.(string); ok {
				if secret.IsSecretName(key, nil) {
					continue // time_to_first_token is none: it holds numbers
				}
				if front, unit, ok := withUnit(text); ok {
					key, inner = key+" ("+unit+")", json.Number(front)
				}
			}
			if value := remains(inner); value != nil {
				out[key] = value
			}
		}
		if len(out) == 0 || len(out) == 1 && out["unit"] != nil {
			return nil // only the unit of numbers that are metrics now
		}
		return out
	case *list:
		if len(v.items) > 0 && len(v.taken) == len(v.items) {
			return nil
		}
		var out []any
		for _, inner := range v.items {
			if value := remains(inner); value != nil {
				out = append(out, value)
			}
		}
		if len(out) == 0 {
			return nil
		}
		return out
	case json.Number:
		f, _, ok := parseNumber(v.String())
		if !ok {
			return v.String()
		}
		return plain(f, !strings.ContainsAny(v.String(), ".eE"))
	case string:
		if v == "" {
			return nil
		}
		return v
	}
	return node
}
