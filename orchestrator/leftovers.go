package orchestrator

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"time"

	"github.com/hashicorp/go-multierror"

	"servematrix/journal"
	"servematrix/process"
	"servematrix/secret"
)

const (
	// guardBound is how long a guard whose orchestrator died is waited for: its
	// own bound, and some air.
	guardBound = process.GuardBound + 5*time.Second
	guardLook  = 20 * time.Millisecond
)

// guardStatus is the file in a launch's or an attempt's folder in which its
// guard writes how the tree ended.
const guardStatus = "guard.json"

// Leftovers finds what lives of a run whose session is over: it waits for guards
// that still clean up, then looks by cgroup, session, log and run marker. state
// is the journal up to the end of that session. Each identity is proven. What could
// not be looked at is the error, a *multierror.Error; the rest is found all the same.
// When ctx ends the error is its cause: a guard may be at work still.
//
// A process can be made while one looks, so who ends what was found looks again until nothing is found.
func Leftovers(ctx context.Context, folder journal.Folder, state *State) ([]process.Survivor, error) {
	var found []process.Survivor
	seen := map[process.Identity]bool{}
	var problems *multierror.Error
	add := func(more []process.Survivor, err error) {
		for _, s := range more {
			if !seen[s.Identity] {
				seen[s.Identity] = true
				found = append(found, s)
			}
		}
		if err != nil {
			problems = multierror.Append(problems, err)
		}
	}
	for _, tree := range openTrees(folder, state) {
		awaitGuard(ctx, tree.dir)
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		add(process.FindAbandoned(filepath.Join(tree.dir, guardStatus), tree.logs...))
		if p := tree.leader; p != nil {
			// An error says that the leader is of another boot: nothing of it can live.
			members, err := process.FindSession(p.SID, process.Identity{PID: p.PID, StartTicks: p.Start, BootID: p.Boot})
			if err == nil {
				add(members, nil)
			}
		}
	}
	add(process.FindLeftovers(Marker(folder)))
	return found, problems.ErrorOrNil()
}

// tree is one supervised tree that the journal does not see ended for certain.
type tree struct {
	dir    string // holds its guard's lock and status
	logs   []string
	leader *journal.Running
}

func openTrees(folder journal.Folder, state *State) []tree {
	var out []tree
	for _, l := range state.Launches {
		if l.Ended.Unseen() {
			dir := folder.LaunchDir(l.ID)
			var logs []string
			for _, log := range l.Launch.Logs {
				logs = append(logs, folder.Path(log))
			}
			out = append(out, tree{dir, logs, l.Running})
		}
	}
	last := state.Last()
	for u, o := range state.Outcomes {
		// What the last client started may outlive its sample for as long as its launch lasts.
		if o.Status == StatusRunning || u == state.ClientUnit && last != nil && last.Ended.Unseen() {
			dir := folder.Path(o.Folder)
			out = append(out, tree{dir, []string{filepath.Join(dir, journal.ClientOut), filepath.Join(dir, journal.ClientErr)}, nil})
		}
	}
	return out
}

// awaitGuard waits while the guard of an interrupted launch still cleans up.
func awaitGuard(ctx context.Context, dir string) {
	for deadline := time.Now().Add(guardBound); journal.GuardLives(dir) && time.Now().Before(deadline) && ctx.Err() == nil; {
		time.Sleep(guardLook)
	}
}

// Abandoned tells whether a session ended without having seen its server and client
// to their end.
func Abandoned(state *State) bool { return len(openTrees("", state)) > 0 }

// HideAbandoned takes secrets out of what servers and clients of a session that
// was killed have written; nobody has done so when they ended. It gives the files in
// which there were some.
func HideAbandoned(folder journal.Folder, state *State, redactor *secret.Redactor) (hidden []string, err error) {
	var problems *multierror.Error
	for _, tree := range openTrees(folder, state) {
		err := filepath.WalkDir(tree.dir, func(path string, d fs.DirEntry, err error) error {
			if err != nil || !d.Type().IsRegular() {
				return err
			}
			changed, err := redactor.File(path)
			if changed {
				hidden = append(hidden, path)
			}
			return err
		})
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			problems = multierror.Append(problems, err)
		}
	}
	return hidden, problems.ErrorOrNil()
}
