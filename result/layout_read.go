package result

import (
	"fmt"
	"path/filepath"
	"strings"

	"servematrix/engine"
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
		t.m.at.File = path
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
