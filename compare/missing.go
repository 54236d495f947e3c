package compare

// missing gives, for each arm but the baseline, the cells of the baseline that no pair of that arm
// took in, as pairs without any comparison: nothing was measured there that a gate could let pass.
func (b *book) missing(terms []term, how keying, arms []string, pairs []*pair) []Pair {
	var base []keyed
	names := b.newNamer()
	for _, c := range b.cells {
		k := keyed{cell: c}
		fits := true
		k.arm = label(terms, func(t term) string {
			v, ok := t.of(b, c)
			fits = fits && ok
			return v
		})
		// A cell without a key has no counterpart either.
		b.key(c, true, how.server, terms, &k.axes)
		b.key(c, false, how.client, terms, &k.axes)
		names.add(k.axes)
		if fits && k.arm == arms[0] {
			base = append(base, k)
		}
	}
	type meeting struct {
		arm  string
		base *cell
	}
	met := map[meeting]bool{}
	for _, p := range pairs {
		for _, c := range p.base {
			met[meeting{p.arm, c}] = true
		}
	}
	var out []Pair
	for _, arm := range arms[1:] {
		told := map[string]bool{}
		for _, c := range base {
			if name := names.of(c, how); !met[meeting{arm, c.cell}] && !told[name] {
				told[name] = true
				out = append(out, Pair{Cell: name, Axes: c.axes, Arm: arm})
			}
		}
	}
	return out
}
