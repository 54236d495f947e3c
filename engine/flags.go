package engine

import (
	"slices"
	"strconv"
	"strings"

	"servematrix/command"
)

// in gives the flag's value in a command, or what its absence means.
func (f Flag) in(a command.Args) string {
	if v, ok := a.Value(f.Flag); ok {
		return v
	}
	return f.Default
}

// in gives the port that the flag names, or the default that applies;
// "" where neither is known.
func (f PortFlag) in(a command.Args) (port string, given bool) {
	if v, ok := a.Value(f.Flag); ok {
		return v, true
	}
	if f.By != nil {
		if port, ok := f.By.Ports[Flag{f.By.Flag, f.By.Default}.in(a)]; ok {
			return port, false
		}
	}
	return f.Default, false
}

// holds answers the condition.
func (c Condition) holds(a command.Args) bool {
	v, ok := a.Value(c.Flag)
	if !ok {
		if c.Default == "" {
			return false
		}
		v = c.Default
	}
	if len(c.Values) > 0 && !slices.ContainsFunc(c.Values, func(w string) bool { return sameValue(v, w) }) {
		return false
	}
	return !slices.ContainsFunc(c.Not, func(w string) bool { return sameValue(v, w) })
}

func anyHolds(cs []Condition, a command.Args) bool {
	return slices.ContainsFunc(cs, func(c Condition) bool { return c.holds(a) })
}

func allHold(cs []Condition, a command.Args) bool {
	return !slices.ContainsFunc(cs, func(c Condition) bool { return !c.holds(a) })
}

// sameValue compares texts, or numbers where both are some: 1 is 1.0.
func sameValue(a, b string) bool {
	if a == b {
		return true
	}
	x, err1 := strconv.ParseFloat(a, 64)
	y, err2 := strconv.ParseFloat(b, 64)
	return err1 == nil && err2 == nil && x == y
}

// isLate tells whether a text holds a value that only the run knows.
func isLate(s string) bool { return strings.Contains(s, "${{") }
