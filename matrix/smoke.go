package matrix

import (
	"maps"
	"slices"
)

// SmokeRun marks the plan of a smoke run: each server variant and each workload is
// tried once with a few requests. What it measures is no measurement.
type SmokeRun struct {
	Requests int                 `json:"requests"`            // what each workload is cut down to
	Launches int                 `json:"launches"`            // server starts of the run that it is the rehearsal of
	Uncut    []string            `json:"uncut,omitempty"`     // names of workloads that may send more
	StandFor map[string][]string `json:"stand_for,omitempty"` // name of a workload → names of those that are the same when cut down
}

// Rehearsal is the plan of a smoke run of the cells in kept: few cells, so that
// each of their servers and workloads occurs, once, with requests at most. cut makes a
// workload send no more than that and tells whether it is known to; workloads get
// the ids of what they became, and those that became the same are one. p is unchanged.
func (p *Plan) Rehearsal(kept map[string]bool, requests int, cut func(*Client, int) bool) *Plan {
	small := *p
	small.Name += "-smoke"
	small.Run.Blocks, small.Run.Retries, small.Run.Cooldown = 1, 0, 0
	small.Run.Order, small.Run.OnFailure, small.Run.OnStartFailure = "grouped", "continue", "continue"
	small.Validity = "normal" // a few requests may well look odd
	small.Dropped = nil
	small.Smoke = &SmokeRun{Requests: requests, StandFor: map[string][]string{}}

	cells := slices.DeleteFunc(slices.Clone(p.Cells), func(c Cell) bool { return !kept[c.ID] })
	small.Smoke.Launches = p.starts(cells) * p.Run.Blocks
	became := small.cutDown(cells, cut)
	seen := map[Cell]bool{}
	cells = slices.DeleteFunc(cells, func(c Cell) bool {
		pair := Cell{Server: c.Server, Client: became[c.Client]}
		twice := seen[pair]
		seen[pair] = true
		return twice
	})
	for i, c := range cells {
		cells[i].Client = became[c.Client]
		cells[i].ID = CellID(c.Server, cells[i].Client)
	}
	small.Cells = small.cover(cells)
	serves := map[string]bool{}
	for _, c := range small.Cells {
		serves[c.Server] = true
	}
	small.Servers = slices.DeleteFunc(slices.Clone(p.Servers), func(s *Server) bool { return !serves[s.ID] })
	small.Launches = small.starts(small.Cells)
	return &small
}

// cutDown replaces the plan's workloads by those of cells, cut down, and gives the
// new id of each old one.
func (p *Plan) cutDown(cells []Cell, cut func(*Client, int) bool) (became map[string]string) {
	wanted := map[string]bool{}
	for _, c := range cells {
		wanted[c.Client] = true
	}
	became = map[string]string{}
	same := map[string]*Client{} // by the part of the id that stands for what is run
	var all []*Client
	for _, c := range p.Clients {
		if !wanted[c.ID] {
			continue
		}
		few := *c
		few.Warmup = 0
		few.Origins = maps.Clone(c.Origins)
		known := cut(&few, p.Smoke.Requests)
		p.reidentify(&few)
		if first := same[Hex(few.ID)]; first != nil {
			became[c.ID] = first.ID
			p.Smoke.StandFor[first.Name] = append(p.Smoke.StandFor[first.Name], c.Name)
			continue
		}
		if !known {
			p.Smoke.Uncut = append(p.Smoke.Uncut, few.Name)
		}
		same[Hex(few.ID)], became[c.ID] = &few, few.ID
		all = append(all, &few)
	}
	p.Clients = all
	return became
}

// reidentify gives a workload whose command was changed the id of its new command.
func (p *Plan) reidentify(c *Client) {
	src := newSource("", nil, Options{})
	src.secretNames = p.Secrets
	id := identifier{src: src, parts: map[string]string{}}
	id.identify(&draft{Variant: &c.Variant, client: c}, "client")
}

// starts is how many server starts one block of these cells takes.
func (p *Plan) starts(cells []Cell) (n int) {
	shared := p.sharing()
	seen := map[string]bool{}
	for _, c := range cells {
		if !shared[c.Server] || !seen[c.Server] {
			n++
		}
		seen[c.Server] = true
	}
	return n
}

// sharing tells which servers give one start to all their workloads.
func (p *Plan) sharing() map[string]bool {
	shared := map[string]bool{}
	for _, s := range p.Servers {
		shared[s.ID] = s.Isolation == "launch"
	}
	return shared
}
