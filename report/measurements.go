package report

import (
	"path/filepath"
	"slices"

	"servematrix/journal"
	"servematrix/matrix"
	"servematrix/result"
)

// Measurement is a sample of a run with where it was made. What comparing needs is read of it: Extra is nil.
type Measurement struct {
	*result.Sample
	Launch  string // the server start; "" for a cell that was skipped
	Session int    // which of the run's sessions, from 1
}

// Measurements are a run's samples as one compares them.
type Measurements struct {
	Plan     *matrix.Plan
	Sessions []journal.Session
	// All are the samples of what the sweep still asks for, oldest first, as Samples gives them;
	// only their commands are those of the plan, with ${{ late.port }} and the like, and shared
	// by all samples of a variant. Imported ones are as they were read, and know their cell besides.
	All []Measurement
	// Configured gives the identity of what each launch really ran with, as launch.configured
	// tells it; a launch that did not tell is not in it.
	Configured map[string]string
	// Former counts the samples of what an edited sweep no longer asks for.
	Former int
	// Gaps say what the journal lacks, as far as that hides nothing for certain. A damaged line, which may
	// hide a sample, is an error.
	Gaps []string

	folder journal.Folder
}

// MeasurementsOf reads the measurements of a run folder.
func MeasurementsOf(folder journal.Folder) (*Measurements, error) {
	t, err := tallyOf(folder)
	if err != nil {
		return nil, err
	}
	t.whole, t.samples = true, t.plan.Imported != nil // of what is imported no plan knows the commands
	g := t.gatherer()
	for e, err := range t.ahead(t.finished) {
		if err == nil && (e.Type == journal.RunStarted || e.Type == journal.RunResumed || e.Type == journal.BlockEnded) {
			_, err = t.apply(e)
		}
		if err == nil {
			t.count(e.Event)
			err = e.err
		}
		if err == nil {
			err = g.hear(e)
		}
		if err != nil {
			return nil, err
		}
		if e.sample != nil && g.wants(e) {
			g.take(e, e.sample)
		}
	}
	for _, gap := range t.lacks() {
		g.Gaps = append(g.Gaps, gap.EN)
	}
	return g.all(), nil
}

// gatherer makes Measurements of events and the samples that they finish.
type gatherer struct {
	*Measurements
	t     *tally
	sides map[string]*result.Side // by the id of a variant or workload
}

func (t *tally) gatherer() *gatherer {
	g := &gatherer{Measurements: &Measurements{Plan: t.plan, Configured: map[string]string{}, folder: t.folder}, t: t, sides: map[string]*result.Side{}}
	for _, s := range t.plan.Servers {
		g.sides[s.ID] = side(&s.Variant)
	}
	for _, c := range t.plan.Clients {
		g.sides[c.ID] = side(&c.Variant)
	}
	return g
}

// hear takes in what an event tells besides samples; of the sessions and their blocks the tally
// has heard.
func (g *gatherer) hear(e happening) error {
	switch e.Type {
	case journal.RunStarted, journal.RunResumed:
		g.Sessions = append(g.Sessions, g.t.session)
	case journal.LaunchConfigured:
		return with(e, func(c journal.Configured) { g.Configured[e.Launch] = c.Identity })
	}
	return nil
}

// wants tells whether the sweep still asks for the cell of the sample that an event finishes.
func (g *gatherer) wants(e happening) bool {
	_, planned := g.t.order[e.Cell]
	if !planned {
		g.Former++
	}
	return planned
}

// take adds a sample that is wanted, with the commands of the plan.
func (g *gatherer) take(e happening, s *result.Sample) {
	s.Cell = e.Cell
	if g.Plan.Imported != nil {
		s.Extra = nil
		g.All = append(g.All, Measurement{Sample: s})
		return
	}
	s.Run = filepath.Base(string(g.t.folder))
	c := g.t.cells[e.Cell]
	s.Server, s.Client = g.sides[c.Server], g.sides[c.Client]
	g.All = append(g.All, Measurement{s, e.Launch, e.Session})
}

// all gives what was gathered, less the blocks that are no longer asked for.
func (g *gatherer) all() *Measurements {
	asked := len(g.All)
	g.All = slices.DeleteFunc(g.All, func(one Measurement) bool { return g.t.isFormer(one.Cell, one.Block) })
	g.Former += asked - len(g.All)
	return g.Measurements
}
