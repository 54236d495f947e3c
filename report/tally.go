package report

import (
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"servematrix/compare"
	"servematrix/journal"
	"servematrix/matrix"
	"servematrix/page"
	"servematrix/result"
)

// unit is one cell in one block: what is measured once.
type unit struct {
	cell  string
	block int
}

// launchFact is what later events of a launch need to know of its start.
type launchFact struct {
	name      string
	simulated bool
	logs      []string
	version   string // of the engine, where the server told it
	ran       bool   // its process was started: there are logs
	failure   *journal.Failure
}

// tally folds events into what the end of every report needs. It keeps no sample whole.
type tally struct {
	folder   journal.Folder
	plan     *matrix.Plan
	former   []*matrix.Plan // those that the run had before, newest first
	servers  map[string]*matrix.Server
	clients  map[string]*matrix.Client
	cells    map[string]matrix.Cell // of all plans
	order    map[string]int         // cell → its place in the plan
	session  journal.Session
	sessions int
	began    time.Time      // of the first session
	last     time.Time      // of the last event
	took     time.Duration  // from began to last; a clock that was set meanwhile changes nothing
	mono     float64        // of the last event
	pictures []page.Picture // that report.md links
	charts   string         // the folder where they lie, beside it; "": chartsFolder
	verdict  *journal.Verdict
	over     bool // nobody works on the run: without a verdict it crashed
	scene    scene
	gaps
	untold   func() []string // finished samples of which no event tells that can be read; looked for once
	decided  func() bool     // the sweep says compare.primary; looked for once
	rows     map[unit]*Row
	repeated []tallied // attempts that another attempt replaced, by what befell them
	launches map[string]*launchFact
	explain  *Explainer
	warnings []tallied
	whole    bool              // rows keep all metrics of their samples
	samples  bool              // samples are wanted whole; else what became of them, with the metrics that rows keep
	wanted   []string          // the metrics that rows keep, unless whole
	common   []string          // those of the last row, where they keep all
	outputs  bool              // what clients printed is shown, and what servers did
	ran      map[string]*ranAs // server variant → what it told of itself
}

// tallied is a warning, or what befell an attempt, and how often.
type tallied struct {
	message string
	times   int
}

// newTally begins a tally of all that the journal holds.
func newTally(folder journal.Folder, plan *matrix.Plan) *tally {
	t := &tally{
		folder: folder, plan: plan, former: formerPlans(folder),
		servers: map[string]*matrix.Server{}, clients: map[string]*matrix.Client{}, cells: map[string]matrix.Cell{},
		order: map[string]int{}, rows: make(map[unit]*Row, len(plan.Cells)), launches: map[string]*launchFact{},
	}
	for _, p := range slices.Backward(t.former) {
		t.know(p)
	}
	t.know(plan)
	t.newer(plan)
	t.decided = sync.OnceValue(func() bool { return primarySaid(folder) })
	t.untold = sync.OnceValue(func() []string { return untold(folder) })
	t.explain = t.explainer(filepath.Base(string(folder)), "")
	for i, c := range plan.Cells {
		t.order[c.ID] = i
	}
	t.wanted = append(append(slices.Clone(numbers), "completed", "num_prompts", plan.Compare.Primary), sometimes...) // what a table of rows makes something of
	return t
}

func (t *tally) know(plan *matrix.Plan) {
	for _, s := range plan.Servers {
		t.servers[s.ID] = s
	}
	for _, c := range plan.Clients {
		t.clients[c.ID] = c
	}
	for _, c := range plan.Cells {
		t.cells[c.ID] = c
	}
}

// formerPlans gives the plans that an edited sweep replaced, newest first. One that cannot be
// read explains nothing; the samples are there all the same.
func formerPlans(folder journal.Folder) (plans []*matrix.Plan) {
	for n := 1; ; n++ {
		path := folder.Path(journal.FormerName(journal.PlanFile, n))
		if _, err := os.Stat(path); err != nil {
			slices.Reverse(plans)
			return plans
		}
		if plan, err := readPlan(path); err == nil {
			plans = append(plans, plan)
		}
	}
}

// pass moves the end of the run on to an event. Within a session the monotonic clock
// tells how far, between two only the wall clock can.
func (t *tally) pass(e journal.Event) {
	switch {
	case t.began.IsZero():
		t.began = e.Time
	case e.Type == journal.RunResumed:
		t.took += max(e.Time.Sub(t.last), 0)
	default:
		t.took += time.Duration((e.Mono - t.mono) * float64(time.Second))
	}
	t.last, t.mono = e.Time, e.Mono
}

// apply takes the next event in. The event that finishes a sample gives that sample.
func (t *tally) apply(e happening) (*result.Sample, error) {
	t.pass(e.Event)
	t.count(e.Event)
	t.scene.hear(e.Event)
	t.verdict = nil
	switch e.Type {
	case journal.RunStarted, journal.RunResumed:
		return nil, with(e, func(d journal.Session) { t.session, t.explain.session = d, d; t.sessions++ })
	case journal.BlockEnded:
		return nil, with(e, func(d journal.Look) { t.session.Blocks = d.Blocks })
	case journal.LaunchStarted:
		return nil, with(e, func(d launched) {
			t.launches[e.Launch] = &launchFact{name: d.Name, simulated: d.Simulated, logs: d.Logs}
			t.explain.begins(e.Launch, &d.Launch)
		})
	case journal.LaunchRunning:
		if l := t.launches[e.Launch]; l != nil {
			l.ran = true
		}
	case journal.LaunchFailed:
		return nil, with(e, func(d journal.Failure) {
			if l := t.launches[e.Launch]; l != nil {
				l.failure = &d
			}
		})
	case journal.LaunchConfigured:
		return nil, t.configured(e)
	case journal.Warning:
		return nil, with(e, func(d journal.Note) { t.warnings = tallyUp(t.warnings, d.Message) })
	case journal.RunEnded:
		return nil, with(e, func(d journal.Verdict) { t.verdict = &d })
	case journal.SampleEnded:
		return e.sample, with(e, func(d journal.Ended) { t.keep(e, findings(e.sample, d.Reasons), e.Launch) })
	case journal.CellSkipped:
		return e.sample, with(e, func(d journal.Skip) { t.keep(e, nil, d.Cause) })
	}
	return nil, nil
}

// talliedMost bounds a list: a warning with a number in it could come in any many forms.
const talliedMost = 200

func tallyUp(list []tallied, message string) []tallied {
	for i := range list {
		if list[i].message == message {
			list[i].times++
			return list
		}
	}
	if len(list) < talliedMost {
		list = append(list, tallied{message, 1})
	}
	return list
}

// keep makes the sample the last word on its cell and block. launch is the one that it had, or
// whose failure let it be skipped.
func (t *tally) keep(e happening, reasons []result.Reason, launch string) {
	s := e.sample
	row := &Row{Cell: e.Cell, Block: e.Block, Attempt: e.Attempt, Status: s.Status, Reasons: reasons, Simulated: s.Simulated && s.Metrics != nil}
	row.Server, row.Client = t.cellNames(e.Cell)
	row.start = compare.Attempt{Block: e.Block, Number: e.Attempt, Valid: s.Status == result.StatusOK}
	if t.plan.Imported != nil { // its place in the folder says nothing of starts
		row.Source, row.start.Block, row.start.Number = readAt(s), s.Block, s.Attempt
	}
	if f := s.Failure; f != nil {
		short := *f
		short.Tail = f.Tail[max(0, len(f.Tail)-tailMost):]
		row.Failure, row.Start = &short, launch
		if l := t.launches[launch]; f.File == "" && l != nil && l.failure != nil && l.ran && len(l.logs) > 0 {
			row.Log = l.logs[len(l.logs)-1] // stderr, where engines log to
		}
	}
	if row.Status == result.StatusFailed && row.Failure != nil && row.Failure.Class == classInterrupted {
		row.Status, row.Simulated, row.Reasons = StatusInterrupted, false, nil // half a measurement is none
	} else if s.Metrics.Len() > 0 {
		row.Metrics, row.Launch = t.shown(s.Metrics), launch
	}
	u := unit{e.Cell, e.Block}
	if before := t.rows[u]; before != nil {
		t.repeated = tallyUp(t.repeated, before.why())
		row.follow(before)
	}
	t.rows[u] = row
}

// cellNames gives the names of a cell's server variant and workload; where no plan of the run
// knows it, its id stands for both.
func (t *tally) cellNames(cell string) (server, client string) {
	if c, ok := t.cells[cell]; ok {
		return t.serverName(c.Server), t.clientName(c.Client)
	}
	return cell, cell
}

func (t *tally) serverName(id string) string {
	if s := t.servers[id]; s != nil {
		return s.Name
	}
	return id
}

func (t *tally) clientName(id string) string {
	if c := t.clients[id]; c != nil {
		return c.Name
	}
	return id
}
