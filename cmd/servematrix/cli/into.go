package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"

	"servematrix/journal"
	"servematrix/matrix"
	"servematrix/orchestrator"
)

// runInto measures in the folder of an earlier run what the session's plan has
// and that run has not.
func (s *session) runInto(ctx context.Context, dir string, source []byte) (err error) {
	if s.folder, s.lock, err = lockRun(s.env, dir); err != nil {
		return err
	}
	if err := s.goInto(ctx, source); err != nil {
		return errors.Join(err, s.lock.Release())
	}
	return s.execute(ctx)
}

func (s *session) goInto(ctx context.Context, source []byte) error {
	if err := s.recall(ctx); err != nil {
		return err
	}
	former, err := s.formerPlan()
	if err != nil {
		return err
	}
	if former != nil {
		if err := sameSweep(former, s.plan, shown(s.env, string(s.folder))); err != nil {
			return err
		}
	}
	files, err := s.freeze(source, s.state.Session)
	if err != nil {
		return err
	}
	// The edited sweep is asked for anew: that a variant could not start before is no reason not to try.
	s.afresh = true
	s.units = s.state.Missing(s.all, orchestrator.Again{})
	if err := s.mayStart(s.env.Dir); err != nil {
		return err
	}
	delete(files, journal.HostFile) // that of the first session stays
	n := max(s.state.Session.Plan, 1)
	s.info.Plan = n
	if s.adopt = former == nil || !s.holds(files); s.adopt {
		s.info.Plan = n + 1
		if err := s.folder.Stage(files, n); err != nil {
			return &exitError{code: exitPreflight, err: err, hint: "the run is as it was"}
		}
	}
	s.tellFailed()
	return nil
}

// formerPlan is the plan that the run has now, nil where it cannot be used: the new one takes its place.
func (s *session) formerPlan() (*matrix.Plan, error) {
	err := s.folder.Settle(s.state.Session.PlanSHA256)
	var plan *matrix.Plan
	if err == nil {
		plan, err = readPlan(s.folder)
	}
	if err != nil {
		fmt.Fprintf(s.env.Stderr, "servematrix: the former plan cannot be used and is replaced: %v\n", err)
		return nil, nil
	}
	return plan, nil
}

// sameSweep refuses to mix two sweeps in one run folder.
func sameSweep(former, plan *matrix.Plan, run string) error {
	if former.Name == plan.Name {
		return nil
	}
	return &exitError{code: exitUsage, err: fmt.Errorf("%s is a run of the sweep %q, not of %q", run, former.Name, plan.Name),
		hint: "another sweep gets a run folder of its own; an edited one keeps its name"}
}

// holds tells whether the run folder has these files already.
func (s *session) holds(files map[string][]byte) bool {
	for name, data := range files {
		if have, err := os.ReadFile(s.folder.Path(name)); err != nil || !bytes.Equal(have, data) {
			return false
		}
	}
	return true
}

// tellFailed says that ended cells are not tried again by themselves.
func (s *session) tellFailed() {
	n := 0
	for _, u := range s.all {
		if o := s.state.Of(u); o.Final && o.Status != orchestrator.StatusOK {
			n++
		}
	}
	if n > 0 {
		fmt.Fprintf(s.env.Stderr, "servematrix: %s failed before, not tried again now; that is done by: servematrix resume %s --retry all\n",
			count(n, "sample"), shown(s.env, string(s.folder)))
	}
}
