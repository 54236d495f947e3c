package cli

import (
	"context"
	"os"
	"path/filepath"
	"time"

	"servematrix/journal"
	"servematrix/process"
)

const (
	// guardWait is how long a guard whose orchestrator is gone is waited for:
	// its own bound and the five seconds that docs/architecture.md grants it.
	guardWait = 15 * time.Second
	// cleanGrace is what a leftover gets between SIGTERM and SIGKILL.
	cleanGrace = 5 * time.Second
)

// findLeftovers looks for what former runs left, by the marker in the
// environment and by the journals of the runs that are not live, and ends it
// when asked to. named limits the search to these runs; without any, every
// marker counts, and every run under ./runs.
func (d *diagnosis) findLeftovers(ctx context.Context, env Env, named []string, clean bool) error {
	var runs []journal.Folder
	var found []process.Survivor
	for _, name := range named {
		f, err := openRun(env, name)
		if err != nil {
			return err
		}
		runs = append(runs, f)
	}
	if len(named) == 0 {
		var err error
		if runs, err = journal.List(env.path(runsDir)); err != nil && !os.IsNotExist(err) {
			return err
		}
	}
	for _, f := range runs {
		if f.Live() {
			continue
		}
		s, err := takeSnapshot(f)
		if err != nil {
			continue // ls names its problem; the marker finds what it left
		}
		more, guards := s.leftovers(ctx)
		found = append(found, more...)
		d.Guards = append(d.Guards, guards...)
	}
	marks := []string{""} // any
	if len(named) > 0 {
		marks = nil
		for _, f := range runs {
			marks = append(marks, filepath.Base(string(f)))
		}
	}
	for _, mark := range marks {
		marked, err := process.FindLeftovers(mark)
		if err != nil {
			return err
		}
		found = append(found, marked...)
	}
	seen := map[process.Identity]bool{}
	for _, s := range found {
		if !seen[s.Identity] {
			seen[s.Identity] = true
			d.Leftovers = append(d.Leftovers, s)
		}
	}
	if !clean || len(d.Leftovers) == 0 {
		return nil
	}
	left := map[process.Identity]bool{}
	still := process.EndLeftovers(ctx, d.Leftovers, cleanGrace)
	for _, s := range still {
		left[s.Identity] = true
	}
	for _, s := range d.Leftovers {
		if !left[s.Identity] {
			d.Ended = append(d.Ended, s)
		}
	}
	d.Leftovers = append([]process.Survivor{}, still...)
	return nil
}

// leftovers finds what lives of the launches and clients whose end no event
// tells. It waits for guards that still clean up, and names those that go on.
func (s *snapshot) leftovers(ctx context.Context) (found []process.Survivor, guards []string) {
	if s.state.Client != nil {
		attempt := s.state.Of(s.state.ClientUnit).Folder
		if awaitGuard(ctx, s.folder.Path(attempt)) {
			found = append(found, sessionOf(*s.state.Client)...)
		} else {
			guards = append(guards, attempt)
		}
	}
	for _, l := range s.state.Launches {
		if l.Ended != nil {
			continue
		}
		if !awaitGuard(ctx, s.folder.LaunchDir(l.ID)) {
			guards = append(guards, l.ID)
			continue
		}
		if l.Running != nil {
			found = append(found, sessionOf(*l.Running)...)
		}
		var logs []string
		for _, log := range l.Launch.Logs {
			logs = append(logs, s.folder.Path(log))
		}
		if writers, err := process.FindWriters(logs...); err == nil {
			found = append(found, writers...)
		}
	}
	return found, guards
}

// awaitGuard waits until the guard of a launch's or an attempt's folder is gone;
// false: it goes on.
func awaitGuard(ctx context.Context, dir string) bool {
	for end := time.Now().Add(guardWait); journal.GuardLives(dir); time.Sleep(look) {
		if time.Now().After(end) || ctx.Err() != nil {
			return false
		}
	}
	return true
}

func sessionOf(r journal.Running) []process.Survivor {
	found, err := process.FindSession(r.SID, process.Identity{PID: r.PID, StartTicks: r.Start, BootID: r.Boot})
	if err != nil {
		return nil // the marker finds what it left
	}
	return found
}
