package cli

import (
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"regexp"
	"time"

	"servematrix/journal"
	"servematrix/matrix"
	"servematrix/orchestrator"
)

// runsDir is where run puts run folders unless told otherwise.
const runsDir = "runs"

// States of a run, seen from outside.
const (
	runLive        = "live"        // an orchestrator is at work on it
	runDone        = "done"        // every cell and block was tried
	runInterrupted = "interrupted" // it was asked to end; resume goes on
	runCrashed     = "crashed"     // its orchestrator vanished; resume goes on
	runNew         = "new"         // nothing was started yet
	runImported    = "imported"    // nothing was run: its samples were measured elsewhere
	runDamaged     = "damaged"     // its journal cannot be read whole: where it stands nobody can say for sure
)

// snapshot is a run as its folder shows it now.
type snapshot struct {
	folder journal.Folder
	plan   *matrix.Plan
	state  *orchestrator.State
	end    journal.End         // what state holds
	units  []orchestrator.Unit // what it is to measure
	live   bool
	damage []error // what could not be read
}

// openRun finds the run folder that arg names: a path, or a name under ./runs;
// "" is the newest under ./runs.
func openRun(env Env, arg string) (journal.Folder, error) {
	if arg == "" {
		return newestRun(env)
	}
	folder, err := journal.Open(env.path(arg))
	if err == nil {
		return folder, nil
	}
	if filepath.Base(arg) == arg {
		if f, err := journal.Open(env.path(filepath.Join(runsDir, arg))); err == nil {
			return f, nil
		}
	}
	return "", noRun(env, arg, err)
}

func newestRun(env Env) (journal.Folder, error) {
	runs, err := journal.List(env.path(runsDir))
	if err != nil && !os.IsNotExist(err) {
		return "", err
	}
	if len(runs) == 0 {
		return "", &exitError{code: exitUsage, err: errors.New("there is no run under ./runs"), hint: "name a run folder"}
	}
	newest := runs[0]
	for _, f := range runs[1:] {
		if startOf(f).After(startOf(newest)) {
			newest = f
		}
	}
	return newest, nil
}

// stamp is the end of a run folder's name: the UTC time of its begin and, where
// two runs began in the same second, a number.
var stamp = regexp.MustCompile(`-(\d{8}T\d{6}Z)(?:-(\d+))?$`)

// startOf is when a run folder was made, by its name; a renamed one counts by the age of its plan.
func startOf(f journal.Folder) time.Time {
	if m := stamp.FindStringSubmatch(string(f)); m != nil {
		if t, err := time.Parse("20060102T150405Z", m[1]); err == nil {
			n := 0
			if m[2] != "" {
				fmt.Sscan(m[2], &n)
			}
			return t.Add(time.Duration(n)) // the number orders within the second
		}
	}
	if info, err := os.Stat(f.Path(journal.PlanFile)); err == nil {
		return info.ModTime()
	}
	return time.Time{}
}

// takeSnapshot reads a run folder that has to be whole.
func takeSnapshot(env Env, folder journal.Folder) (*snapshot, error) {
	s, err := salvageSnapshot(env, folder)
	switch {
	case err != nil || len(s.damage) == 0:
		return s, err
	case errors.Is(s.damage[0], matrix.ErrNewerPlan):
		return nil, planTrouble(shown(env, string(folder)), s.damage[0])
	}
	return nil, s.damage[0]
}

// salvageSnapshot reads of a run folder what can be read. Liveness is asked first: a run that ends
// meanwhile is then shown as live with its end, never as crashed.
func salvageSnapshot(env Env, folder journal.Folder) (*snapshot, error) {
	s := &snapshot{folder: folder, live: folder.Live()}
	var err error
	if s.plan, err = readPlan(folder); errors.Is(err, matrix.ErrNewerPlan) {
		s.damage = append(s.damage, err)
	} else if err != nil {
		return nil, planTrouble(shown(env, string(folder)), err)
	}
	var damage []error
	if s.state, s.end, damage, err = orchestrator.SalvageState(folder); err != nil {
		return nil, err
	}
	s.damage = append(s.damage, damage...)
	if s.plan.Imported != nil {
		s.units = s.state.Known(s.plan)
		return s, nil
	}
	blocks := s.state.Session.Blocks
	if blocks == 0 {
		blocks = s.plan.Run.Blocks
	}
	if s.units, err = selectUnits(s.plan, s.state.Session.Only, blocks); err != nil {
		return nil, err
	}
	return s, nil
}

// events gives what state was folded from.
func (s *snapshot) events() iter.Seq2[journal.Event, error] {
	return func(yield func(journal.Event, error) bool) {
		for e, err := range s.folder.Past(s.end) {
			if _, known := errors.AsType[*journal.DamageError](err); !known && !yield(e, err) {
				return
			}
		}
	}
}

// damaged is the error of a run that was shown as far as it could be read, nil of one that is whole.
func (s *snapshot) damaged(env Env) error {
	if len(s.damage) == 0 {
		return nil
	}
	more := ""
	if n := len(s.damage) - 1; n > 0 {
		more = fmt.Sprintf(" (and %s more)", count(n, "place"))
	}
	return notAll(env, fmt.Errorf("not all of the run folder could be read, and what is shown lacks it: %w%s", s.damage[0], more))
}

// runState says in one word where the run stands.
func (s *snapshot) runState() string {
	switch {
	case s.plan.Imported != nil:
		return runImported
	case s.live && s.state.Ended == nil:
		return runLive
	case s.state.Sessions == 0:
		return runNew
	case s.state.Interrupted != "":
		return runInterrupted
	case s.state.Ended == nil:
		return runCrashed
	case s.state.Ended.Missing > 0:
		return runInterrupted // an error ended it; what is missing can be resumed
	}
	return runDone
}

// counts counts the samples by status. An attempt that was cut short is no
// outcome: its sample is interrupted, and still to be measured.
func (s *snapshot) counts() map[string]int {
	n := map[string]int{}
	for _, u := range s.units {
		o := s.state.Of(u)
		switch {
		case o.Status == orchestrator.StatusFailed && !o.Final:
			n[runInterrupted]++
		case o.Status == orchestrator.StatusRunning && s.runState() != runLive:
			n[runInterrupted]++ // a crash: no event tells its end
		default:
			n[o.Status]++
		}
	}
	return n
}

// shown is a folder as the user would type it.
func shown(env Env, path string) string {
	if rel, err := filepath.Rel(env.Dir, path); err == nil && filepath.IsLocal(rel) {
		return rel
	}
	return path
}

// size is the room on disk that the files of a run folder take, in bytes.
func size(folder journal.Folder) int64 {
	var sum int64
	filepath.WalkDir(string(folder), func(_ string, d os.DirEntry, err error) error {
		if err != nil {
			return nil // gone meanwhile, or not ours to read: the sum is what can be seen
		}
		if info, err := d.Info(); err == nil && info.Mode().IsRegular() {
			sum += orchestrator.OnDisk(info)
		}
		return nil
	})
	return sum
}

// bytesText writes a size as people read it.
func bytesText(n int64) string {
	const unit = 1024
	switch {
	case n < unit:
		return fmt.Sprintf("%d B", n)
	case n < unit*unit:
		return fmt.Sprintf("%.1f KiB", float64(n)/unit)
	case n < unit*unit*unit:
		return fmt.Sprintf("%.1f MiB", float64(n)/unit/unit)
	}
	return fmt.Sprintf("%.1f GiB", float64(n)/unit/unit/unit)
}

// isImported tells of a folder that import made. One whose plan cannot be read is a run's.
func isImported(folder journal.Folder) bool {
	plan, err := readPlan(folder)
	return err == nil && plan.Imported != nil
}
