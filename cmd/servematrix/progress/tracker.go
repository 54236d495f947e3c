package progress

import (
	"slices"
	"time"

	"servematrix/journal"
	"servematrix/matrix"
	"servematrix/orchestrator"
)

// tracker folds events into what the view shows: the state of the run, the
// phase it is in, and the times from which the rest is estimated. Those are
// monotonic, since the session began: the events' own times are of a wall clock
// that somebody may set while the run goes on.
type tracker struct {
	plan     *matrix.Plan
	units    []orchestrator.Unit // that the session was made for; nil: every cell in every block
	wanted   []orchestrator.Unit // these, and what further blocks brought
	selected map[string]bool     // cells that a further block measures; nil: all
	total    int                 // samples that the run is to measure
	cells    map[string]matrix.Cell
	servers  map[string]*matrix.Server
	clients  map[string]*matrix.Client
	state    *orchestrator.State
	counts   map[string]int // units by status, final ones only
	left     load           // what is still to be done
	seen     times          // what was measured

	perServer map[string]int // cells of each server
	work      span           // what is left, as estimated
	known     bool           // work says something
	stale     bool           // work must be estimated again

	at        time.Duration // of the newest event
	phase     phase
	since     time.Duration // when the phase began
	launched  time.Duration // when the launch began
	readyIn   time.Duration
	steps     []step            // of the launch in hand that are over
	unit      orchestrator.Unit // the client's
	attempt   int
	warmup    bool
	unitBegan time.Duration
	samples   int // of this launch so far
	simulated bool
	clientRan float64 // seconds of the client that exited last
}

func newTracker(plan *matrix.Plan, units []orchestrator.Unit) *tracker {
	t := &tracker{
		plan: plan, units: units, wanted: units, state: orchestrator.NewState(), counts: map[string]int{},
		cells: make(map[string]matrix.Cell, len(plan.Cells)), servers: map[string]*matrix.Server{}, clients: map[string]*matrix.Client{},
		left: load{servers: map[string]int{}, clients: map[string]int{}}, seen: newTimes(),
		perServer: map[string]int{},
	}
	for _, s := range plan.Servers {
		t.servers[s.ID] = s
	}
	for _, c := range plan.Clients {
		t.clients[c.ID] = c
	}
	for _, c := range plan.Cells {
		t.cells[c.ID] = c
		t.perServer[c.Server]++
	}
	return t
}

// done is the number of those that are settled.
func (t *tracker) done() int {
	n := 0
	for _, c := range t.counts {
		n += c
	}
	return n
}

// settled gives the status that counts for a unit, "" while an attempt is to come.
func (t *tracker) settled(u orchestrator.Unit) string {
	o := t.state.Of(u)
	if !o.Final || o.Status == orchestrator.StatusRunning || o.Status == orchestrator.StatusMissing {
		return ""
	}
	return o.Status
}

func (t *tracker) apply(e journal.Event) {
	u := orchestrator.Unit{Cell: e.Cell, Block: e.Block}
	before, blocks := t.settled(u), t.state.Session.Blocks
	if t.state.Apply(e) != nil {
		return // another version's journal; what is known stays shown
	}
	t.at = seconds(e.Mono)
	if e.Type == journal.RunStarted || e.Type == journal.RunResumed {
		t.begin()
	}
	if e.Type == journal.BlockEnded {
		t.blocksChange(blocks)
	}
	if after := t.settled(u); after != before && e.Cell != "" {
		t.count(u, before, -1)
		t.count(u, after, +1)
	}
	t.step(e, u)
}

// begin counts afresh: a resumed run can have other blocks and other units.
func (t *tracker) begin() {
	t.phase, t.since, t.launched, t.unitBegan = phaseNone, t.at, t.at, t.at
	t.wanted = slices.Clone(t.units)
	t.recount()
}

// blocksChange follows a run that goes on by itself: it has another number of blocks than before.
func (t *tracker) blocksChange(before int) {
	now := t.state.Session.Blocks
	if t.wanted != nil {
		t.wanted = slices.DeleteFunc(t.wanted, func(u orchestrator.Unit) bool { return u.Block > now })
		for b := before + 1; b <= now; b++ {
			for _, c := range t.plan.Cells {
				if t.selected == nil || t.selected[c.ID] {
					t.wanted = append(t.wanted, orchestrator.Unit{Cell: c.ID, Block: b})
				}
			}
		}
	}
	t.recount()
}

func (t *tracker) recount() {
	t.stale = true
	blocks := max(t.state.Session.Blocks, 1)
	t.total = 0
	clear(t.counts)
	clear(t.left.servers)
	clear(t.left.clients)
	if t.wanted == nil {
		for _, c := range t.plan.Cells {
			t.want(c, blocks)
		}
	}
	wanted := make(map[orchestrator.Unit]bool, len(t.wanted))
	for _, u := range t.wanted {
		if c, ok := t.cells[u.Cell]; ok && !wanted[u] {
			wanted[u] = true
			t.want(c, 1)
		}
	}
	for u := range t.state.Outcomes {
		c, ok := t.cells[u.Cell]
		if !ok || u.Block > blocks {
			continue
		}
		if t.wanted != nil && !wanted[u] {
			t.want(c, 1) // of an earlier session, which chose otherwise
		}
		t.count(u, t.settled(u), +1)
	}
}

func (t *tracker) want(c matrix.Cell, n int) {
	t.total += n
	t.left.servers[c.Server] += n
	t.left.clients[c.Client] += n
}

func (t *tracker) count(u orchestrator.Unit, status string, n int) {
	if status == "" {
		return
	}
	t.counts[status] += n
	t.stale = true
	c := t.cells[u.Cell]
	t.left.servers[c.Server] -= n
	t.left.clients[c.Client] -= n
}

// serverName and clientName give what people call them.
func (t *tracker) serverName(id string) string {
	if s := t.servers[id]; s != nil {
		return visible(s.Name)
	}
	return id
}

func (t *tracker) clientName(id string) string {
	if c := t.clients[id]; c != nil {
		return visible(c.Name)
	}
	return id
}
