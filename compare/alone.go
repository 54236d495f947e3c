package compare

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// whyAlone says what keeps the cells apart: an axis that has other values in each arm goes with
// what is compared, and has to be compared with it.
func (b *book) whyAlone(terms []term, base string) string {
	if terms[0].kind == bySource {
		return b.whyRunsAlone()
	}
	var with []string
	for _, t := range b.axes() {
		if slices.ContainsFunc(terms, func(o term) bool { return o.kind == t.kind && o.server == t.server && o.name == t.name }) {
			continue
		}
		inBase, inOther := map[string]bool{}, map[string]bool{}
		first := ""
		for _, c := range b.cells {
			v, ok := t.of(b, c)
			if !ok {
				continue
			}
			if label(terms, func(t term) string { v, _ := t.of(b, c); return v }) == base {
				if inBase[v] = true; first == "" {
					first = v
				}
			} else {
				inOther[v] = true
			}
		}
		shared := false
		for v := range inBase {
			shared = shared || inOther[v]
		}
		if !shared && len(inBase) > 0 {
			with = append(with, fmt.Sprintf("%s=%s", t.shown, first))
		}
	}
	if len(with) == 0 {
		return "the arms have no workload in common"
	}
	return fmt.Sprintf("the values of %s go with it; compare them together: --baseline %s,%s", strings.Join(with, ", "), base, strings.Join(with, ","))
}

// whyRunsAlone says what no two runs have in common. Of an axis that both have it is the values.
func (b *book) whyRunsAlone() string {
	var without []string
	for _, t := range b.axes() {
		in := map[string]map[int]bool{} // value → sources
		has := map[int]bool{}
		for _, c := range b.cells {
			if v, ok := t.of(b, c); ok {
				if in[v] == nil {
					in[v] = map[int]bool{}
				}
				in[v][c.source], has[c.source] = true, true
			}
		}
		shared := slices.ContainsFunc(slices.Collect(maps.Values(in)), func(sources map[int]bool) bool { return len(sources) > 1 })
		if len(has) > 1 && !shared {
			without = append(without, t.shown)
		}
	}
	if len(without) == 0 {
		return "the runs have no axis or workload in common"
	}
	return "the runs have no value of " + strings.Join(without, ", ") + " in common"
}
