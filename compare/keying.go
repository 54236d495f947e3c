package compare

import (
	"slices"
	"strings"

	"servematrix/matrix"
)

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
