package orchestrator

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"time"

	"servematrix/journal"
	"servematrix/matrix"
)

// Statuses of a cell in a block: the statuses of results.jsonl, and two before there is one.
const (
	StatusOK      = "ok"
	StatusInvalid = "invalid"
	StatusFailed  = "failed"
	StatusSkipped = "skipped"
	StatusRunning = "running"
	StatusMissing = "missing"
)

// Unit is one cell in one block: what a run has to measure once.
type Unit struct {
	Cell  string
	Block int
}

// Outcome is what the journal says of a unit; the last attempt counts.
type Outcome struct {
	Status   string // one of the statuses above
	Attempts int    // attempts begun so far
	Tried    int    // attempts that count against the retries: not the interrupted ones
	Final    bool   // no further attempt follows by itself
	Failure  *journal.Failure
	SHA256   string // of sample.json
	Folder   string // of the last attempt, relative to the run folder
}

// LaunchState is one server start as the journal tells it. Of one that ended in
// a former session, and was not its last, only Launch.Server, Launch.Name, Ready,
// Measured, Failure and the fact that it ended are kept.
type LaunchState struct {
	ID      string
	Launch  journal.Launch
	Running *journal.Running
	Ready   bool
	// Measured says that a valid sample came of it.
	Measured bool
	Failure  *journal.Failure
	Ended    *journal.Gone

	undecoded []journal.Event // of a replay: decoded only if it is still wanted at the end
}

// State is the journal folded up to one event. Status, resume and the live view
// read it; Apply is its only writer.
type State struct {
	Session     journal.Session
	Sessions    int
	Since       time.Time // begin of the session
	Outcomes    map[Unit]*Outcome
	Launches    []*LaunchState // in the order of their starts
	Current     journal.Event  // the last event
	Client      *journal.Running
	ClientUnit  Unit
	Ended       *journal.Verdict // of the last session, nil while it lives or when it crashed
	Interrupted string           // why the last session was interrupted
	Warnings    []string

	Look         *journal.Look // behind the last block of a run that goes on by itself; nil before
	BlockSeconds []float64     // that its blocks took, those of which it is known

	replaying bool            // what may turn out superfluous is not decoded yet
	client    []journal.Event // the client.started that is not decoded yet, if any
}

// NewState is the state before the first event.
func NewState() *State {
	return &State{Outcomes: map[Unit]*Outcome{}}
}

// Of gives the outcome of a unit, a missing one when nothing happened yet.
func (s *State) Of(u Unit) Outcome {
	if o := s.Outcomes[u]; o != nil {
		return *o
	}
	return Outcome{Status: StatusMissing}
}

// Known gives the units of which the journal tells, in the order of the plan's cells, then by block.
func (s *State) Known(plan *matrix.Plan) []Unit {
	units := slices.Collect(maps.Keys(s.Outcomes))
	place := make(map[string]int, len(plan.Cells))
	for i, c := range plan.Cells {
		place[c.ID] = i
	}
	slices.SortFunc(units, func(a, b Unit) int {
		return cmp.Or(cmp.Compare(place[a.Cell], place[b.Cell]), cmp.Compare(a.Block, b.Block))
	})
	return units
}

// Last is the newest launch, nil before the first.
func (s *State) Last() *LaunchState {
	if len(s.Launches) == 0 {
		return nil
	}
	return s.Launches[len(s.Launches)-1]
}

// Apply takes the next event in.
func (s *State) Apply(e journal.Event) error {
	s.Current = e
	s.Current.Data = nil
	u := Unit{e.Cell, e.Block}
	if s.replaying && s.skim(e, u) {
		return nil
	}
	switch e.Type {
	case journal.RunStarted, journal.RunResumed:
		return s.begin(e)
	case journal.CellSkipped:
		return with(e, func(d journal.Skip) {
			o := s.outcome(u)
			o.Status, o.Failure, o.Final = StatusSkipped, &d.Failure, true
		})
	case journal.SampleStarted:
		return with(e, func(d journal.Sample) {
			s.sampleStarts(u, e.Attempt, d.Folder)
		})
	case journal.ClientStarted:
		return with(e, func(d journal.Running) { s.Client, s.ClientUnit = &d, u })
	case journal.ClientExited:
		s.Client = nil
	case journal.SampleEnded:
		return with(e, func(d journal.Ended) { s.end(u, e.Attempt, d) })
	case journal.BlockEnded:
		return with(e, func(d journal.Look) { s.look(d) })
	case journal.RunInterrupted:
		return with(e, func(d journal.Note) { s.Interrupted = d.Message })
	case journal.RunEnded:
		return with(e, func(d journal.Verdict) { s.Ended = &d })
	case journal.Warning:
		return with(e, func(d journal.Note) { s.Warnings = append(s.Warnings, d.Message) })
	}
	return s.applyLaunch(e)
}

func (s *State) begin(e journal.Event) error {
	return with(e, func(d journal.Session) {
		s.Session, s.Since, s.Ended, s.Interrupted, s.Client = d, e.Time, nil, "", nil
		s.Sessions++
		for _, o := range s.Outcomes {
			if o.Status == StatusRunning { // a crash: the attempt never ended
				o.Status, o.Final = StatusMissing, false
			}
		}
	})
}

func (s *State) look(d journal.Look) {
	s.Look, s.Session.Blocks = &d, d.Blocks
	if d.Seconds > 0 {
		s.BlockSeconds = append(s.BlockSeconds, d.Seconds)
	}
}

func (s *State) sampleStarts(u Unit, attempt int, folder string) {
	o := s.outcome(u)
	o.Status, o.Attempts, o.Folder = StatusRunning, max(o.Attempts, attempt), folder
}

func (s *State) end(u Unit, attempt int, d journal.Ended) {
	o := s.outcome(u)
	o.Status, o.Failure, o.SHA256, o.Final = d.Status, d.Failure, d.SHA256, d.Final
	o.Attempts = max(o.Attempts, attempt)
	if d.Failure == nil || !notItsFault(d.Failure.Class) {
		o.Tried++
	}
	if l := s.Last(); l != nil && d.Status == StatusOK {
		l.Measured = true
	}
}

func (s *State) applyLaunch(e journal.Event) error {
	if e.Type == journal.LaunchStarted {
		s.Launches = append(s.Launches, &LaunchState{ID: e.Launch})
	}
	l := s.Last()
	if l == nil || l.ID != e.Launch {
		return nil
	}
	return l.apply(e)
}

func (l *LaunchState) apply(e journal.Event) error {
	switch e.Type {
	case journal.LaunchStarted:
		return with(e, func(d journal.Launch) { l.Launch = d })
	case journal.LaunchRunning:
		return with(e, func(d journal.Running) { l.Running = &d })
	case journal.LaunchReady:
		l.Ready = true
	case journal.LaunchFailed:
		return with(e, func(d journal.Failure) { l.Failure = &d })
	case journal.LaunchEnded:
		return with(e, func(d journal.Gone) { l.Ended = &d })
	}
	return nil
}

func (s *State) outcome(u Unit) *Outcome {
	o := s.Outcomes[u]
	if o == nil {
		o = &Outcome{Status: StatusMissing}
		s.Outcomes[u] = o
	}
	return o
}

func with[T any](e journal.Event, f func(T)) error {
	d, err := journal.Decode[T](e)
	if err != nil {
		return fmt.Errorf("the journal does not fit this version of servematrix: %w", err)
	}
	f(d)
	return nil
}
