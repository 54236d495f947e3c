package cli

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"servematrix/journal"
	"servematrix/matrix"
	"servematrix/orchestrator"
)

// Where a cell of a plan stands in the run folder that it is to be run into.
const (
	cellDone    = "done"    // every block is measured
	cellNew     = "new"     // nothing of that name was there
	cellChanged = "changed" // what had its names was another command
	cellMissing = "missing" // some block is not measured yet
	cellFailed  = "failed"  // every block has ended, not all of them well
)

// ahead is what run --into would do; its JSON is the plan's key "into".
type ahead struct {
	Run      string       `json:"run"`      // the run folder
	Samples  int          `json:"samples"`  // cells and blocks that would run
	Launches int          `json:"launches"` // server starts of those
	Cells    []*aheadCell `json:"cells"`    // all cells of the plan, or those that --only selects
	Former   []formerCell `json:"former"`   // cells with samples that the sweep no longer has

	by   map[string]*aheadCell
	seed int // of the run's order so far
}

type aheadCell struct {
	Cell   string   `json:"cell"`
	State  string   `json:"state"`
	Blocks []int    `json:"blocks,omitempty"` // that would run
	Why    []string `json:"why,omitempty"`
}

type formerCell struct {
	Cell   string `json:"cell"`
	Server string `json:"server"` // names, as the last plan with this cell has them
	Client string `json:"client"`
}

// lookAhead compares a plan with what a run folder holds. It changes nothing.
func lookAhead(env Env, plan *matrix.Plan, opt planOptions) (*ahead, error) {
	folder, err := openRun(env, opt.into)
	if err != nil {
		return nil, err
	}
	state, _, err := orchestrator.ReadState(folder)
	if err != nil {
		return nil, err
	}
	run := shown(env, string(folder))
	former, err := readPlan(folder)
	if err != nil {
		fmt.Fprintf(env.Stderr, "servematrix: what changed cannot be told: %v\n", err)
		former = &matrix.Plan{Name: plan.Name}
	}
	if err := sameSweep(former, plan, run); err != nil {
		return nil, err
	}
	units, err := selectUnits(plan, opt.only, max(plan.Run.Blocks, 1))
	if err != nil {
		return nil, err
	}
	a := &ahead{Run: run, seed: state.Session.Seed, by: map[string]*aheadCell{}, Cells: []*aheadCell{}, Former: []formerCell{}}
	missing := state.Missing(units, orchestrator.Again{})
	lost := <-orchestrator.FindLost(context.Background(), folder, state, units, missing)
	a.weigh(state, units, missing, lost)
	a.explain(plan, former)
	a.Samples = len(missing) + len(lost)
	a.Launches = orchestrator.Launches(plan, slices.Concat(missing, lost))
	a.gone(state, plan, append([]*matrix.Plan{former}, formerPlans(folder)...))
	return a, nil
}

// weigh puts each unit into its cell.
func (a *ahead) weigh(state *orchestrator.State, units, missing, lost []orchestrator.Unit) {
	for _, u := range units {
		c := a.by[u.Cell]
		if c == nil {
			c = &aheadCell{Cell: u.Cell, State: cellDone}
			a.by[u.Cell] = c
			a.Cells = append(a.Cells, c)
		}
		o := state.Of(u)
		if !o.Final || o.Status == orchestrator.StatusOK {
			continue
		}
		c.State = cellFailed
		why := fmt.Sprintf("%s before, in block %d", o.Status, u.Block)
		if f := o.Failure; f != nil {
			why += fmt.Sprintf(": %s (%s)", f.Class, f.Phase)
		}
		c.Why = append(c.Why, why+"; not tried again (resume --retry all does)")
	}
	known := map[string]bool{} // cells of which something is there
	for u := range state.Outcomes {
		known[u.Cell] = true
	}
	for _, u := range missing {
		c := a.by[u.Cell]
		c.Blocks = append(c.Blocks, u.Block)
		c.State = cellNew
		if known[u.Cell] {
			c.State = cellMissing
			c.Why = append(c.Why, fmt.Sprintf("block %d is not measured yet", u.Block))
		}
	}
	for _, u := range lost {
		c := a.by[u.Cell]
		c.Blocks = append(c.Blocks, u.Block)
		c.State = cellMissing
		c.Why = append(c.Why, fmt.Sprintf("the sample of block %d is lost or changed", u.Block))
	}
}

// explain finds out for each cell that seems to be new whether one of the same
// names was there before, and what is different.
func (a *ahead) explain(plan, former *matrix.Plan) {
	was := sides(former)
	servers, clients := map[string]*matrix.Variant{}, map[string]*matrix.Variant{}
	cells, ids := map[[2]string]bool{}, map[string]bool{}
	for _, s := range former.Servers {
		servers[s.Name] = &s.Variant
	}
	for _, c := range former.Clients {
		clients[c.Name] = &c.Variant
	}
	for _, c := range former.Cells {
		cells[[2]string{was[c.Server].Name, was[c.Client].Name}], ids[c.ID] = true, true
	}
	is := sides(plan)
	for _, c := range plan.Cells {
		cell := a.by[c.ID]
		if cell == nil || cell.State != cellNew {
			continue
		}
		server, client := is[c.Server], is[c.Client]
		switch {
		case ids[c.ID]:
			cell.State, cell.Why = cellMissing, []string{"not measured yet"}
		case cells[[2]string{server.Name, client.Name}]:
			cell.State = cellChanged
			for _, d := range matrix.Differences(servers[server.Name], server) {
				cell.Why = append(cell.Why, "server "+d.String())
			}
			for _, d := range matrix.Differences(clients[client.Name], client) {
				cell.Why = append(cell.Why, "client "+d.String())
			}
		}
	}
}

// sides gives the variants and workloads of a plan by id.
func sides(plan *matrix.Plan) map[string]*matrix.Variant {
	m := map[string]*matrix.Variant{}
	for _, s := range plan.Servers {
		m[s.ID] = &s.Variant
	}
	for _, c := range plan.Clients {
		m[c.ID] = &c.Variant
	}
	return m
}

// gone lists what was begun and is no longer in the sweep.
func (a *ahead) gone(state *orchestrator.State, plan *matrix.Plan, former []*matrix.Plan) {
	left := map[string]bool{}
	for u := range state.Outcomes {
		left[u.Cell] = true
	}
	for _, c := range plan.Cells {
		delete(left, c.ID)
	}
	for _, p := range former {
		names := sides(p)
		for _, c := range p.Cells {
			if left[c.ID] {
				delete(left, c.ID)
				a.Former = append(a.Former, formerCell{c.ID, names[c.Server].Name, names[c.Client].Name})
			}
		}
	}
	for _, id := range slices.Sorted(maps.Keys(left)) { // no plan of the run tells its names
		a.Former = append(a.Former, formerCell{Cell: id})
	}
}

// formerPlans gives the plans that edited sweeps have replaced, newest first.
func formerPlans(folder journal.Folder) (plans []*matrix.Plan) {
	for n := 1; ; n++ {
		plan, err := readPlanFile(folder.Path(journal.FormerName(journal.PlanFile, n)))
		if err != nil {
			slices.Reverse(plans)
			return plans
		}
		plans = append(plans, plan)
	}
}

// writeJSON writes the plan with the further key "into".
func (a *ahead) writeJSON(w io.Writer, plan *matrix.Plan) error {
	var text, key bytes.Buffer
	if err := plan.WriteJSON(&text); err != nil {
		return err
	}
	if err := writeJSON(&key, a); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, "%s,\n\"into\": %s}\n", bytes.TrimSuffix(text.Bytes(), []byte("\n}\n")), key.Bytes())
	return err
}

// standing says behind a cell where it stands, and with --explain why.
func (t planText) standing(id string) string {
	if t.into == nil {
		return ""
	}
	c := t.into.by[id]
	out := "   " + c.State
	if t.opt.explain && len(c.Why) > 0 {
		out += ": " + t.hide.String(strings.Join(c.Why, "; "))
	}
	return out
}

// ahead says what would run and what would be left.
func (t planText) ahead() {
	a := t.into
	if n := len(a.Former); n > 0 {
		t.WriteString("\nno longer in the sweep; what was measured stays\n")
		listed := min(n, t.limit(mostCells))
		for _, c := range a.Former[:listed] {
			t.printf("  %s × %s   %s\n", c.Server, c.Client, c.Cell)
		}
		t.more(n, listed)
	}
	if a.Samples == 0 {
		t.printf("\nnothing is to run in %s\n", a.Run)
		return
	}
	t.printf("\n%s and %s are to run in %s\n", count(a.Samples, "sample"), count(a.Launches, "server start"), a.Run)
	t.order(a.seed)
}
