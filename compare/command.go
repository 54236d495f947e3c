package compare

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"servematrix/command"
	"servematrix/engine"
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

// invocation is a command taken apart, so that two can be compared flag by flag, whatever the order
// of their words.
type invocation struct {
	program string            // the words that are no flag's: wrappers, the program, what else stands in a script
	flags   map[string]string // by name as written with hyphens, "--tp": "8"; of a flag that its profile repeats all values
	env     map[string]string
}

// takeApart reads a command.
func takeApart(side *result.Side) *invocation {
	read := engine.Embedded().Read(side.Argv)
	c := &invocation{flags: map[string]string{}, env: side.Env}
	words := slices.Clone(read.Around)
	if len(read.Words) > 0 {
		words = append(words, read.Words[0])
	}
	c.program = strings.Join(append(words, read.Loose()...), " ")
	for _, f := range read.Flags() {
		text := Present
		if len(f.Values) > 0 {
			text = strings.Join(f.Values, " ")
		}
		c.flags[command.Plain(f.Name)] = text
	}
	if len(read.Env) > 0 {
		c.env = maps.Clone(read.Env)
		for name, value := range side.Env {
			if _, nearer := c.env[name]; !nearer {
				c.env[name] = value
			}
		}
	}
	return c
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
func (c *invocation) changes(arm *invocation) []change {
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
type commands map[*result.Side]*invocation

func (cs commands) of(side *result.Side) *invocation {
	c := cs[side]
	if c == nil {
		c = takeApart(side)
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
