package report

import (
	"fmt"
	"time"

	"servematrix/journal"
	"servematrix/matrix"
	"servematrix/metric"
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
	failure   *journal.Failure
}

// tally folds events into what the end of every report needs. It keeps no sample whole.
type tally struct {
	folder   journal.Folder
	plan     *matrix.Plan
	servers  map[string]*matrix.Server
	clients  map[string]*matrix.Client
	cells    map[string]matrix.Cell
	order    map[string]int // cell → its place in the plan
	session  journal.Session
	sessions int
	began    time.Time // of the first session
	last     time.Time // of the last event
	verdict  *journal.Verdict
	rows     map[unit]*Row
	repeated int // attempts that another attempt replaced
	launches map[string]*launchFact
	warnings []tallied
}

// tallied is a warning and how often it was given.
type tallied struct {
	message string
	times   int
}

func newTally(folder journal.Folder, plan *matrix.Plan) *tally {
	t := &tally{
		folder: folder, plan: plan,
		servers: map[string]*matrix.Server{}, clients: map[string]*matrix.Client{}, cells: map[string]matrix.Cell{},
		order: map[string]int{}, rows: map[unit]*Row{}, launches: map[string]*launchFact{},
	}
	for _, s := range plan.Servers {
		t.servers[s.ID] = s
	}
	for _, c := range plan.Clients {
		t.clients[c.ID] = c
	}
	for i, c := range plan.Cells {
		t.cells[c.ID], t.order[c.ID] = c, i
	}
	return t
}

// apply takes the next event in. The event that finishes a sample gives that sample.
func (t *tally) apply(e journal.Event) (*result.Sample, error) {
	if t.began.IsZero() {
		t.began = e.Time
	}
	t.last, t.verdict = e.Time, nil
	switch e.Type {
	case journal.RunStarted, journal.RunResumed:
		return nil, with(e, func(d journal.Session) { t.session = d; t.sessions++ })
	case journal.LaunchStarted:
		return nil, with(e, func(d journal.Launch) {
			t.launches[e.Launch] = &launchFact{name: d.Name, simulated: d.Simulated}
		})
	case journal.LaunchFailed:
		return nil, with(e, func(d journal.Failure) {
			if l := t.launches[e.Launch]; l != nil {
				l.failure = &d
			}
		})
	case journal.Warning:
		return nil, with(e, func(d journal.Note) { t.warn(d.Message) })
	case journal.RunEnded:
		return nil, with(e, func(d journal.Verdict) { t.verdict = &d })
	case journal.SampleEnded:
		d, err := journal.Decode[journal.Ended](e)
		if err != nil {
			return nil, err
		}
		s := t.ended(e, d)
		t.keep(e, s, d.Reasons)
		return s, nil
	case journal.CellSkipped:
		d, err := journal.Decode[journal.Skip](e)
		if err != nil {
			return nil, err
		}
		s := t.skipped(e, d)
		t.keep(e, s, nil)
		return s, nil
	}
	return nil, nil
}

// warningsMost bounds the list: a warning with a number in it could come in any many forms.
const warningsMost = 200

func (t *tally) warn(message string) {
	for i := range t.warnings {
		if t.warnings[i].message == message {
			t.warnings[i].times++
			return
		}
	}
	if len(t.warnings) < warningsMost {
		t.warnings = append(t.warnings, tallied{message, 1})
	}
}

// keep makes the sample the last word on its cell and block.
func (t *tally) keep(e journal.Event, s *result.Sample, reasons []string) {
	row := &Row{Cell: e.Cell, Block: e.Block, Attempt: e.Attempt, Status: s.Status, Reasons: reasons, Simulated: s.Simulated && s.Metrics != nil}
	row.Server, row.Client = t.cellNames(e.Cell)
	if f := s.Failure; f != nil {
		tail := f.Tail[max(0, len(f.Tail)-tailMost):]
		row.Failure = &journal.Failure{Class: f.Class, Phase: f.Phase, Message: f.Message, File: f.File, Line: f.Line, Tail: tail}
	}
	if len(s.Metrics) > 0 {
		row.Metrics = make(metric.Values, len(shown))
		for _, name := range shown {
			if v, ok := s.Metrics.Get(name); ok {
				row.Metrics[name] = v
			}
		}
	}
	u := unit{e.Cell, e.Block}
	if t.rows[u] != nil {
		t.repeated++
	}
	t.rows[u] = row
}

// cellNames gives the names of a cell's server variant and workload, their ids where the
// plan does not know them.
func (t *tally) cellNames(cell string) (server, client string) {
	c, ok := t.cells[cell]
	if !ok {
		return cell, ""
	}
	return t.serverName(c.Server), t.clientName(c.Client)
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

// with calls f with the event's data.
func with[T any](e journal.Event, f func(T)) error {
	d, err := journal.Decode[T](e)
	if err != nil {
		return fmt.Errorf("the journal does not fit this version of servematrix: %w", err)
	}
	f(d)
	return nil
}
