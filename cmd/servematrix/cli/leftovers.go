package cli

import (
	"context"
	"os"
	"time"

	"servematrix/journal"
	"servematrix/orchestrator"
	"servematrix/process"
)

// cleanGrace is what a leftover gets between SIGTERM and SIGKILL.
const cleanGrace = 5 * time.Second

// findLeftovers looks for what former runs left, and ends it when asked to.
// named limits the search to these runs; without any, every run under ./runs
// counts, and every process with the marker of a run that is not live.
func (d *diagnosis) findLeftovers(ctx context.Context, env Env, named []string, clean bool) error {
	runs, err := runsToSearch(env, named)
	if err != nil {
		return err
	}
	var found []process.Survivor
	for _, f := range runs {
		if f.Live() {
			continue
		}
		s, err := takeSnapshot(f)
		if err != nil {
			continue // ls names its problem; the marker finds what it left
		}
		more, err := orchestrator.Leftovers(ctx, f, s.state)
		if err != nil {
			return err
		}
		found = append(found, more...)
	}
	if len(named) == 0 {
		marked, err := process.FindLeftovers("")
		if err != nil {
			return err
		}
		for _, s := range marked {
			if !journal.Folder(s.Marker).Live() {
				found = append(found, s)
			}
		}
	}
	d.keep(found)
	if clean {
		d.end(ctx)
	}
	return nil
}

func runsToSearch(env Env, named []string) (runs []journal.Folder, err error) {
	for _, name := range named {
		f, err := openRun(env, name)
		if err != nil {
			return nil, err
		}
		runs = append(runs, f)
	}
	if len(named) > 0 {
		return runs, nil
	}
	runs, err = journal.List(env.path(runsDir))
	if os.IsNotExist(err) {
		err = nil
	}
	return runs, err
}

// keep lists each process once.
func (d *diagnosis) keep(found []process.Survivor) {
	seen := map[process.Identity]bool{}
	for _, s := range found {
		if !seen[s.Identity] {
			seen[s.Identity] = true
			d.Leftovers = append(d.Leftovers, s)
		}
	}
}

// end ends the leftovers and tells which are gone.
func (d *diagnosis) end(ctx context.Context) {
	if len(d.Leftovers) == 0 {
		return
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
}
