package result

import (
	"encoding/json"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"servematrix/engine"
	"servematrix/metric"
	"servematrix/secret"
)

// readLayout reads a client's result file, and the files that complete it, as the layout of the
// client's profile says: one measurement for each result in it.
func readLayout(path string, p *engine.ClientProfile) ([]*Measurement, error) {
	l := p.Layout
	doc, err := readTree(path, l, l.Table)
	if err != nil {
		return nil, err
	}
	results := []any{doc}
	if len(l.Each) > 0 {
		spots := follow(doc, l.Each)
		if len(spots) != 1 {
			return nil, nil
		}
		spots[0].taken()
		results = results[:0]
		if inner, ok := spots[0].value.(*list); ok {
			results = inner.items
		}
	} else if rows, ok := doc.(*list); ok {
		results = rows.items
	}
	var found []*Measurement
	for _, node := range results {
		tree, ok := node.(map[string]any)
		if !ok {
			continue
		}
		if around, ok := doc.(map[string]any); ok && len(l.Each) > 0 {
			for key, value := range around {
				if _, own := tree[key]; !own {
					tree[key] = clone(value)
				}
			}
		}
		t := taker{tree: tree, layout: l, m: newMeasurement("json")}
		if err := t.beside(path); err != nil {
			return found, err
		}
		t.m.Client, t.m.profile = p.Name, p
		if strings.EqualFold(filepath.Ext(path), ".csv") {
			t.m.Source = "csv"
		} else if len(results) > 1 {
			t.m.Source = "jsonl"
		}
		t.take()
		found = append(found, t.m)
	}
	return found, nil
}

// readByLayout is Read for a client whose profile says how its result is read.
func readByLayout(in Inputs) (*Measurement, []Reason, error) {
	f, err := openMaybe(in.Result)
	if err != nil {
		return nil, nil, err
	}
	if f == nil {
		return nil, nil, fmt.Errorf("%w: looked in %s", ErrNoResult, places(Inputs{Result: in.Result}))
	}
	f.Close()
	found, err := readLayout(in.Result, in.Profile)
	if err != nil {
		note := []Reason{{Partial, SeverityWarning, fmt.Sprintf("the result file %s was not used: %v", filepath.Base(in.Result), err)}}
		return nil, note, fmt.Errorf("%w: looked in %s; %s", ErrNoResult, in.Result, note[0].Detail)
	}
	if len(found) == 0 {
		return nil, nil, fmt.Errorf("%w: %s is not what profile %s describes", ErrNoResult, in.Result, in.Profile.Name)
	}
	m := found[len(found)-1]
	if len(found) > 1 {
		m.Findings = append(m.Findings, Reason{WrongRequestCount, SeverityError,
			fmt.Sprintf("the client measured %d workloads in one run, and this is the last of them: give each its own value of a client axis", len(found))})
	}
	return m, m.Findings, nil
}

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

// take fills the measurement.
func (t *taker) take() {
	prune(t.tree, t.layout.Empty)
	for name, v := range t.layout.Metrics {
		info, _ := metric.Lookup(name)
		if f, ok := t.value(v, info.Unit); ok {
			t.m.Metrics[name] = f
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

// spread takes the statistics of one latency.
func (t *taker) spread(latency string, s engine.Spread) {
	unit := string(s.Unit)
	if spots := follow(t.tree, s.UnitAt); len(s.UnitAt) > 0 && len(spots) == 1 {
		unit, _ = spots[0].value.(string)
	}
	for _, p := range s.Paths {
		at := slices.Index(p, "{stat}")
		if at < 0 {
			continue
		}
		for _, above := range follow(t.tree, p[:at]) {
			for _, stat := range above.step("*") {
				key := stat.key
				if _, ok := above.value.(*list); ok {
					key = fmt.Sprint(stat.index)
				}
				name, ok := t.stat(key, latency)
				spots := follow(stat.value, p[at+1:])
				if len(p[at+1:]) == 0 {
					spots = []spot{stat}
				}
				if !ok || len(spots) != 1 {
					continue
				}
				if f, ok := number(spots[0].value, t.unitOf(spots[0], unit), "ms"); ok {
					t.m.Metrics[name] = f
					t.used = append(t.used, spots[0])
				}
			}
		}
	}
	if len(s.Values) > 0 {
		t.compute(latency, s.Values, unit)
	}
}

// stat gives the contract's name for a statistic by the client's key for it.
func (t *taker) stat(key, latency string) (string, bool) {
	if stat, ok := t.layout.Stats[key]; ok {
		return statName(stat, latency)
	}
	if re := t.layout.Percentile.Expression(); re != nil {
		if m := re.FindStringSubmatch(key); len(m) == 2 {
			return metric.Percentile(m[1], latency)
		}
	}
	return "", false
}

// compute adds the statistics that the file does not give, from one number a request.
func (t *taker) compute(latency string, p engine.Path, unit string) {
	var values []float64
	for _, s := range follow(t.tree, append(slices.Clone(p), "*")) {
		if f, ok := number(s.value, unit, "ms"); ok && finite(f) {
			values = append(values, f)
		}
	}
	if len(values) == 0 {
		return
	}
	slices.Sort(values)
	for stat, f := range map[string]float64{
		"median": quantile(values, 0.5), "p90": quantile(values, 0.9), "p95": quantile(values, 0.95), "p99": quantile(values, 0.99), "max": values[len(values)-1],
	} {
		if _, has := t.m.Metrics[stat+"_"+latency]; !has {
			t.m.Metrics[stat+"_"+latency] = f
		}
	}
}

// quantile interpolates linearly between sorted values, as numpy does by default.
func quantile(sorted []float64, q float64) float64 {
	place := q * float64(len(sorted)-1)
	low := int(place)
	if low+1 >= len(sorted) {
		return sorted[len(sorted)-1]
	}
	part, step := place-float64(low), sorted[low+1]-sorted[low]
	if part >= 0.5 {
		return sorted[low+1] - step*(1-part)
	}
	return sorted[low] + step*part
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
