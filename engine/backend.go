package engine

import (
	"slices"

	"servematrix/bench"
	"servematrix/matrix"
)

// anyBackend is what every engine answers.
const anyBackend = "openai"

// backends says to embedded clients which backend their servers are, where the sweep does not: that
// of the one engine that all servers of a workload are, else the one that every engine answers. It
// decides on the load, so it belongs to the command and to the identity. In a script nothing is added.
func (k *completion) backends(p *matrix.Plan) {
	open := map[string]*matrix.Client{}
	for _, cl := range p.Clients {
		if r, is := ownReading(cl.Argv); is && !k.refused[cl] && !r.Args().Has(backend) {
			open[cl.ID] = cl
		}
	}
	if len(open) == 0 {
		return
	}
	engines := map[string]*ServerProfile{} // of servers
	for _, s := range p.Servers {
		engines[s.ID] = k.catalog.Server(s.Profile)
	}
	backends := map[string]string{} // of clients; "" where servers are not of one mind
	for _, cell := range p.Cells {
		if open[cell.Client] == nil {
			continue
		}
		profile := engines[cell.Server]
		name := profile.Backend
		if err := bench.CheckBackend(name); name != "" && err != nil {
			k.report(matrix.Error, open[cell.Client].At, "client-flag", "correct backend in the profile", "profile %s: %v", profile.Name, err)
		}
		if former, ok := backends[cell.Client]; ok && former != name {
			name = ""
		}
		backends[cell.Client] = name
	}
	for _, cl := range p.Clients {
		if open[cl.ID] == nil {
			continue
		}
		v := &cl.Variant
		name, origin := backends[cl.ID], "the servers' profiles"
		if name == "" {
			name, origin = anyBackend, byDefault
		}
		r, _ := ownReading(v.Argv)
		at := len(v.Argv) - len(r.Words) + 2 // behind servematrix bench
		v.Argv = slices.Insert(slices.Clone(v.Argv), at, backend, name)
		k.fillIn(cl, backend, origin)
		k.changed = append(k.changed, cl)
	}
}
