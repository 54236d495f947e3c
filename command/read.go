package command

import (
	"maps"
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// Reading is one way to read a command: a program with its arguments, and what stands around it.
type Reading struct {
	// Words are the program and its arguments as they are written; for Python the module or the
	// script with its arguments.
	Words []string
	// Around are the wrappers and the interpreter before the program with their own words, and of
	// a script the text before and behind the program's command, and the words that are given to it.
	Around []string
	// Env are variables that are set before the program: NAME=value.
	Env map[string]string
}

// Program is the program's base name.
func (r Reading) Program() string {
	if len(r.Words) == 0 {
		return ""
	}
	return path.Base(r.Words[0])
}

// Args are the program's own arguments.
func (r Reading) Args() Args {
	if len(r.Words) == 0 {
		return nil
	}
	return Args(r.Words[1:])
}

var shells = []string{"bash", "sh", "dash", "zsh", "ksh", "ash"}

// isPython tells an interpreter's base name: python, python3.12, pypy3.
func isPython(name string) bool {
	name = strings.TrimRight(name, "0123456789.")
	return name == "python" || name == "pypy"
}

// isAssignment tells NAME=value.
func isAssignment(word string) bool {
	name, _, ok := strings.Cut(word, "=")
	return ok && syntax.ValidName(name)
}

// Read gives the likeliest way to read a command: through every wrapper, by what is known of its
// options, and of a script the command with the most flags, the last of several.
func Read(argv []string) Reading {
	r := Reading{}
	for {
		argv = r.assigned(argv)
		if len(argv) == 0 {
			return r
		}
		if name := path.Base(argv[0]); slices.Contains(shells, name) {
			found := scripted(argv)
			if len(found) == 0 {
				r.Words = argv
				return r
			}
			most := slices.MaxFunc(found, func(a, b Reading) int { return flagsIn(a.Words) - flagsIn(b.Words) })
			argv, r = most.Words, r.with(most)
			continue
		}
		at, last := wrapped(argv)
		if at > 0 {
			r = r.with(Reading{Around: argv[:at]})
			argv = argv[at:]
		}
		if at == 0 || last {
			r.Words = argv
			return r
		}
	}
}

func flagsIn(words []string) (n int) {
	for _, w := range words {
		if IsFlag(w) {
			n++
		}
	}
	return n
}

// Readings gives the ways to read a command, in the order in which to try them: as it stands,
// then, where it only runs another one, as that. For Python and shells only what they run counts.
func Readings(argv []string) []Reading { return Reading{}.readings(argv) }

func (r Reading) readings(argv []string) []Reading {
	argv = r.assigned(argv)
	if len(argv) == 0 {
		return nil
	}
	name := path.Base(argv[0])
	at, last := wrapped(argv)
	switch {
	case last:
		r = r.with(Reading{Around: argv[:at]})
		r.Words = argv[at:]
		return []Reading{r}
	case isPython(name):
		return nil
	case slices.Contains(shells, name):
		var all []Reading
		for _, found := range scripted(argv) {
			all = append(all, r.with(found).readings(found.Words)...)
		}
		return all
	}
	as := r
	as.Words = argv
	all := []Reading{as}
	if at == 0 {
		return all
	}
	// Then each position is tried, for not every option of every wrapper is known; a wrapper's
	// option is no program that anybody looks for.
	places := []int{at}
	inner := wrappers[path.Base(argv[at])] // it tries the places behind it
	for i := 1; i < len(argv) && (i <= at || inner == nil); i++ {
		if i != at && wrappers[path.Base(argv[i])] == nil {
			places = append(places, i)
		}
	}
	for _, i := range places {
		all = append(all, r.with(Reading{Around: argv[:i]}).readings(argv[i:])...)
	}
	return all
}

// wrapped gives the place of the program that a wrapper or an interpreter runs, 0 where there is
// none; last tells that it cannot be a wrapper itself, because Python runs it.
func wrapped(argv []string) (at int, last bool) {
	name := path.Base(argv[0])
	if isPython(name) {
		at = pythonProgram(argv)
		return at, at > 0
	}
	w := wrappers[name]
	if w == nil {
		return 0, false
	}
	if at = w.program(argv); at >= len(argv) {
		return 0, false
	}
	return at, false
}

// pythonProgram is the place of the module or the script that Python runs, 0 where it runs neither.
func pythonProgram(argv []string) int {
	for i := 1; i < len(argv); i++ {
		switch arg := argv[i]; {
		case arg == "-m" && i+1 < len(argv):
			return i + 1
		case arg == "-c" || arg == "-m":
			return 0
		case arg == "-X" || arg == "-W" || arg == "--check-hash-based-pycs":
			i++
		case strings.HasPrefix(arg, "-"):
		default:
			return i
		}
	}
	return 0
}

// assigned takes the variables off that are set before a program.
func (r *Reading) assigned(argv []string) []string {
	n := 0
	for n < len(argv) && isAssignment(argv[n]) {
		n++
	}
	if n > 0 {
		r.Env = maps.Clone(r.Env)
	}
	for _, word := range argv[:n] {
		name, value, _ := strings.Cut(word, "=")
		if r.Env == nil {
			r.Env = map[string]string{}
		}
		r.Env[name] = value
	}
	return argv[n:]
}

// with adds what stands around an inner reading. An env that only sets variables is nothing by itself.
func (r Reading) with(inner Reading) Reading {
	if len(inner.Around) != 1 || path.Base(inner.Around[0]) != "env" {
		r.Around = slices.Concat(r.Around, inner.Around)
	}
	if len(inner.Env) > 0 {
		env := map[string]string{}
		maps.Copy(env, r.Env)
		maps.Copy(env, inner.Env)
		r.Env = env
	}
	return r
}
