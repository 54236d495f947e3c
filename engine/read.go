package engine

import (
	"slices"
	"sync"

	"servematrix/command"
)

// Embedded is the catalog of this binary's own profiles.
var Embedded = sync.OnceValue(func() *Catalog {
	c, err := Load()
	if err != nil {
		panic(err) // a test holds the profiles of this binary
	}
	return c
})

// Command is a command as its profile reads it.
type Command struct {
	command.Reading
	repeats []string
}

// Read reads the command of a server or a client as the profile does that recognises it; where
// none does, as is most likely.
func (c *Catalog) Read(argv []string) Command {
	readings := command.Readings(argv)
	if p, r := recognise(readings, c.servers, func(p *ServerProfile) []Match { return p.Match }); p != nil {
		return Command{r, p.Repeats}
	}
	if p, r := recognise(readings, c.clients, func(p *ClientProfile) []Match { return p.Match }); p != nil {
		return Command{r, p.Repeats}
	}
	return Command{Reading: command.Read(argv)}
}

// Read reads the command of the profile's engine.
func (p *ServerProfile) Read(argv []string) Command {
	return Command{reading(argv, p.Match), p.Repeats}
}

// Flags gives the flags, each once, in the order in which they come first. Of one that is given
// twice the last counts, as in argparse, unless the profile says that it is meant to be repeated:
// then it has all values.
func (c Command) Flags() []command.Flag {
	all, _ := c.Args().Flags()
	at := make(map[string]int, len(all))
	flags := all[:0]
	for _, f := range all {
		name := command.Plain(f.Name)
		i, twice := at[name]
		switch {
		case !twice:
			at[name] = len(flags)
			flags = append(flags, f)
		case slices.ContainsFunc(c.repeats, func(names string) bool { return command.SameFlag(f.Name, names) }):
			flags[i].Values = append(flags[i].Values, f.Values...)
		default:
			flags[i] = f
		}
	}
	return flags
}

// Loose gives the arguments that belong to no flag.
func (c Command) Loose() []string {
	_, words := c.Args().Flags()
	return words
}
