package engine

import (
	"path"
	"regexp"
	"slices"
	"strings"
)

// wrappers run the command that follows their own options.
var wrappers = []string{
	"cgexec", "chrt", "command", "conda", "doas", "dumb-init", "env", "exec", "ionice", "mamba", "micromamba", "ncu", "nice", "nohup", "nsys", "numactl",
	"perf", "pixi", "poetry", "prlimit", "py-spy", "setsid", "srun", "stdbuf", "strace", "sudo", "systemd-run", "taskset", "time", "timeout", "tini", "torchrun", "unbuffer", "uv", "uvx",
}

var (
	python = regexp.MustCompile(`^(?:python|pypy)[0-9.]*$`)
	shells = []string{"bash", "sh", "dash", "zsh", "ksh", "ash"}
)

// readings gives the ways to read a command as a program with arguments, in
// the order in which to try them: as it stands, then, where it only runs
// another one, as that. The program is a base name; for Python, the module or
// the script's base name.
func readings(argv []string) [][]string {
	if len(argv) == 0 {
		return nil
	}
	name := path.Base(argv[0])
	switch {
	case python.MatchString(name):
		if r := pythonReading(argv[1:]); r != nil {
			return [][]string{r}
		}
		return nil
	case slices.Contains(shells, name):
		text, ok := script(argv)
		if !ok {
			return nil
		}
		var all [][]string
		for _, words := range scriptCommands(text) {
			all = append(all, readings(words)...)
		}
		return all
	}
	all := [][]string{append([]string{name}, argv[1:]...)}
	if slices.Contains(wrappers, name) {
		for i := 1; i < len(argv); i++ {
			// Each position is tried, for the options of thirty wrappers are
			// nothing to know; a wrapper's option is no program that we know.
			if base := path.Base(argv[i]); !slices.Contains(wrappers, base) {
				all = append(all, readings(argv[i:])...)
			}
		}
	}
	return all
}

// pythonReading reads what follows the interpreter.
func pythonReading(argv []string) []string {
	for i := 0; i < len(argv); i++ {
		switch arg := argv[i]; {
		case arg == "-m" && i+1 < len(argv):
			return argv[i+1:]
		case arg == "-c" || arg == "-m":
			return nil
		case arg == "-X" || arg == "-W" || arg == "--check-hash-based-pycs":
			i++
		case strings.HasPrefix(arg, "-"):
		default:
			return append([]string{path.Base(arg)}, argv[i+1:]...)
		}
	}
	return nil
}

// fit tells whether the match recognises a reading and how specific it is; 0: it does not.
func (m Match) fit(reading []string) int {
	words := strings.Fields(m.Command)
	if len(words) == 0 || len(reading) < len(words) || !slices.Equal(words, reading[:len(words)]) || !allHold(m.When, reading[len(words):]) {
		return 0
	}
	return 10*len(words) + len(m.When)
}

// best is the most specific fit of the matches to a reading.
func best(matches []Match, reading []string) int {
	most := 0
	for _, m := range matches {
		most = max(most, m.fit(reading))
	}
	return most
}

// arguments gives the arguments of the recognised command within argv; where
// it is not recognised, everything after the first word.
func arguments(argv []string, matches []Match) args {
	for _, r := range readings(argv) {
		if best(matches, r) > 0 {
			return r[1:]
		}
	}
	if all := readings(argv); len(all) > 0 {
		return all[0][1:]
	}
	if len(argv) > 0 {
		return argv[1:]
	}
	return nil
}

// isScript tells whether flags appended to argv would not reach the command.
func isScript(argv []string) bool {
	for i, word := range argv {
		base := path.Base(word)
		if slices.Contains(shells, base) {
			_, ok := script(argv[i:])
			return ok
		}
		if i == 0 && !slices.Contains(wrappers, base) {
			return false
		}
	}
	return false
}
