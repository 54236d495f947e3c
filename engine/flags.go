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
// A flag can be given by several names, "-w|--work-dir", or as a part of its
// value: "--output kind=json,path" is what stands behind path= in the value of
// an --output that has kind=json too, as guidellm takes it.
func (a args) value(flag string) (string, bool) {
	at, ok := a.find(flag)
	return at.value, ok
}

// place is where a flag's value stands: a[word] is before + value + after.
type place struct {
	word                 int
	value, before, after string
}

func (a args) find(flag string) (at place, ok bool) {
	names, part, _ := strings.Cut(flag, " ")
	for i := len(a) - 1; i >= 0; i-- {
		name, value, joined := strings.Cut(a[i], "=")
		if !sameFlag(name, names) {
			continue
		}
		switch {
		case joined:
			at = place{word: i, value: value, before: name + "="}
		case i+1 < len(a) && !strings.HasPrefix(a[i+1], "--"):
			at = place{word: i + 1, value: a[i+1]}
		default:
			at = place{word: i}
		}
		if part == "" || at.narrow(part) {
			return at, true
		}
	}
	return place{}, false
}

// narrow goes to one part of a value like kind=json,path=F; part is kind=json,path.
func (at *place) narrow(part string) bool {
	wanted := strings.Split(part, ",")
	key := wanted[len(wanted)-1] + "="
	fields := strings.Split(at.value, ",")
	for _, w := range wanted[:len(wanted)-1] {
		if !slices.Contains(fields, w) {
			return false
		}
	}
	i := slices.IndexFunc(fields, func(f string) bool { return strings.HasPrefix(f, key) })
	if i < 0 {
		return false
	}
	before, after := strings.Join(fields[:i], ","), strings.Join(fields[i+1:], ",")
	if before != "" {
		before += ","
	}
	if after != "" {
		after = "," + after
	}
	at.value = strings.TrimPrefix(fields[i], key)
	at.before, at.after = at.before+before+key, after+at.after
	return true
}

// several tells whether more than one value follows a flag.
func (a args) several(flag string) bool {
	at, ok := a.find(flag)
	return ok && at.before == "" && at.word+1 < len(a) && !strings.HasPrefix(a[at.word+1], "-")
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
	return slices.ContainsFunc(strings.Split(want, "|"), func(want string) bool {
		return got == want || strings.ReplaceAll(got, "_", "-") == strings.ReplaceAll(want, "_", "-")
	})
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
