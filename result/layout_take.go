package result

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"

	"servematrix/engine"
	"servematrix/metric"
)

// taker makes a measurement of one result's tree.
type taker struct {
	tree   map[string]any
	layout *engine.Layout
	m      *Measurement
	used   []spot
}

// beside adds the files beside the main one, under their names in the layout.
func (t *taker) beside(path string) error {
	for name, b := range t.layout.With {
		var nodes []any
		for _, file := range besides(path, b) {
			node, err := readTree(file, t.layout, b.Table)
			if err != nil {
				return fmt.Errorf("%s: %w", filepath.Base(file), err)
			}
			nodes = append(nodes, keyed(node, b.Key))
		}
		switch len(nodes) {
		case 0:
		case 1:
			t.tree[name] = nodes[0]
		default:
			t.tree[name] = &list{items: nodes}
		}
	}
	return nil
}

// take fills the measurement.
func (t *taker) take() {
	prune(t.tree, t.layout.Empty)
	for name, v := range t.layout.Metrics {
		info, _ := metric.Lookup(name)
		if f, ok := t.value(v, info.Unit); ok {
			t.m.Metrics.Set(name, f)
		}
	}
	for latency, s := range t.layout.Latencies {
		t.spread(latency, s)
	}
	t.failures()
	// Only now, since a number can be part of several metrics.
	for _, s := range t.used {
		s.taken()
	}
	for _, p := range t.layout.Leave {
		for _, s := range follow(t.tree, p) {
			s.taken()
		}
	}
	if rest, ok := remains(t.tree).(map[string]any); ok {
		for key, value := range rest {
			t.m.addExtra(value, key)
		}
	}
	t.m.complete()
}

// value gives the number that a metric is made of.
func (t *taker) value(v engine.Value, unit string) (float64, bool) {
	f, ok := t.first(v, unit)
	if ok && len(v.Over) > 0 {
		below, known := t.one(v.Over)
		f, ok = f/below, known && below != 0
	}
	if ok && v.None != nil && f == *v.None {
		return 0, false
	}
	if !ok && v.Or != nil {
		return t.value(*v.Or, unit)
	}
	return f, ok
}

func (t *taker) first(v engine.Value, unit string) (float64, bool) {
	switch {
	case len(v.Path) > 0:
		spots := follow(t.tree, v.Path)
		if len(spots) == 0 && v.Absent != nil {
			return *v.Absent, true
		}
		if len(spots) != 1 {
			return 0, false
		}
		f, ok := number(spots[0].value, t.unitOf(spots[0], string(v.Unit)), unit)
		if ok && (v.None == nil || f != *v.None) {
			t.used = append(t.used, spots[0])
		}
		return f, ok
	case len(v.Count) > 0:
		spots := follow(t.tree, v.Count)
		if len(spots) == 1 {
			if l, ok := spots[0].value.(*list); ok {
				return float64(len(l.items)), true
			}
		}
		return 0, false
	case len(v.Sum) > 0:
		sum, some := 0.0, false
		for _, p := range v.Sum {
			for _, s := range follow(t.tree, p) {
				if f, ok := number(s.value, string(v.Unit), unit); ok {
					sum, some = sum+f, true
				}
			}
		}
		return sum, some
	case len(v.Product) > 0:
		product := 1.0
		for _, p := range v.Product {
			f, ok := t.one(p)
			if !ok {
				return 0, false
			}
			product *= f
		}
		return math.Round(product), true
	}
	return 0, false
}

// one gives the number at a path that leads to one place; the place stays in extra.
func (t *taker) one(p engine.Path) (float64, bool) {
	spots := follow(t.tree, p)
	if len(spots) != 1 {
		return 0, false
	}
	return number(spots[0].value, "", "")
}

// unitOf is the unit of a place: as the file says beside it, else as the profile says.
func (t *taker) unitOf(s spot, unit string) string {
	if in, ok := s.in.(map[string]any); ok && t.layout.UnitKey != "" {
		if own, ok := in[t.layout.UnitKey].(string); ok {
			return own
		}
	}
	return unit
}

// failures keeps the first distinct messages of failed requests.
func (t *taker) failures() {
	if len(t.layout.Errors) == 0 {
		return
	}
	var messages []string
	for _, s := range follow(t.tree, t.layout.Errors) {
		text, ok := s.value.(string)
		if text = clip(text); ok && text != "" && len(messages) < maxErrors && !slices.Contains(messages, text) {
			messages = append(messages, text)
		}
	}
	if len(messages) > 0 {
		t.m.Extra["error messages"] = anySlice(messages)
	}
}
