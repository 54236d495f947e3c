package compare

import (
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"

	"servematrix/result"
)

// Kinds of facts that a command tells.
const (
	KindFlag    = "flag"
	KindEnv     = "env"
	KindCommand = "command"
)

// Present is the value of a flag that stands without one.
const Present = "present"

// command is a command taken apart, so that two can be compared flag by flag, whatever the order
// of their words.
type command struct {
	program string            // the words before the first flag
	flags   map[string]string // by name as written with hyphens, "--tp": "8"; of a flag that comes twice both values
	env     map[string]string
}

// takeApart reads a command. A flag's value is all that follows up to the next flag. Underscores
// in a long flag's name count as hyphens, as engines take both. A script given to a shell is read
// by its words.
func takeApart(side *result.Side) command {
	c := command{flags: map[string]string{}, env: side.Env}
	words := side.Argv
	if len(words) == 3 && words[1] == "-c" && slices.Contains([]string{"sh", "bash", "dash", "zsh"}, path.Base(words[0])) {
		words = append(words[:1:1], strings.Fields(words[2])...)
	}
	at := firstFlag(words)
	c.program = strings.Join(words[:at], " ")
	for at < len(words) {
		name, value, joined := strings.Cut(words[at], "=")
		end := at + 1
		for end < len(words) && !isFlag(words[end]) {
			end++
		}
		parts := words[at+1 : end]
		if joined {
			parts = append([]string{value}, parts...)
		}
		text := strings.Join(parts, " ")
		if !joined && len(parts) == 0 {
			text = Present
		}
		name = flagName(name)
		if before, twice := c.flags[name]; twice {
			text = before + " " + text
		}
		c.flags[name] = text
		at = end
	}
	return c
}

// firstFlag is the place of a program's first flag. What Python takes for itself belongs to the
// program: in `python3 -u -m sglang.bench_serving --backend vllm` that is --backend.
func firstFlag(words []string) int {
	at := slices.IndexFunc(words, isFlag)
	if at < 0 {
		return len(words)
	}
	if at == 0 || !strings.HasPrefix(path.Base(words[at-1]), "python") {
		return at
	}
	for i := at; i < len(words); i++ {
		switch words[i] {
		case "-u", "-O", "-OO", "-B", "-E", "-I", "-P", "-q", "-s", "-S", "-v":
		case "-X", "-W":
			i++
		case "-m":
			return min(i+2, len(words))
		default:
			if isFlag(words[i]) {
				return at
			}
			return i + firstFlag(words[i:])
		}
	}
	return at
}

// isFlag tells a flag from a value: -1 and -0.5 are numbers.
func isFlag(word string) bool {
	if len(word) < 2 || word[0] != '-' || word == "--" {
		return false
	}
	_, err := strconv.ParseFloat(word, 64)
	return err != nil
}

func flagName(name string) string {
	if strings.HasPrefix(name, "--") {
		return strings.ReplaceAll(name, "_", "-")
	}
	return name
}

// sameText compares values as text, or as numbers where both are some: 0.9 is 0.90.
func sameText(a, b string) bool {
	if a == b {
		return true
	}
	x, err1 := strconv.ParseFloat(a, 64)
	y, err2 := strconv.ParseFloat(b, 64)
	return err1 == nil && err2 == nil && x == y
}

// addresses are flags that say where a server listens or a result goes: they differ from start
// to start and change nothing that is measured.
var addresses = map[string]bool{
	"--port": true, "--host": true, "--base-url": true, "--output-file": true, "--result-dir": true, "--result-filename": true,
}

// passing are keys of a configuration that differ from run to run and change nothing that is measured.
var passing = map[string]bool{
	"date": true, "port": true, "host": true, "base_url": true, "output_file": true, "result_dir": true, "result_filename": true, "label": true, "tag": true,
}

// change is one thing in which two commands or two lists of facts differ; a nil side has it not.
type change struct {
	kind, name    string
	baseline, arm *string
}

// changes gives what differs between two commands: the program, the flags, the environment.
func (c command) changes(arm command) []change {
	var out []change
	if c.program != arm.program {
		out = append(out, change{KindCommand, "program", &c.program, &arm.program})
	}
	out = append(out, mapChanges(KindFlag, c.flags, arm.flags)...)
	return append(out, mapChanges(KindEnv, c.env, arm.env)...)
}

func mapChanges(kind string, a, b map[string]string) []change {
	var out []change
	names := slices.Collect(maps.Keys(a))
	for name := range b {
		if _, both := a[name]; !both {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	for _, name := range names {
		x, inA := a[name]
		y, inB := b[name]
		if inA && inB && sameText(x, y) {
			continue
		}
		ch := change{kind: kind, name: name}
		if inA {
			ch.baseline = &x
		}
		if inB {
			ch.arm = &y
		}
		out = append(out, ch)
	}
	return out
}

// commands takes commands apart, each side once.
type commands map[*result.Side]*command

func (cs commands) of(side *result.Side) *command {
	c := cs[side]
	if c == nil {
		taken := takeApart(side)
		c = &taken
		cs[side] = c
	}
	return c
}

// identity is what a side is where no plan names it.
func identity(side *result.Side) string {
	if side.ID != "" {
		return side.ID
	}
	var b strings.Builder
	b.WriteString(side.Name)
	for _, word := range side.Argv {
		b.WriteByte(0)
		b.WriteString(word)
	}
	for _, name := range slices.Sorted(maps.Keys(side.Env)) {
		b.WriteByte(1)
		b.WriteString(name + "=" + side.Env[name])
	}
	return b.String()
}
