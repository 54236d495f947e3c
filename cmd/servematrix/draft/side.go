package draft

import (
	"slices"
	"strings"

	"servematrix/command"
	"servematrix/engine"
)

// side is the server or the client half of a sweep.
type side struct {
	axes    []axis
	offers  []axis // what could be swept too
	env     []Assign
	command []string   // words
	rows    [][]string // of each command the constants of its axes' values, for conditions
}

// axis is one axis with the YAML of its values.
type axis struct {
	name   string
	values []string
	more   []string // values that could be taken in
	flag   string   // of an offer
	about  string
}

// build makes one half of a sweep from its commands. taken names axes of the other half.
func build(commands []Command, whole string, taken []string, worth []engine.Worth) side {
	commands = unique(commands)
	name := func(key string) string {
		n := axisName(key)
		for slices.Contains(taken, n) {
			n = "client_" + n
		}
		return n
	}
	t, ok := compare(commands)
	switch {
	case len(commands) == 1:
		s := single(commands[0], worth, name)
		s.rows = make([][]string, 1)
		return s
	case !ok:
		return different(commands, name(whole))
	}
	keys := t.differing()
	if len(keys) == 1 || t.product(keys) {
		return t.crossed(keys, name)
	}
	return t.listed(keys, name(whole))
}

// crossed gives each differing part an axis of its own.
func (t *table) crossed(differ []string, name func(string) string) side {
	s := side{rows: make([][]string, len(t.rows))}
	for _, key := range t.keys {
		if !slices.Contains(differ, key) {
			s.put(t.rows[0][key])
			continue
		}
		a := axis{name: name(key)}
		for n := 2; slices.ContainsFunc(s.axes, func(b axis) bool { return b.name == a.name }); n++ {
			a.name = name(key) + strings.Repeat("_", n-1)
		}
		forms := t.forms(key)
		ids := make([]string, len(forms))
		switch {
		case t.single(key):
			for i, p := range forms {
				ids[i], _ = p.value()
				a.values = append(a.values, scalar(ids[i]))
			}
			s.place(key, forms[0], "${{ "+a.name+" }}")
		case inPlace(key): // a variable that not every command sets
			s.place(key, t.first(key), "${{ "+a.name+".value }}")
			ids = distinctIDs(formIDs(key, forms), "without-"+axisName(key))
			for i, id := range ids {
				value := "null"
				if len(forms[i].words) > 0 {
					value = scalar(forms[i].words[0])
				}
				a.values = append(a.values, mapping("id", scalar(id), "value", value))
			}
		default:
			s.put(part{key, []string{"${{ " + a.name + ".flags }}"}})
			ids = distinctIDs(formIDs(key, forms), "without-"+idOf([]string{key}))
			for i, id := range ids {
				a.values = append(a.values, mapping("id", scalar(id), "flags", sequence(forms[i].words)))
			}
		}
		s.axes = append(s.axes, a)
		for i, row := range t.rows {
			at := slices.IndexFunc(forms, func(p part) bool { return slices.Equal(p.words, row[key].words) })
			s.rows[i] = append(s.rows[i], constant(ids[at]))
		}
	}
	return s
}

// forms lists the different forms of a part, in the order of the commands; an absent part has no words.
func (t *table) forms(key string) []part {
	var out []part
	for _, row := range t.rows {
		p := row[key]
		if !slices.ContainsFunc(out, func(q part) bool { return slices.Equal(p.words, q.words) }) {
			out = append(out, p)
		}
	}
	return out
}

func formIDs(key string, forms []part) []string {
	ids := make([]string, len(forms))
	for i, p := range forms {
		switch {
		case len(p.words) == 0:
		case len(p.words) == 1:
			ids[i] = idOf(p.words)
		default:
			ids[i] = idOf(p.words[1:])
		}
	}
	return ids
}

// listed makes one axis with a value for each command: fields where every
// command has the same parts, else the list of flags that make it.
func (t *table) listed(differ []string, name string) side {
	s := side{axes: []axis{{name: name}}}
	flags := slices.ContainsFunc(differ, func(key string) bool { return !inPlace(key) && !t.single(key) })
	for _, key := range t.keys {
		switch {
		case !slices.Contains(differ, key):
			s.put(t.rows[0][key])
		case inPlace(key) || !flags:
			s.place(key, t.first(key), "${{ "+name+"."+axisName(key)+" }}")
		}
	}
	if flags {
		s.command = append(s.command, "${{ "+name+".flags }}")
	}
	var ids []string
	for _, row := range t.rows {
		var words []string
		for _, key := range differ {
			p, ok := row[key]
			switch {
			case !ok:
			case len(p.words) > 1:
				words = append(words, p.words[1:]...)
			default:
				words = append(words, p.words...)
			}
		}
		ids = append(ids, idOf(words))
	}
	for i, id := range distinctIDs(ids, "default") {
		s.rows = append(s.rows, []string{constant(id)})
		pairs := []string{"id", scalar(id)}
		var list []string
		for _, key := range differ {
			p, ok := t.rows[i][key]
			switch {
			case inPlace(key) && !ok:
				pairs = append(pairs, axisName(key), "null") // unset
			case inPlace(key) || !flags:
				v, _ := p.value()
				pairs = append(pairs, axisName(key), scalar(v))
			default:
				list = append(list, p.words...)
			}
		}
		if flags {
			pairs = append(pairs, "flags", sequence(list))
		}
		s.axes[0].values = append(s.axes[0].values, mapping(pairs...))
	}
	return s
}

// inPlace tells whether a part can stand nowhere but in its place: a word before the flags, a variable.
func inPlace(key string) bool { return !strings.HasPrefix(key, "-") }

func (t *table) first(key string) part {
	for _, row := range t.rows {
		if p, ok := row[key]; ok {
			return p
		}
	}
	return part{key: key}
}

// different makes one axis of whole commands: they have no common form.
func different(commands []Command, name string) side {
	s := side{axes: []axis{{name: name}}, command: []string{"${{ " + name + ".command }}"}}
	var names []string // of variables, in order
	ids := make([]string, len(commands))
	for i, c := range commands {
		ids[i] = programID(c.Argv)
		for _, a := range c.Env {
			if !slices.Contains(names, a.Name) {
				names = append(names, a.Name)
			}
		}
	}
	for _, n := range names {
		s.env = append(s.env, Assign{n, "${{ " + name + "." + axisName(n) + " }}"})
	}
	for i, id := range distinctIDs(ids, "command") {
		s.rows = append(s.rows, []string{constant(id)})
		pairs := []string{"id", scalar(id)}
		for _, n := range names {
			value := "null"
			for _, a := range commands[i].Env {
				if a.Name == n {
					value = scalar(a.Value)
				}
			}
			pairs = append(pairs, axisName(n), value)
		}
		s.axes[0].values = append(s.axes[0].values, mapping(append(pairs, "command", sequence(commands[i].Argv))...))
	}
	return s
}

// programID names a command after its program or module.
func programID(argv []string) string {
	for i, w := range argv {
		if w == "-m" && i+1 < len(argv) {
			return idOf([]string{argv[i+1]})
		}
	}
	n := 0
	for n < len(argv) && n < 3 && !command.IsFlag(argv[n]) && (n == 0 || !strings.Contains(argv[n], "/")) {
		n++
	}
	return idOf(argv[:n])
}

// put adds a part as it is.
func (s *side) put(p part) {
	if name, ok := strings.CutPrefix(p.key, "env:"); ok {
		s.env = append(s.env, Assign{name, p.words[0]})
		return
	}
	s.command = append(s.command, p.words...)
}

// place adds a part with a reference as its value.
func (s *side) place(key string, p part, ref string) {
	s.put(part{key, p.with(ref)})
}
