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
	// by all samples of a variant.
	All []Measurement
	// Configured gives the identity of what each launch really ran with, as launch.configured
	// tells it; a launch that did not tell is not in it.
	Configured map[string]string
	// Former counts the samples of what an edited sweep no longer asks for.
	Former int
}

// MeasurementsOf reads the measurements of a run folder.
func MeasurementsOf(folder journal.Folder) (*Measurements, error) {
	t, err := tallyOf(folder)
	if err != nil {
		return nil, err
	}
	t.whole = true
	m := &Measurements{Plan: t.plan, Configured: map[string]string{}}
	sides := map[string]*result.Side{}
	for _, s := range t.plan.Servers {
		sides[s.ID] = side(&s.Variant)
	}
	for _, c := range t.plan.Clients {
		sides[c.ID] = side(&c.Variant)
	}
	blocks := 0 // that the run has, at last
	for e, err := range t.ahead() {
		if err != nil {
			return nil, err
		}
		switch e.Type {
		case journal.RunStarted, journal.RunResumed:
			err = with(e, func(s journal.Session) { m.Sessions, blocks = append(m.Sessions, s), s.Blocks })
		case journal.BlockEnded:
			err = with(e, func(d journal.Look) { blocks = max(blocks, d.Blocks) })
		}
		if err != nil {
			return nil, err
		}
		if e.Type == journal.LaunchConfigured {
			if err := with(e, func(c journal.Configured) { m.Configured[e.Launch] = c.Identity }); err != nil {
				return nil, err
			}
		}
		if e.Type != journal.SampleEnded && e.Type != journal.CellSkipped {
			continue
		}
		if _, planned := t.order[e.Cell]; !planned {
			m.Former++
			continue
		}
		s, err := t.finished(e)
		if err != nil {
			return nil, err
		}
		s.Run, s.Cell = filepath.Base(string(folder)), e.Cell
		c := t.cells[e.Cell]
		s.Server, s.Client = sides[c.Server], sides[c.Client]
		m.All = append(m.All, Measurement{s, e.Launch, e.Session})
	}
	if blocks > 0 {
		asked := len(m.All)
		m.All = slices.DeleteFunc(m.All, func(one Measurement) bool { return one.Block > blocks })
		m.Former += asked - len(m.All)
	}
	return m, nil
}

// finished gives the sample that an event finishes.
func (t *tally) finished(e journal.Event) (*result.Sample, error) {
	if e.Type == journal.CellSkipped {
		d, err := journal.Decode[journal.Skip](e)
		if err != nil {
			return nil, err
		}
		return t.skipped(e, d), nil
	}
	s, _, err := t.ended(e)
	return s, err
}
