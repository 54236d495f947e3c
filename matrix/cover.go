package matrix

import "slices"

// cover picks few of the cells, in their order, so that each server and each
// client among them occurs: as many pairs as can be, and a cell for each that is
// left over. No other choice takes fewer starts.
func (p *Plan) cover(cells []Cell) []Cell {
	shared := p.sharing()
	m := matching{cells: cells, of: map[string][]int{}, taken: map[string]int{}}
	var clients []string
	free := map[string]bool{} // clients that a shared start can serve at no cost
	for i, c := range cells {
		if m.of[c.Client] == nil {
			clients = append(clients, c.Client)
		}
		m.of[c.Client] = append(m.of[c.Client], i)
		free[c.Client] = free[c.Client] || shared[c.Server]
	}
	// Who comes first in a matching stays in it: those that cost a start when left over.
	costly := slices.DeleteFunc(slices.Clone(clients), func(c string) bool { return free[c] })
	cheap := slices.DeleteFunc(clients, func(c string) bool { return !free[c] })
	clients = append(costly, cheap...)

	chosen, served, used := map[int]bool{}, map[string]bool{}, map[string]int{}
	choose := func(i int) {
		chosen[i], served[cells[i].Client] = true, true
		used[cells[i].Server]++
	}
	for _, c := range clients {
		m.asked = map[string]bool{}
		m.pair(c)
	}
	for _, i := range m.taken {
		choose(i)
	}
	for _, c := range clients {
		if !served[c] {
			choose(slices.MinFunc(m.of[c], func(i, j int) int {
				a, b := cells[i].Server, cells[j].Server
				switch {
				case shared[a] && !shared[b]:
					return -1
				case shared[b] && !shared[a]:
					return 1
				}
				return used[a] - used[b]
			}))
		}
	}
	for i, c := range cells {
		if used[c.Server] == 0 {
			choose(i)
		}
	}
	var few []Cell
	for i, c := range cells {
		if chosen[i] {
			few = append(few, c)
		}
	}
	return few
}

// matching pairs servers with clients, each at most once, as many as can be
// (Kuhn's augmenting paths).
type matching struct {
	cells []Cell
	of    map[string][]int // places of a client's cells
	taken map[string]int   // server → place of its cell in the matching
	asked map[string]bool  // servers that this search has tried
}

// pair finds a server for a client, moving others where that helps.
func (m *matching) pair(client string) bool {
	for _, i := range m.of[client] {
		if _, taken := m.taken[m.cells[i].Server]; !taken {
			m.taken[m.cells[i].Server] = i
			return true
		}
	}
	for _, i := range m.of[client] {
		server := m.cells[i].Server
		if m.asked[server] {
			continue
		}
		m.asked[server] = true
		if m.pair(m.cells[m.taken[server]].Client) {
			m.taken[server] = i
			return true
		}
	}
	return false
}
