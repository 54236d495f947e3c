package cli

import (
	"context"
	"errors"
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
	find := func() ([]process.Survivor, error) { return d.look(ctx, env, runs, len(named) == 0) }
	var ended, found []process.Survivor
	if clean {
		ended, found, err = process.EndFound(ctx, find, cleanGrace)
	} else {
		found, err = find()
	}
	if err != nil {
		return err
	}
	d.Ended = append(d.Ended, ended...)
	d.keep(found)
	d.findRemains(env, runs, clean) // after the processes that may use it
	if clean {
		d.hideSecrets(env, runs) // after those that may write them
	}
	return nil
}

// look finds what these runs left, and with others what any dead run left that has a marker.
func (d *diagnosis) look(ctx context.Context, env Env, runs []journal.Folder, others bool) (found []process.Survivor, err error) {
	for _, f := range runs {
		if f.Live() {
			continue
		}
		s, err := takeSnapshot(env, f)
		if err != nil {
			continue // ls names its problem; the marker finds what it left
		}
		more, err := orchestrator.Leftovers(ctx, f, s.state)
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if err != nil {
			problem := fmt.Sprintf("not all that %s may have left can be looked for: %v", shown(env, string(f)), err)
			if !slices.Contains(d.Problems, problem) {
				d.Problems = append(d.Problems, problem)
			}
		}
		found = append(found, more...)
	}
	if !others {
		return found, nil
	}
	marked, err := ofDeadRuns()
	return append(found, marked...), err
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

// endLeftovers ends what former sessions left, before a new one looks whether the host is fit, and gives it.
func endLeftovers(ctx context.Context, find func() ([]process.Survivor, error)) (ended []process.Survivor, err error) {
	ended, still, err := process.EndFound(ctx, find, cleanGrace)
	if len(still) > 0 {
		err = errors.Join(notEnded(still), err)
	}
	return ended, err
}

func notEnded(still []process.Survivor) error {
	return &exitError{code: exitPreflight, err: fmt.Errorf("%d processes of a former run cannot be ended, the first is %s", len(still), still[0].Whose()),
		hint: "servematrix doctor shows them all"}
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
