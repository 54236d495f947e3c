// Package pasted knows the command lines of other benchmark clients: which of their flags the
// embedded client has too, which say nothing about the load, and which it cannot follow. It makes
// of such a line one of the embedded client that puts the same load on a server. It sends nothing.
// Package bench takes pasted flags by it, and package engine replaces clients in sweeps by it.
package pasted

import (
	"cmp"
	"embed"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"gopkg.in/yaml.v3"

	"servematrix/command"
)

// Program is a benchmark client whose command lines can be read.
type Program struct {
	Name    string `yaml:"program"`
	Version string `yaml:"version"` // of which the flags are
	Flags   []Flag `yaml:"flags"`   // all of them, in the order in which they are translated
}

// Flag is a flag of another client and what becomes of it; sglang.yaml explains the keys.
type Flag struct {
	Name    string            `yaml:"flag"`
	Takes   string            `yaml:"takes"`
	Default string            `yaml:"default"`
	Is      Fate              `yaml:"is"`
	To      string            `yaml:"to"`
	Values  map[string]string `yaml:"values"`
	Only    []string          `yaml:"only"`
	Always  bool              `yaml:"always"`
	Saves   bool              `yaml:"saves"`
	Note    string            `yaml:"note"`
}

// Fate is what becomes of a flag.
type Fate string

// The fates of flags.
const (
	Same    Fate = ""         // the embedded client has it
	Read    Fate = "read"     // code makes something of it
	LeftOut Fate = "left out" // the load is the same without it
	Refused Fate = "refused"  // there is no equivalent
)

// Own is what the embedded client knows of a flag of its own.
type Own struct {
	Default string
	Switch  bool // it takes no value
}

// Command is a command line of the embedded client, less its name.
type Command struct {
	Args []string
	// Notes say which flags were left out, and why, and what else is otherwise than in the program.
	Notes []string
	// Saves is the flag that asked for a file of the result, which the embedded client writes where
	// --output-file says; "" is none.
	Saves string
}

//go:embed sglang.yaml vllm.yaml
var tables embed.FS

// Programs are the clients that are known.
var Programs = sync.OnceValue(func() (all []*Program) {
	for _, file := range []string{"sglang.yaml", "vllm.yaml"} {
		data, err := tables.ReadFile(file)
		p := new(Program)
		if err == nil {
			err = yaml.Unmarshal(data, p)
		}
		if err != nil {
			panic(err) // a test holds the tables of this binary
		}
		all = append(all, p)
	}
	return all
})

// Lookup finds a client by its name; nil where it is not known.
func Lookup(name string) *Program {
	for _, p := range Programs() {
		if p.Name == name {
			return p
		}
	}
	return nil
}

// Names are those of the clients that are known.
func Names() (names []string) {
	for _, p := range Programs() {
		names = append(names, p.Name)
	}
	return names
}

// Refusal is what a command line asks for that the embedded client cannot do. Instead is what to
// write, "" where the flag is to be taken out.
type Refusal struct{ Flag, Why, Instead string }

// Error tells the flag and why it is refused.
func (r *Refusal) Error() string {
	if r.Why == "" {
		return r.Flag + " has no equivalent"
	}
	return r.Flag + " has no equivalent: " + r.Why
}

// Translate makes of the arguments of p those of the embedded client for the same load. own tells
// which flags the embedded client has, without dashes: what p does by default is written where the
// embedded client does otherwise, and flags that only the embedded client has are kept.
// The error is the first flag, in the order of the table, that cannot be followed.
func (p *Program) Translate(args []string, own func(name string) (Own, bool)) (Command, error) {
	l, err := p.read(args, own)
	if err != nil {
		return Command{}, err
	}
	var c Command
	if c.Args, err = l.special(); err != nil {
		return Command{}, err
	}
	c.Notes = l.notes
	set := l.value("--dataset-name")
	for _, f := range p.Flags {
		fate := p.Fate(f, own)
		words, given := l.given[f.Name]
		text := strings.Join(append([]string{f.Name}, words...), " ")
		if given && f.Saves {
			c.Saves = cmp.Or(c.Saves, f.Name)
		}
		switch {
		case fate == Read:
		case given && (fate == LeftOut || len(f.Only) > 0 && !slices.Contains(f.Only, set)):
			c.Notes = append(c.Notes, noted(text, f.leftOut(set)))
		case given && fate == Refused:
			if len(words) != 1 || !sameText(words[0], f.Default) {
				return Command{}, &Refusal{Flag: f.Name, Why: f.Note}
			}
		case fate == Same && (given || f.Is == Same):
			if err := l.same(&c, f); err != nil {
				return Command{}, err
			}
		}
	}
	c.Args = append(c.Args, l.kept...)
	return c, nil
}

func noted(flag, why string) string {
	if why == "" {
		return flag + " is left out"
	}
	return flag + " is left out: " + why
}

// leftOut tells why a flag is left out with a data set.
func (f *Flag) leftOut(set string) string {
	if f.Is == LeftOut {
		return f.Note
	}
	return "it means nothing with --dataset-name " + set
}

// Fate is what becomes of a flag: one that is refused is the same where the embedded client has it
// all the same, under the name that the table gives it, or under a name of sglang.bench_serving.
func (p *Program) Fate(f Flag, own func(name string) (Own, bool)) Fate {
	if _, has := own(strings.TrimLeft(f.target(), "-")); f.Is == Refused && has && (f.To != "" || p.Name == sglang) {
		return Same
	}
	return f.Is
}

// target is the flag's name in the embedded client.
func (f *Flag) target() string { return cmp.Or(f.To, f.Name) }

// same writes a flag that the embedded client has too.
func (l *line) same(c *Command, f Flag) error {
	words, given := l.given[f.Name]
	name := f.target()
	if !given {
		if f.Default == "" || len(f.Only) > 0 && !slices.Contains(f.Only, l.value("--dataset-name")) {
			return nil
		}
		words = []string{f.Default}
	}
	for i, w := range words {
		if f.Values == nil || isLate(w) {
			continue
		}
		to, known := f.Values[w]
		if !known {
			return &Refusal{f.Name + " " + w, strings.Join(slices.Sorted(maps.Keys(f.Values)), ", ") + " have one", "choose one of them"}
		}
		words = slices.Clone(words)
		words[i] = to
	}
	has, known := l.own(strings.TrimLeft(name, "-"))
	if !given && !f.Always && known && sameText(words[0], has.Default) {
		return nil
	}
	switch f.Takes {
	case "none":
		c.Args = append(c.Args, name)
	default:
		for _, w := range words {
			c.Args = append(c.Args, name, w)
		}
	}
	return nil
}

// line is a command line while it is read.
type line struct {
	program *Program
	given   map[string][]string // by the flag's whole name; the last of several counts, as in argparse
	kept    []string            // flags that only the embedded client has, as they stand there
	own     func(name string) (Own, bool)
	notes   []string // what is otherwise than in the program
}

// Names are the names of its flags.
func (p *Program) Names() (names []string) {
	for _, f := range p.Flags {
		names = append(names, f.Name)
	}
	return names
}

// flag finds the flag of a table by its name.
func (p *Program) flag(name string) *Flag {
	for i := range p.Flags {
		if p.Flags[i].Name == name {
			return &p.Flags[i]
		}
	}
	return nil
}

// Resolve finds a flag by its name or the beginning of it where no other begins so, as argparse
// does; nil where there is none or more than one.
func (p *Program) Resolve(name string) *Flag {
	name = command.Plain(name)
	if f := p.flag(name); f != nil {
		return f
	}
	var found *Flag
	for i := range p.Flags {
		if len(name) > 2 && strings.HasPrefix(p.Flags[i].Name, name) {
			if found != nil {
				return nil
			}
			found = &p.Flags[i]
		}
	}
	return found
}

// Whole is the name of the flag that Resolve finds, or the name as it stands.
func (p *Program) Whole(name string) string {
	if f := p.Resolve(name); f != nil {
		return f.Name
	}
	return command.Plain(name)
}

// UnknownFlag is a flag that neither the other client nor the embedded one has.
type UnknownFlag struct {
	Program string
	Name    string // with its dashes
}

// Error names the flag.
func (e *UnknownFlag) Error() string { return fmt.Sprintf("%s has no flag %s", e.Program, e.Name) }

// read takes a command line apart.
func (p *Program) read(args []string, own func(string) (Own, bool)) (*line, error) {
	l := &line{program: p, given: map[string][]string{}, own: own}
	for i := 0; i < len(args); {
		name, value, joined := strings.Cut(args[i], "=")
		if !command.IsFlag(args[i]) {
			return nil, fmt.Errorf("%q belongs to no flag", args[i])
		}
		i++
		takes := ""
		f := p.Resolve(name)
		if f != nil {
			name, takes = f.Name, f.Takes
		} else if has, known := own(strings.TrimPrefix(command.Plain(name), "--")); known {
			name = command.Plain(name)
			if has.Switch {
				takes = "none"
			}
		} else {
			return nil, &UnknownFlag{p.Name, name}
		}
		var words []string
		switch {
		case joined:
			words = []string{value}
		case takes == "none":
		default:
			for i < len(args) && !command.IsFlag(args[i]) && (takes == "many" || len(words) == 0) {
				words = append(words, args[i])
				i++
			}
		}
		if takes == "" && len(words) == 0 {
			return nil, fmt.Errorf("%s has no value", name)
		}
		if f == nil {
			l.kept = append(append(l.kept, name), words...)
			continue
		}
		l.given[name] = words
	}
	return l, nil
}

// value is what a flag of one value says, or its default.
func (l *line) value(name string) string {
	if words := l.given[name]; len(words) > 0 {
		return words[len(words)-1]
	}
	if f := l.program.flag(name); f != nil {
		return f.Default
	}
	return ""
}

// has tells whether a flag is given.
func (l *line) has(name string) bool {
	_, ok := l.given[name]
	return ok
}
