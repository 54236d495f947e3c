package compare

import (
	"fmt"
	"slices"
	"strings"

	"servematrix/command"
	"servematrix/result"
	"servematrix/spelling"
)

// termKind says what a term of the baseline picks cells by.
type termKind int

const (
	byAxis termKind = iota
	byName          // the name of the server variant or the workload
	byFlag          // the value of a flag in the command
	bySource
)

// term is one NAME=VALUE of the baseline, resolved.
type term struct {
	kind   termKind
	server bool   // of the server's side; else the client's
	name   string // the axis, or the flag with its hyphens
	shown  string // as people are told: "backend", "server.tp", "attention-backend"
	value  string // of the baseline
}

// of gives a cell's value; ok is false for a cell that has none (an axis that it does not have).
func (t term) of(b *book, c *cell) (value string, ok bool) {
	side := c.client
	if t.server {
		side = c.server
	}
	switch t.kind {
	case bySource:
		return b.names[c.source], true
	case byName:
		return side.Name, side.Name != ""
	case byAxis:
		return side.Axes.Get(t.name)
	}
	if len(side.Argv) == 0 {
		return "", false
	}
	if v, there := b.commands.of(side).flags[t.name]; there {
		return v, true
	}
	return Absent, true
}

// Absent is the value of a flag that a command does not have.
const Absent = "absent"

// UsageError says that a selection does not fit the samples; its text says what would.
type UsageError struct{ Message, Hint string }

func (e *UsageError) Error() string { return e.Message }

func usage(hint, format string, args ...any) error {
	return &UsageError{Message: fmt.Sprintf(format, args...), Hint: hint}
}

// splitTerms takes "a=1,b=x,y" apart into a=1 and b=x,y: a piece without = belongs to the value
// before it.
func splitTerms(texts []string) ([][2]string, error) {
	var out [][2]string
	for _, text := range texts {
		begin := len(out)
		for _, piece := range strings.Split(text, ",") {
			name, value, ok := strings.Cut(piece, "=")
			name = strings.TrimSpace(name)
			switch {
			case ok && name != "":
				out = append(out, [2]string{name, strings.TrimSpace(value)})
			case !ok && len(out) > begin:
				out[len(out)-1][1] += "," + piece
			default:
				return nil, usage("such as --baseline backend=triton", "--baseline %q: want AXIS=VALUE", text)
			}
		}
	}
	return out, nil
}

// CheckBaseline tells of a baseline that is none whatever the samples are.
func CheckBaseline(texts []string) error {
	_, err := splitTerms(texts)
	return err
}

// resolve finds what the terms of the baseline mean.
func (b *book) resolve(texts []string) ([]term, error) {
	pieces, err := splitTerms(texts)
	if err != nil {
		return nil, err
	}
	var terms []term
	for _, p := range pieces {
		t, err := b.find(p[0])
		if err != nil {
			return nil, err
		}
		if t.value, err = b.match(t, p[1]); err != nil {
			return nil, err
		}
		if slices.ContainsFunc(terms, func(o term) bool { return o.kind == t.kind && o.server == t.server && o.name == t.name }) {
			return nil, usage("", "--baseline names %s twice; the baseline is one value, all others are compared with it", t.shown)
		}
		terms = append(terms, t)
	}
	return terms, nil
}

// find resolves a name: an axis, the name of a side, a source, a flag.
func (b *book) find(name string) (term, error) {
	rest, asFlag := strings.CutPrefix(name, "flag:")
	if !asFlag {
		side, axis, qualified := strings.Cut(name, ".")
		if qualified && (side == "server" || side == "client") {
			if axis == "name" {
				return term{kind: byName, server: side == "server", shown: name}, nil
			}
			if b.hasAxis(side == "server", axis) {
				return term{kind: byAxis, server: side == "server", name: axis, shown: name}, nil
			}
			return term{}, usage(b.offer(), "--baseline: the %s has no axis %q", side, axis)
		}
		onServer, onClient := b.hasAxis(true, name), b.hasAxis(false, name)
		switch {
		case onServer && onClient:
			return term{}, usage("", "--baseline: %q is an axis of the servers and of the clients; write server.%s or client.%s", name, name, name)
		case onServer || onClient:
			return term{kind: byAxis, server: onServer, name: name, shown: name}, nil
		case name == "run" && len(b.sources) > 1:
			return term{kind: bySource, shown: name}, nil
		case name == "server" || name == "client":
			return term{kind: byName, server: name == "server", shown: name}, nil
		}
		rest = name
	}
	bare := strings.TrimLeft(rest, "-")
	for _, server := range []bool{true, false} {
		for _, flag := range []string{rest, command.Plain("--" + bare), "-" + bare} {
			if b.hasFlag(server, flag) {
				return term{kind: byFlag, server: server, name: flag, shown: bare}, nil
			}
		}
	}
	if asFlag {
		return term{}, usage("", "--baseline: no command has the flag --%s", bare)
	}
	hint := spelling.DidYouMean(name, b.axisNames())
	if len(b.axisNames()) == 0 {
		hint = b.offer()
	}
	return term{}, usage(hint, "--baseline: there is no axis %q, and no command has a flag of that name", name)
}

// match finds the value that is meant among those that there are.
func (b *book) match(t term, value string) (string, error) {
	values := b.values(t)
	for _, v := range values {
		if v == value || value == "" && v == `""` { // as a sweep names a value without text
			return v, nil
		}
	}
	if t.kind == bySource {
		switch found := b.sourcesCalled(value); len(found) {
		case 0:
		case 1:
			return b.names[found[0]], nil
		default:
			return "", usage("", "--baseline: %q could be %s", value, list(pick(b.names, found), 6))
		}
	}
	for _, v := range values {
		if sameText(v, value) {
			return v, nil
		}
	}
	return "", usage(spelling.DidYouMean(value, values), "--baseline: %s is never %q", t.shown, value)
}

// values are those that a term has, in the order of the cells.
func (b *book) values(t term) []string {
	var out []string
	seen := map[string]bool{}
	for _, c := range b.cells {
		if v, ok := t.of(b, c); ok && !seen[v] {
			seen[v] = true
			out = append(out, v)
		}
	}
	return out
}

func (b *book) hasAxis(server bool, name string) bool {
	return slices.ContainsFunc(b.cells, func(c *cell) bool {
		_, ok := sideOf(c, server).Axes.Get(name)
		return ok
	})
}

func (b *book) hasFlag(server bool, flag string) bool {
	return slices.ContainsFunc(b.cells, func(c *cell) bool {
		_, ok := b.commands.of(sideOf(c, server)).flags[flag]
		return ok
	})
}

func sideOf(c *cell, server bool) *result.Side {
	if server {
		return c.server
	}
	return c.client
}

// axes are all axes there are, the servers' first.
func (b *book) axes() []term {
	var out []term
	seen := map[[2]any]bool{}
	for _, server := range []bool{true, false} {
		for _, c := range b.cells {
			for _, a := range sideOf(c, server).Axes {
				key := [2]any{server, a.Name}
				if !seen[key] {
					seen[key] = true
					out = append(out, term{kind: byAxis, server: server, name: a.Name})
				}
			}
		}
	}
	for i, t := range out {
		side := "client."
		if t.server {
			side = "server."
		}
		out[i].shown = t.name
		if seen[[2]any{!t.server, t.name}] {
			out[i].shown = side + t.name
		}
	}
	return out
}

func (b *book) axisNames() []string {
	var names []string
	for _, t := range b.axes() {
		names = append(names, t.shown)
	}
	return names
}

// offer says what a baseline could be.
func (b *book) offer() string {
	var parts []string
	for _, t := range b.axes() {
		if values := b.values(t); len(values) > 1 {
			parts = append(parts, t.shown+" ("+list(values, 6)+")")
		}
	}
	if len(parts) > 0 {
		return "axes with more than one value: " + strings.Join(parts, "; ")
	}
	servers := b.values(term{kind: byName, server: true})
	if len(servers) > 1 {
		return "these samples have no axes; choose a server by name or by a flag of its command: --baseline server=" + servers[0] + ", --baseline flag:NAME=VALUE"
	}
	return "there is one server and no axis with two values: nothing to set against one another; give a second run or file"
}

// choose finds a baseline where none was given, and says so.
func (b *book) choose() ([]term, string, error) {
	if len(b.sources) > 1 {
		first := b.names[0]
		return []term{{kind: bySource, shown: "run", value: first}}, fmt.Sprintf("the first one given, %s, is the baseline", first), nil
	}
	var varying []term
	for _, t := range b.axes() {
		if len(b.values(t)) > 1 && t.server {
			varying = append(varying, t)
		}
	}
	servers := term{kind: byName, server: true, shown: "server"}
	if len(varying) == 0 && len(b.axes()) == 0 && len(b.values(servers)) > 1 {
		varying = append(varying, servers)
	}
	if len(varying) != 1 {
		return nil, "", usage(b.offer(), "say which value is the baseline: --baseline AXIS=VALUE")
	}
	t := varying[0]
	t.value = b.values(t)[0]
	return []term{t}, fmt.Sprintf("the first value, %s=%s, is the baseline; --baseline chooses another", t.shown, t.value), nil
}

// list joins names and leaves out what is too many.
func list(names []string, most int) string {
	if len(names) <= most {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
}
