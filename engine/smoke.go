package engine

import (
	"slices"
	"strconv"

	"servematrix/command"
	"servematrix/matrix"
)

// CutDown makes a workload send n requests at most, no more than n at a time, by
// the flags that its profile knows. It tells whether the workload is known to send
// no more: not where a profile knows no flag, where the flags stand in a shell
// script, or where something else decides how many requests there are.
func (c *Catalog) CutDown(cl *matrix.Client, n int) (known bool) {
	p := c.Client(cl.Profile)
	if p.Requests.Flag == "" || command.IsScript(cl.Argv) {
		return false
	}
	argv := slices.Clone(cl.Argv)
	a := command.Args(argv[len(argv)-len(arguments(argv, p.Match)):])
	if g := p.Requests.Groups; g.Flag != "" && allHold(g.When, a) {
		for _, flag := range []struct {
			name string
			most int
		}{{g.Flag, n}, {g.Each, 1}} {
			if !lower(a, flag.name, flag.most) {
				argv = append(argv, flag.name, strconv.Itoa(flag.most))
			}
		}
		lower(a, g.Turns, 1)
		lower(a, p.Requests.AtOnce, n)
		cl.Argv = argv
		return true
	}
	most := n
	if len(p.Requests.Times) > 0 {
		most = 1 // the other flags multiply it
	}
	given := lower(a, p.Requests.Flag, most)
	lower(a, p.Requests.AtOnce, n)
	if !given && p.Requests.Default != "" {
		argv = append(argv, p.Requests.Flag, strconv.Itoa(most))
	}
	cl.Argv = argv
	asked, ok := p.NumPrompts(argv)
	return ok && asked <= n
}

// lower sets a flag to n in place unless its value is a lower number; false: the flag is not given.
func lower(a command.Args, flag string, n int) bool {
	value, ok := a.Value(flag)
	if have, err := strconv.Atoi(value); err != nil || have > n {
		a.Set(flag, strconv.Itoa(n)) // without a value it stays; the client will say what it thinks of that
	}
	return ok
}
