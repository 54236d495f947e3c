package orchestrator

import (
	"maps"
	"slices"

	"servematrix/journal"
	"servematrix/matrix"
)

// group is what one launch serves: cells of one variant in one block.
type group struct {
	server *matrix.Server
	block  int
	units  []Unit
}

// PlanUnits gives every cell in every block: what a whole run measures.
func PlanUnits(p *matrix.Plan, blocks int) []Unit {
	units := make([]Unit, 0, len(p.Cells)*blocks)
	for b := 1; b <= blocks; b++ {
		for _, c := range p.Cells {
			units = append(units, Unit{c.ID, b})
		}
	}
	return units
}

// Again says which units a resume measures again although they ended.
type Again struct{ Failed, Invalid, Skipped bool }

// Missing gives the units of all that have no final outcome yet, and those
// that again asks for.
func (s *State) Missing(all []Unit, again Again) []Unit {
	var out []Unit
	for _, u := range all {
		o := s.Of(u)
		if !o.Final || again.Failed && o.Status == StatusFailed || again.Invalid && o.Status == StatusInvalid ||
			again.Skipped && o.Status == StatusSkipped {
			out = append(out, u)
		}
	}
	return out
}

// planned is what the verdict is about: every selected cell in every block.
func (r *runner) planned() []Unit {
	seen := map[Unit]bool{}
	for _, u := range r.Units {
		seen[u] = true
	}
	for u := range r.state.Outcomes {
		seen[u] = true
	}
	var out []Unit
	for _, u := range PlanUnits(r.Plan, r.state.Session.Blocks) {
		if seen[u] {
			out = append(out, u)
		}
	}
	return out
}

// groups orders the units into launches: block by block, or one variant after the other.
func (r *runner) groups(units []Unit) []group {
	wanted := make(map[Unit]bool, len(units))
	blocks := map[int]bool{}
	for _, u := range units {
		wanted[u], blocks[u.Block] = true, true
	}
	if r.Plan.Run.Order == "blocked" || r.Session.Until != nil {
		return r.blocked(wanted, slices.Sorted(maps.Keys(blocks)))
	}
	return r.grouped(wanted, slices.Sorted(maps.Keys(blocks)))
}

// grouped finishes all blocks of one variant before the next, in the plan's order.
func (r *runner) grouped(wanted map[Unit]bool, blocks []int) (out []group) {
	cells := map[string][]string{}
	for _, c := range r.Plan.Cells {
		cells[c.Server] = append(cells[c.Server], c.ID)
	}
	for _, s := range r.Plan.Servers {
		for _, b := range blocks {
			out = append(out, launches(s, b, cells[s.ID], wanted)...)
		}
	}
	return out
}

// blocked goes round all variants block by block, each block in its own order. The arms
// of a workload stand side by side: what a fresh start each serves is taken workload by
// workload, and what one start serves in the same order of workloads.
func (r *runner) blocked(wanted map[Unit]bool, blocks []int) (out []group) {
	type pair struct{ server, client string }
	cells := make(map[pair]string, len(r.Plan.Cells))
	for _, c := range r.Plan.Cells {
		cells[pair{c.Server, c.Client}] = c.ID
	}
	for _, b := range blocks {
		servers, clients := BlockOrder(r.Plan, r.Session.Seed, b)
		for i, c := range clients {
			for _, s := range servers {
				switch {
				case s.Isolation != "launch":
					out = append(out, launches(s, b, []string{cells[pair{s.ID, c.ID}]}, wanted)...)
				case i == 0:
					var all []string
					for _, c := range clients {
						all = append(all, cells[pair{s.ID, c.ID}])
					}
					out = append(out, launches(s, b, all, wanted)...)
				}
			}
		}
	}
	return out
}

// launches are the starts that a variant needs for those of its cells that are wanted.
func launches(s *matrix.Server, block int, cells []string, wanted map[Unit]bool) (out []group) {
	var units []Unit
	for _, cell := range cells {
		if u := (Unit{cell, block}); wanted[u] {
			units = append(units, u)
		}
	}
	if s.Isolation == "launch" && len(units) > 0 {
		return []group{{s, block, units}}
	}
	for i := range units {
		out = append(out, group{s, block, units[i : i+1]})
	}
	return out
}

// unchanging are the failures that the same command will meet again: after two
// of them a variant is given up.
var unchanging = map[string]bool{
	"bad_command": true, "bad_flag": true, "model": true, "oom": true, "kv_memory": true, "host_oom": true,
	"shm": true, "graph": true, "npu": true,
}

// giveUpAfter is how many such failures of its start a variant is granted.
const giveUpAfter = 2

type cause struct {
	failure journal.Failure
	launch  string
}

// hopeless gives the reason when a variant is not worth another start.
func (r *runner) hopeless(s *matrix.Server) *cause {
	if r.Plan.Run.OnStartFailure != "skip" {
		return nil
	}
	n := 0
	var last *cause
	for _, l := range r.state.Launches[r.judgeFrom:] {
		switch {
		case l.Launch.Server != s.ID:
		case l.Ready:
			n, last = 0, nil
		case l.Failure != nil && unchanging[l.Failure.Class]:
			n++
			last = &cause{failure: *l.Failure, launch: l.ID}
		}
	}
	if n < giveUpAfter {
		return nil
	}
	return last
}

// notItsFault tells of a failure that says nothing about the cell: it uses up no
// retry, and resume measures the cell again.
func notItsFault(class string) bool { return class == "interrupted" || class == "disk_full" }

// retryable tells whether a failure may go away by itself.
func retryable(class string) bool {
	return class != "bad_command"
}
