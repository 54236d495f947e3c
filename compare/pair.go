package compare

import (
	"cmp"
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
