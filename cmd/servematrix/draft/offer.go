package draft

import (
	"slices"
	"strings"

	"servematrix/command"
	"servematrix/engine"
)

// single makes one half from one command. A flag of it that is worth sweeping becomes an
// axis of its one value, beside which others are offered; one that it lacks is offered whole.
func single(c Command, worth []engine.Worth, name func(string) string) side {
	var s side
	all := parts(c)
	for _, p := range all {
		i := slices.IndexFunc(worth, func(w engine.Worth) bool { return command.SameFlag(p.key, w.Flag) })
		if i < 0 || given(all, worth[i].Flag) > 1 {
			s.put(p)
			continue
		}
		w := worth[i]
		a := axis{name: name(p.key), about: w.Why}
		value, ok := p.value()
		switch {
		case ok && len(w.Values) > 0:
			a.values = []string{scalar(value)}
			for _, v := range w.Values {
				if v != value {
					a.more = append(a.more, scalar(v))
				}
			}
			s.place(p.key, p, "${{ "+a.name+" }}")
		case len(w.Values) == 0 && len(p.words) == 1:
			a.values = []string{mapping("id", scalar(idOf(p.words)), "flags", sequence(p.words))}
			a.more = []string{mapping("id", scalar("without-"+idOf(p.words)), "flags", "[]")}
			s.put(part{p.key, []string{"${{ " + a.name + ".flags }}"}})
		default:
			s.put(p)
			continue
		}
		s.axes = append(s.axes, a)
	}
	for _, w := range worth {
		if given(all, w.Flag) > 0 {
			continue
		}
		flag, _, _ := strings.Cut(w.Flag, "|")
		o := axis{name: name(flag), flag: flag, about: w.Why, values: []string{"false", "true"}}
		if len(w.Values) > 0 {
			o.values = nil
			for _, v := range w.Values {
				o.values = append(o.values, scalar(v))
			}
		}
		s.offers = append(s.offers, o)
	}
	return s
}

// given counts how often a flag is given.
func given(all []part, flag string) (n int) {
	for _, p := range all {
		if len(p.words) > 0 && command.IsFlag(p.words[0]) {
			if word, _, _ := strings.Cut(p.words[0], "="); command.SameFlag(word, flag) {
				n++
			}
		}
	}
	return n
}
