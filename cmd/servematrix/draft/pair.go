package draft

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Unpaired is a note where the script ran other pairs of server and client than the sweep
// does; "" where the sweep runs just these, or nothing is known.
func Unpaired(in Input) string {
	p := pairsOf(in)
	if !p.chosen() {
		return ""
	}
	server, client := in.halves()
	if _, ok := p.when(server, client); ok {
		return ""
	}
	return fmt.Sprintf("the script runs %d of the %d pairs of server and client that this sweep runs; pair: chooses some of them", len(p.ran), p.servers*p.clients)
}

// pairs are the pairs of server and client that a script ran.
type pairs struct {
	ran              [][2]int // rows of the halves
	servers, clients int      // rows of each half
}

func pairsOf(in Input) pairs {
	servers, s := rows(in.Servers)
	clients, c := rows(in.Clients)
	p := pairs{servers: s, clients: c}
	for _, pair := range in.Pairs {
		if row := [2]int{servers[pair[0]], clients[pair[1]]}; !slices.Contains(p.ran, row) {
			p.ran = append(p.ran, row)
		}
	}
	return p
}

// rows gives each command's place among the different ones, and how many these are.
func rows(commands []Command) (at []int, n int) {
	places := map[string]int{}
	for _, c := range commands {
		form := c.form()
		if _, ok := places[form]; !ok {
			places[form] = len(places)
		}
		at = append(at, places[form])
	}
	return at, len(places)
}

// chosen tells whether the pairs are known, and not all that there can be.
func (p pairs) chosen() bool { return len(p.ran) > 0 && len(p.ran) < p.servers*p.clients }

// when is the condition for just these pairs. False: the axes cannot say it, or a server or a
// client has no pair, so that the script does not tell whom it belongs to.
func (p pairs) when(server, client side) (string, bool) {
	met := make([][]int, p.servers) // the clients of each server
	alone := map[int]bool{}
	for c := range p.clients {
		alone[c] = true
	}
	for _, pair := range p.ran {
		met[pair[0]] = append(met[pair[0]], pair[1])
		delete(alone, pair[1])
	}
	var groups [][]int // servers with the same clients
	for s, clients := range met {
		slices.Sort(clients)
		i := slices.IndexFunc(groups, func(g []int) bool { return slices.Equal(met[g[0]], clients) })
		if i < 0 {
			i, groups = len(groups), append(groups, nil)
		}
		groups[i] = append(groups[i], s)
		if len(clients) == 0 {
			return "", false
		}
	}
	if len(alone) > 0 {
		return "", false
	}
	var cases []string
	for _, servers := range groups {
		of, ok1 := server.where("server", servers)
		with, ok2 := client.where("client", met[servers[0]])
		if !ok1 || !ok2 {
			return "", false
		}
		cases = append(cases, joined(" and ", of, with))
	}
	return joined(" or ", cases...), true
}

// where is the condition that a row of the half is one of the chosen; "" where each is. By the
// values of each axis where the chosen are all their combinations, else row by row.
func (s side) where(scope string, chosen []int) (string, bool) {
	if len(chosen) == len(s.rows) {
		return "", true
	}
	var all []string
	combinations := 1
	for i, a := range s.axes {
		values, of := s.values(i, chosen), s.values(i, nil)
		if values == nil {
			return "", false
		}
		combinations *= len(values)
		if len(values) == len(of) {
			continue
		}
		for j, v := range values {
			values[j] = scope + "." + a.name + " == " + v
		}
		all = append(all, joined(" or ", values...))
	}
	if combinations == len(chosen) {
		return joined(" and ", all...), true
	}
	var cases []string
	for _, row := range chosen {
		var fits []string
		for i, a := range s.axes {
			fits = append(fits, scope+"."+a.name+" == "+s.rows[row][i])
		}
		cases = append(cases, joined(" and ", fits...))
	}
	return joined(" or ", cases...), true
}

// values lists the different values of an axis in the chosen rows, in all where none is chosen;
// none where two values of the axis are one to a condition, or one has no constant.
func (s side) values(axis int, chosen []int) (values []string) {
	var all []string
	for i, row := range s.rows {
		v := row[axis]
		if v == "" {
			return nil
		}
		if !slices.Contains(all, v) {
			if slices.ContainsFunc(all, func(w string) bool { return sameNumber(v, w) }) {
				return nil
			}
			all = append(all, v)
		}
		if (chosen == nil || slices.Contains(chosen, i)) && !slices.Contains(values, v) {
			values = append(values, v)
		}
	}
	return values
}

func sameNumber(a, b string) bool {
	x, err1 := strconv.ParseFloat(a, 64)
	y, err2 := strconv.ParseFloat(b, 64)
	return err1 == nil && err2 == nil && x == y
}

// constant writes an axis value, or the id of one, as a condition has it; "" where only
// the plan knows it, or YAML reads other digits than a condition.
func constant(value string) string {
	switch {
	case strings.Contains(value, "${{"):
		return ""
	case !number.MatchString(value):
		return strconv.Quote(value)
	case len(strings.TrimLeft(value, "-0")) > 15 || value != "0" && strings.HasPrefix(strings.TrimPrefix(value, "-"), "0") && !strings.Contains(value, "."):
		return ""
	}
	return value
}

// joined joins the conditions that say something; several of which one is compound stand in brackets.
func joined(by string, conditions ...string) string {
	conditions = slices.DeleteFunc(slices.Clone(conditions), func(c string) bool { return c == "" })
	if len(conditions) == 1 {
		return conditions[0]
	}
	for i, c := range conditions {
		if strings.Contains(c, " or ") || by == " or " && strings.Contains(c, " and ") {
			conditions[i] = "(" + c + ")"
		}
	}
	return strings.Join(conditions, by)
}
