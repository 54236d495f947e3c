package engine

import (
	"slices"
	"strconv"
	"strings"
)

// args are the arguments of a command, without its program.
type args []string

// value gives the value of a flag, written "--flag value" or "--flag=value".
// The last one counts, as in argparse; underscores count as hyphens, as in vLLM.
func (a args) value(flag string) (string, bool) {
	for i := len(a) - 1; i >= 0; i-- {
		name, value, joined := strings.Cut(a[i], "=")
		if !sameFlag(name, flag) {
			continue
		}
		if joined {
			return value, true
		}
		if i+1 < len(a) && !strings.HasPrefix(a[i+1], "--") {
			return a[i+1], true
		}
		return "", true
	}
	return "", false
}

// has tells whether a flag is given.
func (a args) has(flag string) bool {
	_, ok := a.value(flag)
	return ok
}

func sameFlag(got, want string) bool {
	if want == "" || !strings.HasPrefix(got, "-") {
		return false
	}
	return got == want || strings.ReplaceAll(got, "_", "-") == strings.ReplaceAll(want, "_", "-")
}

// valueOr gives the flag's value, or what its absence means.
func (a args) valueOr(f Flag) string {
	if v, ok := a.value(f.Flag); ok {
		return v
	}
	return f.Default
}

// port gives the port that the flag names, or the default that applies;
// "" where neither is known.
func (a args) port(f PortFlag) (port string, given bool) {
	if v, ok := a.value(f.Flag); ok {
		return v, true
	}
	if f.By != nil {
		if port, ok := f.By.Ports[a.valueOr(Flag{f.By.Flag, f.By.Default})]; ok {
			return port, false
		}
	}
	return f.Default, false
}

// holds answers the condition.
func (c Condition) holds(a args) bool {
	v, ok := a.value(c.Flag)
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

func anyHolds(cs []Condition, a args) bool {
	return slices.ContainsFunc(cs, func(c Condition) bool { return c.holds(a) })
}

func allHold(cs []Condition, a args) bool {
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
