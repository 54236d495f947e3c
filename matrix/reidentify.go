package matrix

// Reidentify gives workloads whose command was changed the ids of what they are now, in the plan's
// cells too. It tells which pairs have become the same.
func (p *Plan) Reidentify(changed []*Client) (twice [][2]*Client) {
	became := map[string]string{}
	for _, c := range changed {
		old := c.ID
		p.reidentify(c)
		became[old] = c.ID
	}
	for i, c := range p.Cells {
		if id, ok := became[c.Client]; ok {
			p.Cells[i] = Cell{ID: CellID(c.Server, id), Server: c.Server, Client: id}
		}
	}
	first := map[string]*Client{} // by the part of the id that stands for what is run
	for _, c := range p.Clients {
		if same := first[Hex(c.ID)]; same != nil {
			twice = append(twice, [2]*Client{same, c})
			continue
		}
		first[Hex(c.ID)] = c
	}
	return twice
}
