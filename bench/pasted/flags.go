package pasted

import (
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"servematrix/command"
)

// sglang is the client whose flags the embedded client's own are called after.
const sglang = "sglang.bench_serving"

// Flags are those of a pasted command line that the embedded client has not got.
type Flags struct{ seen []seenFlag }

type seenFlag struct {
	*Flag
	value string
}

// AddFlags adds to fs, hidden, every flag of sglang.bench_serving that it has not got, so that a
// pasted line is understood: l notes what is given.
func AddFlags(fs *pflag.FlagSet, l *Flags) {
	*l = Flags{}
	p := Lookup(sglang)
	for i := range p.Flags {
		f := &p.Flags[i]
		name := strings.TrimLeft(f.Name, "-")
		if fs.Lookup(name) != nil {
			continue
		}
		added := fs.VarPF(&foreign{flags: l, flag: f}, name, "", f.Note)
		added.Hidden = true
		if f.Takes == "none" {
			added.NoOptDefVal = "true"
		}
	}
}

// Check tells what it means that the flags were given with a data set: which are left out, and
// that one is refused.
func (l Flags) Check(set string) (notes []string, err error) {
	for _, s := range l.seen {
		switch {
		case s.Is == LeftOut || len(s.Only) > 0 && !slices.Contains(s.Only, set):
			notes = append(notes, noted(s.Name, s.leftOut(set)))
		case s.value == "" || !sameText(s.value, s.Default):
			return nil, &Refusal{Flag: s.Name, Why: s.Note}
		}
	}
	return notes, nil
}

// foreign is the value of a flag that the embedded client has not got.
type foreign struct {
	flags *Flags
	flag  *Flag
}

func (f *foreign) String() string { return "" }
func (f *foreign) Type() string   { return "string" }
func (f *foreign) Set(value string) error {
	f.flags.seen = append(f.flags.seen, seenFlag{f.flag, value})
	return nil
}

// Spell writes arguments as fs reads them, where argparse reads more: several words behind one
// flag, underscores, and with whole, which gives the whole name of a flag, abbreviated names. From
// a word that belongs to no flag on, such as the name of another client, they stay as they are.
func Spell(fs *pflag.FlagSet, args []string, whole func(fs *pflag.FlagSet, name string) string) []string {
	var out []string
	many := ""    // a flag that takes all words up to the next flag
	open := false // the flag before waits for its value
	for i, word := range args {
		switch {
		case word == "--":
			return append(out, args[i:]...)
		case command.IsFlag(word) && strings.HasPrefix(word, "--"):
			name, value, joined := strings.Cut(word, "=")
			name = whole(fs, name)
			many = ""
			if takesMany(name) && !joined {
				many = name
				continue // it stands before each of its words
			}
			f := fs.Lookup(strings.TrimLeft(name, "-"))
			open = !joined && (f == nil || f.NoOptDefVal == "")
			if joined {
				name += "=" + value
			}
			out = append(out, name)
		case many != "" && !command.IsFlag(word):
			out = append(out, many+"="+word)
		case open || command.IsFlag(word):
			many, open = "", false
			out = append(out, word)
		default:
			return append(out, args[i:]...)
		}
	}
	return out
}

// takesMany tells a flag that another client takes with several words.
func takesMany(name string) bool {
	return slices.ContainsFunc(Programs(), func(p *Program) bool {
		f := p.flag(name)
		return f != nil && f.Takes == "many"
	})
}

// Exact is the name of the flag of fs that is called so, with underscores too, or the name as it stands.
func Exact(fs *pflag.FlagSet, name string) string {
	if fs.Lookup(strings.TrimLeft(command.Plain(name), "-")) != nil {
		return command.Plain(name)
	}
	return name
}

// Begun is the name of the one flag that begins so, of those of sglang.bench_serving or else of fs;
// otherwise the name as it stands.
func Begun(fs *pflag.FlagSet, name string) string {
	short := strings.TrimLeft(command.Plain(name), "-")
	if short == "" || short == "help" || fs.Lookup(short) != nil {
		return Exact(fs, name)
	}
	if f := Lookup(sglang).Resolve(name); f != nil {
		return f.Name
	}
	found := ""
	several := false
	fs.VisitAll(func(f *pflag.Flag) {
		if strings.HasPrefix(f.Name, short) {
			several = several || found != ""
			found = f.Name
		}
	})
	if found == "" || several {
		return name
	}
	return "--" + found
}
