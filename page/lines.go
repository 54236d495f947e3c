package page

import (
	"slices"
	"strconv"
	"strings"
)

// lines say which line of a load curve a cell's point belongs to: a line joins only what differs
// in its load alone.
type lines struct {
	names []string        // of each cell
	apart map[string]bool // of these lines nobody knows what their points have in common
}

// lines names those of the cells: by the server variant, and by the axes of the clients besides that
// of the load. Where no axis is the load's, the flags of the commands tell what else differs.
func (v *view) lines(load func(Load) float64) lines {
	l := lines{apart: map[string]bool{}}
	asked := v.asked(load)
	skip, differing := v.loadAxis(asked), []string(nil)
	if skip < 0 {
		differing = v.differing(asked)
	}
	for _, c := range v.Data.Cells {
		name := c.Server
		for i, a := range v.Data.Axes {
			if skip >= 0 && i != skip && !a.Server && c.Values[i] >= 0 && len(a.Values) > 1 {
				name += " · " + a.Values[c.Values[i]]
			}
		}
		for _, flag := range differing {
			name += " · " + strings.TrimSpace(flag+" "+c.flag(flag))
		}
		l.names = append(l.names, name)
	}
	joined := false
	seen, loads := map[string]bool{}, map[string]map[float64]bool{}
	for i, c := range v.Data.Cells {
		x, name := asked[i], l.names[i]
		if !finite(x) {
			continue
		}
		if loads[name] == nil {
			loads[name] = map[float64]bool{}
		}
		l.apart[name] = l.apart[name] || loads[name][x]
		loads[name][x], seen[c.Server] = true, true
		joined = joined || len(loads[name]) > 1
	}
	if !joined && len(differing) > 0 { // lines of one point each: the servers are easier to read
		for i, c := range v.Data.Cells {
			l.names[i] = c.Server
		}
		l.apart = seen
	}
	return l
}

// asked gives the load of each cell. That of a cell which was not measured is read from the flag that
// gives the load of all the others: what has not run must not hide what else differs.
func (v *view) asked(load func(Load) float64) []float64 {
	loads := make([]float64, len(v.Data.Cells))
	for i, c := range v.Data.Cells {
		loads[i] = load(c.Load)
	}
	from := slices.IndexFunc(v.flags(), func(name string) bool {
		for i, c := range v.Data.Cells {
			if finite(loads[i]) && c.number(name) != loads[i] {
				return false
			}
		}
		return true
	})
	if from < 0 {
		return loads
	}
	name := v.flags()[from]
	for i, c := range v.Data.Cells {
		if !finite(loads[i]) {
			loads[i] = c.number(name)
		}
	}
	return loads
}

// loadAxis is the axis of the clients whose values are loads: each has one, and another; -1: none.
func (v *view) loadAxis(asked []float64) int {
	for i, a := range v.Data.Axes {
		if a.Server || len(a.Values) < 2 {
			continue
		}
		loads := map[int]float64{}
		values := map[float64]int{}
		fits := true
		for k, c := range v.Data.Cells {
			x, at := asked[k], c.Values[i]
			if !finite(x) || at < 0 {
				continue
			}
			if known, ok := loads[at]; ok && known != x {
				fits = false
			}
			if known, ok := values[x]; ok && known != at {
				fits = false
			}
			loads[at], values[x] = x, at
		}
		if fits && len(loads) > 1 {
			return i
		}
	}
	return -1
}

// differing gives the flags of the clients' commands that do not follow the load.
func (v *view) differing(asked []float64) []string {
	return slices.DeleteFunc(v.flags(), func(name string) bool { return v.follows(name, asked) })
}

// follows tells whether a flag is the same for all cells or goes with the load: each load has one
// value of it, and each another one. Numbers may stay the same while they grow, as a number of
// requests does that has a minimum.
func (v *view) follows(name string, asked []float64) bool {
	values := map[float64]string{}
	different := map[string]bool{}
	for i, c := range v.Data.Cells {
		x, value := asked[i], c.flag(name)
		if !finite(x) {
			continue
		}
		if known, ok := values[x]; ok && known != value {
			return false
		}
		values[x], different[value] = value, true
	}
	return len(different) <= 1 || len(different) == len(values) || grow(values)
}

// grow tells whether values are numbers that never fall while the load grows.
func grow(values map[float64]string) bool {
	var loads, numbers []float64
	for x := range values {
		loads = append(loads, x)
	}
	slices.Sort(loads)
	for _, x := range loads {
		n, err := strconv.ParseFloat(values[x], 64)
		if err != nil {
			return false
		}
		numbers = append(numbers, n)
	}
	return slices.IsSorted(numbers)
}

// flags are the names of those of all commands.
func (v *view) flags() []string {
	names := newList[string]()
	for _, c := range v.Data.Cells {
		for _, f := range c.Flags {
			names.of(f.Name)
		}
	}
	return names.all
}

// flag gives the value of a flag of the client's command, "" where it has none.
func (c Cell) flag(name string) string {
	for _, f := range c.Flags {
		if f.Name == name {
			return f.Value
		}
	}
	return ""
}

// number is that of a flag, NaN where it is none.
func (c Cell) number(name string) float64 {
	n, err := strconv.ParseFloat(c.flag(name), 64)
	if err != nil {
		return nan
	}
	return n
}
