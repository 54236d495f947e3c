package cli

import (
	"context"
	"fmt"
	"os"
	"slices"
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
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err != nil {
			d.Problems = append(d.Problems, fmt.Sprintf("not all that %s may have left can be looked for: %v", shown(env, string(f)), err))
		}
		found = append(found, more...)
	}
	if len(named) == 0 {
		marked, err := ofDeadRuns()
		if err != nil {
			return err
		}
		found = append(found, marked...)
	}
	d.keep(found)
	if clean {
		d.end(ctx)
	}
	d.findRemains(env, runs, clean) // after the processes that may use it
	return nil
}

// ofDeadRuns gives the processes with the marker of a run that is not live.
func ofDeadRuns() ([]process.Survivor, error) {
	marked, err := process.FindLeftovers("")
	return slices.DeleteFunc(marked, func(s process.Survivor) bool { return journal.Folder(s.Marker).Live() }), err
}

// provenDead are those of them whose run folder is here and says by its lock that
// nobody is at work. A folder that cannot be seen may be one of a container: such a
// process is shown by doctor, and ended only when somebody asks for that.
func provenDead() ([]process.Survivor, error) {
	marked, err := ofDeadRuns()
	return slices.DeleteFunc(marked, func(s process.Survivor) bool {
		_, err := journal.Open(s.Marker)
		return err != nil
	}), err
}

// endLeftovers ends what former sessions left, before a new one looks whether the host is fit.
func endLeftovers(ctx context.Context, left []process.Survivor) error {
	if still := process.EndLeftovers(ctx, left, cleanGrace); len(still) > 0 {
		return &exitError{code: exitPreflight, err: fmt.Errorf("%d processes of a former run cannot be ended, the first is %s", len(still), still[0].Whose()),
			hint: "servematrix doctor shows them all"}
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
