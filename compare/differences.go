package compare

import (
	"fmt"
	"slices"

	"servematrix/result"
)

// Kinds of differences that no command tells.
const (
	KindAxis   = "axis"
	KindConfig = "configuration"
	KindOrder  = "order"
	KindStarts = "starts"
)

// differ judges pairs and gathers in what else than the numbers they differ.
type differ struct {
	*book
	*Result
	terms []term
	found map[differenceKey]int // place in Result.Differences
	order map[string]bool       // arms whose starts were not mixed with the baseline's
	lost  map[string]int        // arm → pairs in which a block of one side was lost
	blank map[string]int        // arm → pairs without a value of the primary metric on both sides
	lone  map[string]int        // arm → pairs with one start on a side
	steps map[axisStep]int      // what differs in the commands where an axis alone does
	asked map[string]int        // arm → terms of the baseline of which it has another value
}

type differenceKey struct {
	arm, kind, name string
	client          bool
	baseline, value string
}

func newDiffer(b *book, terms []term, r *Result) *differ {
	return &differ{book: b, Result: r, terms: terms, found: map[differenceKey]int{},
		order: map[string]bool{}, lost: map[string]int{}, blank: map[string]int{}, lone: map[string]int{}, asked: map[string]int{}, steps: map[axisStep]int{}}
}

// judge compares one pair.
func (d *differ) judge(p *pair) Pair {
	base, with := tallyOf(p.base), tallyOf(p.with)
	out := Pair{Cell: p.name, Axes: p.axes, Arm: p.arm, BaselineCell: p.base[0].samples[0].Cell, ArmCell: p.with[0].samples[0].Cell, BaselineLost: base.lost, ArmLost: with.lost,
		BaselineStarts: len(base.starts), ArmStarts: len(with.starts),
		BaselineWith: len(values(base.starts, d.Primary)), ArmWith: len(values(with.starts, d.Primary))}
	x, y, paired := facing(base.starts, with.starts)
	separate := apart(base.starts, with.starts)
	out.Paired = paired
	for _, name := range d.Metrics {
		if c, ok := d.compare(name, x, y, out.Paired); ok {
			out.Metrics = append(out.Metrics, c)
		}
	}
	d.note(p, out, base, with, separate)
	return out
}

// note gathers the differences of a pair.
func (d *differ) note(p *pair, out Pair, base, with tally, separate bool) {
	d.asked[p.arm] = len(slices.DeleteFunc(slices.Clone(d.terms), func(t term) bool {
		v, _ := t.of(d.book, p.with[0])
		return v == t.value
	}))
	for _, starts := range [][]start{base.starts, with.starts} {
		for _, s := range starts {
			d.Simulated = d.Simulated || s.samples[0].Simulated
		}
	}
	if separate && sameSource(p.base[0], p.with) {
		first, last := "first", "last"
		low, _ := span(base.starts)
		if begin, _ := span(with.starts); before(begin, low) {
			first, last = last, first
		}
		d.add(p.arm, false, change{KindOrder, "of the starts", &first, &last})
	}
	if n, m := len(base.starts), len(with.starts); n != m {
		a, b := fmt.Sprint(n), fmt.Sprint(m)
		d.add(p.arm, false, change{KindStarts, "that are valid", &a, &b})
	}
	if base.lost.Total()+with.lost.Total() > 0 {
		d.lost[p.arm]++
	}
	c, ok := out.Of(d.Primary)
	switch {
	case !ok:
		d.blank[p.arm]++
	case c.Ratio.N < 2:
		d.lone[p.arm]++
	}
	for _, x := range p.base {
		for _, y := range p.with {
			if x.source != y.source && sameSource(x, p.with) {
				continue
			}
			d.commandsOf(p.arm, x, y)
		}
	}
	servers := d.serversOf(base.starts, with.starts)
	for _, ch := range d.aroundOf(base.starts, with.starts) {
		if !d.mirrored(p.arm, ch, servers) {
			d.add(p.arm, false, ch)
		}
	}
}

func sameSource(c *cell, others []*cell) bool {
	return slices.ContainsFunc(others, func(o *cell) bool { return o.source == c.source })
}

// commandsOf gathers how two cells differ in their commands and axes.
func (d *differ) commandsOf(arm string, x, y *cell) {
	for _, server := range []bool{true, false} {
		a, b := sideOf(x, server), sideOf(y, server)
		for _, ch := range d.axisChanges(a, b, server) {
			d.add(arm, !server, ch)
		}
		if len(a.Argv) == 0 || len(b.Argv) == 0 {
			// Of one no command is known: that is no difference. Its configuration may be.
			for _, ch := range configChanges(a, b) {
				d.add(arm, !server, ch)
			}
			continue
		}
		for _, ch := range d.changesBetween(d.commands.of(a), d.commands.of(b)) {
			d.add(arm, !server, ch)
		}
	}
}

// configChanges compares what outputs reveal of a side's configuration, where both do.
func configChanges(a, b *result.Side) []change {
	if a.Config == nil || b.Config == nil {
		return nil
	}
	x, y := map[string]string{}, map[string]string{}
	for name, v := range a.Config {
		x[name] = fmt.Sprint(v)
	}
	for name, v := range b.Config {
		y[name] = fmt.Sprint(v)
	}
	return mapChanges(KindConfig, x, y)
}

// axisChanges are axes with other values that are neither compared nor told by the commands: an
// axis and the flag that it sets are one thing.
func (d *differ) axisChanges(a, b *result.Side, server bool) []change {
	all := axesApart(a, b)
	var out []change
	for _, ch := range all {
		compared := slices.ContainsFunc(d.terms, func(t term) bool { return t.kind == byAxis && t.server == server && t.name == ch.name })
		if !compared && !d.told(a, b, ch.name, len(all), server) {
			out = append(out, ch)
		}
	}
	return out
}

// axesApart are the axes of which two sides have different values.
func axesApart(a, b *result.Side) []change {
	var out []change
	for _, axis := range a.Axes {
		if v, ok := b.Axes.Get(axis.Name); ok && v != axis.Value {
			out = append(out, change{KindAxis, axis.Name, &axis.Value, &v})
		}
	}
	return out
}

// told says whether an axis shows in the commands of two sides, which differ in so many axes: the
// commands of two cells that differ in it alone tell, and without such cells that at least as many
// things differ in the commands as there are axes apart.
func (d *differ) told(a, b *result.Side, axis string, apart int, server bool) bool {
	n := d.inCommands(a, b)
	if n == 0 || apart == 1 {
		return n > 0
	}
	key := axisStep{server: server, name: axis}
	key.from, _ = a.Axes.Get(axis)
	key.to, _ = b.Axes.Get(axis)
	alone, known := d.steps[key]
	if !known {
		alone = d.step(key)
		d.steps[key] = alone
	}
	if alone < 0 {
		return n >= apart
	}
	return alone > 0
}

// axisStep is an axis that goes from one value to another.
type axisStep struct {
	server         bool
	name, from, to string
}

// step counts what differs between the commands of two cells that differ in that axis alone; −1
// where there are no such cells.
func (d *differ) step(s axisStep) int {
	for _, x := range d.cells {
		for _, y := range d.cells {
			x, y := sideOf(x, s.server), sideOf(y, s.server)
			v, _ := x.Axes.Get(s.name)
			w, _ := y.Axes.Get(s.name)
			if v == s.from && w == s.to && len(axesApart(x, y)) == 1 {
				return d.inCommands(x, y)
			}
		}
	}
	return -1
}

// inCommands counts what differs between two commands that are known, addresses aside.
func (d *differ) inCommands(a, b *result.Side) int {
	if len(a.Argv) == 0 || len(b.Argv) == 0 {
		return 0
	}
	n := 0
	for _, ch := range d.changesBetween(d.commands.of(a), d.commands.of(b)) {
		if ch.kind != KindFlag || !addresses[ch.name] {
			n++
		}
	}
	return n
}

// add counts a difference.
func (d *differ) add(arm string, client bool, ch change) {
	key := differenceKey{arm: arm, kind: ch.kind, name: ch.name, client: client}
	if ch.baseline != nil {
		key.baseline = "=" + *ch.baseline
	}
	if ch.arm != nil {
		key.value = "=" + *ch.arm
	}
	if at, known := d.found[key]; known {
		d.Differences[at].Pairs++
		return
	}
	d.found[key] = len(d.Differences)
	d.Differences = append(d.Differences, Difference{
		Arm: arm, Kind: ch.kind, Name: ch.name, Client: client, Baseline: ch.baseline, Value: ch.arm, Pairs: 1,
		Compared: ch.kind == KindFlag && slices.ContainsFunc(d.terms, func(t term) bool { return t.kind == byFlag && t.server != client && t.name == ch.name }),
		Harmless: ch.kind == KindFlag && addresses[ch.name] || ch.kind == KindConfig && passing[ch.name],
	})
}
