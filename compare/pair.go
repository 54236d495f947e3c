package compare

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"servematrix/matrix"
	"servematrix/result"
)

// pair are the cells of the baseline and of one arm that are set against one another.
type pair struct {
	name       string
	axes       matrix.Axes // those that it was paired on; nil where it was not by axes
	arm        string
	base, with []*cell
}

// keying is a way to tell which cells of two arms belong together, side by side.
type keying struct{ server, client mode }

// mode says how one side is compared.
type mode int

const (
	onAxes     mode = iota // the same value on each axis that is not compared
	onName                 // the same name
	onLoad                 // the same load, as command, configuration or result tell it
	onRequests             // the same load less the lengths and the dataset, of which not every result tells
	onNearest              // the one whose command differs least
)

// keyings gives the ways to try, the most exact first.
func keyings(terms []term) []keying {
	has := func(kinds ...termKind) func(bool) bool {
		return func(server bool) bool {
			return slices.ContainsFunc(terms, func(t term) bool { return t.server == server && slices.Contains(kinds, t.kind) })
		}
	}
	loose := has(byName, byFlag)
	switch {
	case slices.ContainsFunc(terms, func(t term) bool { return t.kind == bySource }):
		return []keying{{onAxes, onAxes}, {onName, onName}, {onNearest, onAxes}, {onNearest, onName}, {onNearest, onLoad}, {onNearest, onRequests}}
	case loose(true):
		return []keying{{onNearest, onAxes}, {onNearest, onName}, {onNearest, onLoad}, {onNearest, onRequests}}
	case loose(false):
		return []keying{{onAxes, onNearest}, {onName, onNearest}}
	}
	return []keying{{onAxes, onAxes}}
}

// String says it for people: "server axes and client axes".
func (k keying) String() string {
	words := map[mode]string{onAxes: "axes", onName: "name", onLoad: "load", onRequests: "load", onNearest: "nearest command"}
	if k.server == k.client {
		return words[k.server]
	}
	if k.server == onNearest {
		return "client " + words[k.client]
	}
	return "server " + words[k.server] + ", client " + words[k.client]
}

// keyed is a cell with its arm and its key.
type keyed struct {
	*cell
	arm, key string
	axes     matrix.Axes
}

// paired gives the pairs by the first way that finds any, and the keys that stand in one arm alone.
// Cells whose loads are known to differ are no pair, whatever their names; a way that would join
// such cells is taken only where no other finds pairs.
func (b *book) paired(terms []term) (pairs []*pair, how keying, arms, alone []string, err error) {
	base := label(terms, func(t term) string { return t.value })
	type found struct {
		pairs       []*pair
		how         keying
		arms, alone []string
	}
	var second *found // of the first way that finds pairs, and would join other loads
	for _, how = range keyings(terms) {
		cells, names := b.keyed(terms, how), b.newNamer()
		arms = []string{base}
		byKey := map[string]map[string][]keyed{}
		var keys []string
		for _, c := range cells {
			if byKey[c.key] == nil {
				byKey[c.key] = map[string][]keyed{}
				keys = append(keys, c.key)
			}
			if !slices.Contains(arms, c.arm) {
				arms = append(arms, c.arm)
			}
			byKey[c.key][c.arm] = append(byKey[c.key][c.arm], c)
			names.add(c.axes)
		}
		pairs, alone = nil, nil
		clash := false
		for _, key := range keys {
			group := byKey[key]
			found := false
			if len(group[base]) > 0 {
				for _, arm := range arms[1:] {
					switch {
					case len(group[arm]) == 0:
					case loadMatters(how, terms) && !b.commands.sameLoad(group[base], group[arm]):
						clash = true
					default:
						pairs = append(pairs, b.pairsOf(group[base], group[arm], how, terms, names)...)
						found = true
					}
				}
			}
			if !found {
				for _, cells := range group {
					alone = append(alone, names.of(cells[0], how))
					break
				}
			}
		}
		if len(pairs) > 0 && !clash {
			return pairs, how, arms, alone, nil
		}
		if len(pairs) > 0 && second == nil {
			second = &found{pairs, how, arms, alone}
		}
	}
	if second != nil {
		return second.pairs, second.how, second.arms, second.alone, nil
	}
	if len(arms) < 2 && terms[0].kind != bySource {
		return nil, how, nil, nil, usage(b.offer(), "there is nothing to compare %s with: all samples are of it", base)
	}
	return nil, how, nil, nil, usage(b.whyAlone(terms, base), "no cell of %s has a counterpart in another arm", base)
}

// loadMatters tells whether cells of one key have to have one load: their workloads are taken for
// the same by less than their axes, and nothing of the client is what is compared.
func loadMatters(how keying, terms []term) bool {
	if how.client == onAxes || how.client == onNearest {
		return false
	}
	return !slices.ContainsFunc(terms, func(t term) bool { return t.kind != bySource && !t.server })
}

// label is an arm's name: "backend=triton,tp=8"; sources go by their name alone.
func label(terms []term, value func(term) string) string {
	if len(terms) == 1 && terms[0].kind == bySource {
		return value(terms[0])
	}
	parts := make([]string, len(terms))
	for i, t := range terms {
		parts[i] = t.shown + "=" + value(t)
	}
	return strings.Join(parts, ",")
}

// keyed gives the cells that have an arm and a key.
func (b *book) keyed(terms []term, how keying) []keyed {
	var out []keyed
	for _, c := range b.cells {
		fits := true
		arm := label(terms, func(t term) string {
			v, ok := t.of(b, c)
			fits = fits && ok
			return v
		})
		k := keyed{cell: c, arm: arm}
		server, ok1 := b.key(c, true, how.server, terms, &k.axes)
		client, ok2 := b.key(c, false, how.client, terms, &k.axes)
		if fits && ok1 && ok2 {
			k.key = server + "\x00" + client
			out = append(out, k)
		}
	}
	return out
}

// key is what a side of a cell has to have in common with its counterpart.
func (b *book) key(c *cell, server bool, how mode, terms []term, axes *matrix.Axes) (string, bool) {
	side := sideOf(c, server)
	switch how {
	case onAxes:
		if side.Axes == nil {
			return "", false
		}
		var key strings.Builder
		for _, a := range side.Axes {
			if slices.ContainsFunc(terms, func(t term) bool { return t.kind == byAxis && t.server == server && t.name == a.Name }) {
				continue
			}
			*axes = append(*axes, a)
			key.WriteString(a.Name + "\x01" + a.Value + "\x02")
		}
		return key.String(), true
	case onName:
		return side.Name, side.Name != ""
	case onLoad:
		return b.commands.loadOf(c, loads)
	case onRequests:
		return b.commands.loadOf(c, loads[:requestLoads])
	}
	return "", true
}

// pairsOf sets the cells of one key against one another. Where a side is matched by its command,
// each variant of the arm meets the variant of the baseline that differs least from it.
func (b *book) pairsOf(base, with []keyed, how keying, terms []term, names *namer) []*pair {
	if how.server != onNearest && how.client != onNearest {
		return []*pair{newPair(names.of(with[0], how), base, with)}
	}
	server := how.server == onNearest
	bases, withs := variants(base, server), variants(with, server)
	b.guessed = b.guessed || len(bases) > 1 || len(withs) > 1
	var out []*pair
	for _, w := range withs {
		nearest := slices.MinFunc(bases, func(x, y []keyed) int {
			return cmp.Compare(b.distance(x[0], w[0], server, terms), b.distance(y[0], w[0], server, terms))
		})
		name := names.of(w[0], how)
		if len(withs) > 1 {
			name = variantName(withs, w, server) + "/" + name
		}
		out = append(out, newPair(name, nearest, w))
	}
	return out
}

// variantName tells a variant from the others of its arm: by the axes that vary among them, and
// where those do not tell, by its own name.
func variantName(all [][]keyed, one []keyed, server bool) string {
	side := sideOf(one[0].cell, server)
	var parts []string
	for _, a := range side.Axes {
		for _, other := range all {
			if v, _ := sideOf(other[0].cell, server).Axes.Get(a.Name); v != a.Value {
				parts = append(parts, a.Value)
				break
			}
		}
	}
	for _, other := range all {
		if o := sideOf(other[0].cell, server); o != side && len(axesApart(side, o)) == 0 {
			return side.Name
		}
	}
	return strings.Join(parts, "/")
}

// distance counts what differs between two variants beside what is compared.
func (b *book) distance(x, y keyed, server bool, terms []term) int {
	n := 0
	for _, c := range b.changesBetween(b.commands.of(sideOf(x.cell, server)), b.commands.of(sideOf(y.cell, server))) {
		if !slices.ContainsFunc(terms, func(t term) bool { return t.kind == byFlag && c.kind == KindFlag && t.name == c.name }) {
			n++
		}
	}
	return n
}

// variants parts cells by the command of a side.
func variants(cells []keyed, server bool) [][]keyed {
	var out [][]keyed
	at := map[string]int{}
	for _, c := range cells {
		side := *sideOf(c.cell, server)
		id := identity(&result.Side{Name: side.Name, Argv: side.Argv, Env: side.Env})
		i, known := at[id]
		if !known {
			i = len(out)
			at[id] = i
			out = append(out, nil)
		}
		out[i] = append(out[i], c)
	}
	return out
}

func newPair(name string, base, with []keyed) *pair {
	p := &pair{name: name, arm: with[0].arm, axes: with[0].axes}
	for _, c := range base {
		p.base = append(p.base, c.cell)
	}
	for _, c := range with {
		p.with = append(p.with, c.cell)
	}
	return p
}

// namer names pairs by the axes that have more than one value.
type namer struct {
	values   map[string]map[string]bool
	commands commands
}

func (b *book) newNamer() *namer { return &namer{map[string]map[string]bool{}, b.commands} }

func (n *namer) add(axes matrix.Axes) {
	for _, a := range axes {
		if n.values[a.Name] == nil {
			n.values[a.Name] = map[string]bool{}
		}
		n.values[a.Name][a.Value] = true
	}
}

func (n *namer) of(c keyed, how keying) string {
	var parts []string
	for _, a := range c.axes {
		if len(n.values[a.Name]) > 1 {
			parts = append(parts, a.Value)
		}
	}
	switch {
	case len(parts) > 0:
		return strings.Join(parts, "/")
	case how.client == onLoad || how.client == onRequests:
		load, _ := n.commands.loadOf(c.cell, loads)
		return load
	case how.client == onNearest:
		return c.server.Name
	case how == keying{onName, onName}:
		return c.server.Name + "/" + c.client.Name
	}
	return c.client.Name
}

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
