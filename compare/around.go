package compare

import (
	"slices"
	"strings"

	"servematrix/effective"
)

// KindEffective are arguments that a server ran with, other than a flag of its command says.
const KindEffective = "effective"

// aroundOf gives how what is known around the starts of two arms differs: what any start of the
// one has otherwise than any of the other.
func (b *book) aroundOf(base, with []start) []change {
	var out []change
	for _, x := range b.factsOf(base) {
		for _, y := range b.factsOf(with) {
			for _, ch := range b.aroundBetween(x, y) {
				if !slices.ContainsFunc(out, ch.same) {
					out = append(out, ch)
				}
			}
		}
	}
	return out
}

func (c change) same(o change) bool {
	return c.kind == o.kind && c.name == o.name && textOf(c.baseline) == textOf(o.baseline) && textOf(c.arm) == textOf(o.arm)
}

// textOf tells nothing at all from an empty text.
func textOf(s *string) string {
	if s == nil {
		return ""
	}
	return "=" + *s
}

// factsOf gives the facts of starts, each set once.
func (b *book) factsOf(starts []start) []*Facts {
	var out []*Facts
	for _, s := range starts {
		around := b.sources[s.source].Around
		if around == nil {
			continue
		}
		if f := around(s.samples[0].Sample); f != nil && !slices.Contains(out, f) {
			out = append(out, f)
		}
	}
	return out
}

// aroundBetween compares two sets of facts, each two once.
func (b *book) aroundBetween(x, y *Facts) []change {
	if x == y {
		return nil
	}
	key := [2]*Facts{x, y}
	out, known := b.around[key]
	if known {
		return out
	}
	out = listChanges(x.List, y.List)
	if x.Server == nil || y.Server == nil {
		out = append(out, listChanges(x.Host, y.Host)...)
	} else {
		for _, d := range effective.Diff(x.Server, y.Server) {
			out = append(out, changeOf(d))
		}
	}
	b.around[key] = out
	return out
}

func listChanges(a, b []Fact) []change {
	var out []change
	of := func(list []Fact, f Fact) *string {
		i := slices.IndexFunc(list, func(o Fact) bool { return o.Kind == f.Kind && o.Name == f.Name })
		if i < 0 {
			return nil
		}
		return &list[i].Value
	}
	for _, f := range a {
		if v := of(b, f); v == nil || !sameText(f.Value, *v) {
			out = append(out, change{f.Kind, f.Name, &f.Value, v})
		}
	}
	for _, f := range b {
		if of(a, f) == nil {
			out = append(out, change{f.Kind, f.Name, nil, &f.Value})
		}
	}
	return out
}

// changeOf puts a difference of two servers into this package's words: "args.page_size" is
// effective page_size, "host.drivers" host drivers, "version" engine version.
func changeOf(d effective.Difference) change {
	out := change{kind: KindEffective, name: d.What}
	switch top, rest, inner := strings.Cut(d.What, "."); {
	case !inner:
		out.kind, out.name = "engine", d.What
	case top == "args":
		out.name = rest
	case top == "host":
		out.kind, out.name = "host", rest
	case top == "env":
		out.name = "env " + rest
	}
	if d.A != "" {
		out.baseline = &d.A
	}
	if d.B != "" {
		out.arm = &d.B
	}
	return out
}

// mirrored tells that what a server tells of itself differs because a flag or a variable does that
// was found to differ: the flag sets it, or it holds the path that the flag gives. Equal numbers
// alone are chance: --max-running-requests and max_prefill_tokens can both go from 4096 to 8192.
func (d *differ) mirrored(arm string, ch change, servers []*effective.Config) bool {
	if ch.kind != KindEffective {
		return false
	}
	name, isEnv := strings.CutPrefix(ch.name, "env ")
	return slices.ContainsFunc(d.Differences, func(o Difference) bool {
		switch {
		case o.Arm != arm || o.Client:
			return false
		case isEnv:
			return o.Kind == KindEnv && o.Name == name
		case o.Kind != KindFlag:
			return false
		case samePaths(o, ch):
			return true
		}
		return slices.ContainsFunc(servers, func(s *effective.Config) bool { return setBy(s, o, name) })
	})
}

// setBy tells whether a server's flag sets what has this name: an argument, a member of one
// ("speculative_config.model", where the flag's JSON names it or only one arm has the flag), or
// the key of an answer, which goes by its last member ("/server_info.decode_base_s").
func setBy(s *effective.Config, flag Difference, name string) bool {
	member := name[strings.LastIndex(name, ".")+1:]
	if strings.HasPrefix(name, "/") {
		return s.Sets(flag.Name, member)
	}
	argument, _, nested := strings.Cut(name, ".")
	if !s.Sets(flag.Name, argument) {
		return false
	}
	return !nested || flag.Baseline == nil || flag.Value == nil || strings.Contains(*flag.Baseline+" "+*flag.Value, member)
}

// samePaths tells of an argument that holds what a flag gives, such as a tokenizer_path that
// follows --model-path: paths are not equal by chance.
func samePaths(flag Difference, ch change) bool {
	for _, v := range []*string{ch.baseline, ch.arm} {
		if v == nil || !strings.Contains(*v, "/") {
			return false
		}
	}
	return textOf(flag.Baseline) == textOf(ch.baseline) && textOf(flag.Value) == textOf(ch.arm)
}

// serversOf gives what the servers of starts ran with, where they told.
func (b *book) serversOf(starts ...[]start) (out []*effective.Config) {
	for _, s := range starts {
		for _, f := range b.factsOf(s) {
			if f.Server != nil {
				out = append(out, f.Server)
			}
		}
	}
	return out
}
