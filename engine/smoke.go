package engine

import (
	"slices"
	"strconv"
	"strings"

	"servematrix/matrix"
)

// CutDown makes a workload send n requests at most, no more than n at a time, by
// the flags that its profile knows. It tells whether the workload is known to send
// no more: not where a profile knows no flag, where the flags stand in a shell
// script, or where something else decides how many requests there are.
func (c *Catalog) CutDown(cl *matrix.Client, n int) (known bool) {
	p := c.Client(cl.Profile)
	if p.Requests.Flag == "" || isScript(cl.Argv) {
		return false
	}
	argv := slices.Clone(cl.Argv)
	a := args(argv[len(argv)-len(arguments(argv, p.Match)):])
	given := a.lower(p.Requests.Flag, n)
	a.lower(p.Requests.AtOnce, n)
	if !given && p.Requests.Default != "" {
		argv = append(argv, p.Requests.Flag, strconv.Itoa(n))
	}
	cl.Argv = argv
	asked, ok := p.NumPrompts(argv)
	return ok && asked <= n
}

// lower sets a flag to n in place unless its value is a lower number; false: the flag is not given.
func (a args) lower(flag string, n int) bool {
	for i := len(a) - 1; i >= 0; i-- { // the last one counts
		name, value, joined := strings.Cut(a[i], "=")
		if !sameFlag(name, flag) {
			continue
		}
		place, prefix := i, name+"="
		if !joined {
			if i+1 == len(a) || strings.HasPrefix(a[i+1], "--") {
				return true // without a value; the client will say what it thinks of that
			}
			place, prefix, value = i+1, "", a[i+1]
		}
		if have, err := strconv.Atoi(value); err != nil || have > n {
			a[place] = prefix + strconv.Itoa(n)
		}
		return true
	}
	return false
}
