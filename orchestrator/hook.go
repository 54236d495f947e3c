package orchestrator

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"servematrix/journal"
	"servematrix/matrix"
	"servematrix/process"
	"servematrix/readiness"
)

// The moments of hooks.
const (
	beforeRun    = "before_run"
	beforeLaunch = "before_launch"
	afterCell    = "after_cell"
	afterRun     = "after_run"
	onFailure    = "on_failure"
)

// hookLimit ends a hook that has no timeout of its own.
const hookLimit = 10 * time.Minute

// lastHook is what an after_run hook gets when a second interrupt wants the end
// at once: what it puts right, such as locked clocks, would stay so otherwise.
const lastHook = 5 * time.Second

// hookLines is how much of a hook's output the journal keeps.
const hookLines = 20

// HookError says that a hook failed whose on_error is stop.
type HookError struct{ Failure journal.Failure }

// Error says which hook failed and how.
func (e *HookError) Error() string { return e.Failure.Message }

// hook runs the sweep's command for a moment, if there is one, supervised like
// everything else. A failure is a *HookError when the sweep says on_error: stop,
// else a warning. That the run was interrupted meanwhile is no failure of the hook.
func (r *runner) hook(ctx context.Context, moment string, e journal.Event) error {
	h, ok := r.Plan.Hooks[moment]
	if !ok {
		return nil
	}
	began := time.Now()
	ran := journal.HookRun{Moment: moment, Argv: r.Redactor.Strings(h.Argv)}
	err := r.runHook(ctx, moment, e, &ran)
	ran.Seconds = time.Since(began).Seconds()
	e.Type = journal.HookEnded
	if werr := r.emit(e, ran, false); werr != nil {
		return werr
	}
	if err == nil {
		return nil
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	message := fmt.Sprintf("hook %s failed: %s", moment, r.Redactor.String(err.Error()))
	said := strings.Split(ran.Output, "\n")
	message = lastLine(message, said)
	if h.OnError == "stop" {
		return &HookError{journal.Failure{Class: "hook_failed", Phase: "preflight", Message: message, Tail: said}}
	}
	r.warn(message)
	return nil
}

// hookArgv fills the secrets that a hook's command names.
func (r *runner) hookArgv(h matrix.Hook) ([]string, error) {
	argv := make([]string, len(h.Argv))
	for i, word := range h.Argv {
		var err error
		argv[i], err = matrix.Fill(word, func(name string) (string, bool) { return r.lookup(name, nil) })
		if err != nil {
			return nil, err
		}
	}
	return argv, nil
}

func (r *runner) runHook(ctx context.Context, moment string, e journal.Event, ran *journal.HookRun) error {
	ran.Code = -1
	h := r.Plan.Hooks[moment]
	argv, err := r.hookArgv(h)
	if err != nil {
		return err
	}
	dir, out, err := r.hookFolder(moment)
	if err != nil {
		return err
	}
	c := command{argv: argv, dir: r.Dir, env: r.hookEnviron(moment, e)}
	guard, err := process.Prepare(ctx)
	if err != nil {
		return err
	}
	p, err := guard.Start(process.Spec{Argv: r.executed(c), Env: r.environ(c), Dir: c.dir, Stdout: out, Stderr: out,
		Status: filepath.Join(dir, guardStatus), Lock: filepath.Join(dir, journal.AttemptLock), Stop: clientStop, Session: true})
	if err != nil {
		return err
	}
	r.keeper.take(out)
	ended := r.watchHook(ctx, p, time.Duration(h.Timeout), moment)
	p.Stop(clientStop)
	r.awaitEnd(p)
	r.left(out)
	ran.Code = p.Exit().Code
	ran.Output = strings.Join(r.tail(readiness.Tail(out, hookLines)), "\n")
	if ended == nil && ran.Code != 0 {
		ended = errors.New(p.Exit().String())
	}
	if info, err := os.Stat(out); err == nil && info.Size() > 0 {
		ran.File = r.Folder.Rel(out)
	} else if err == nil {
		_ = os.RemoveAll(dir) // it said nothing: nothing to keep
	}
	return ended
}

// hookFolder makes the folder of one hook and names the file of what it prints.
func (r *runner) hookFolder(moment string) (dir, out string, err error) {
	parent := r.Folder.Path("hooks")
	if err := os.Mkdir(parent, 0o700); err != nil && !os.IsExist(err) {
		return "", "", err
	}
	dir, err = os.MkdirTemp(parent, moment+"-")
	return dir, filepath.Join(dir, "output"), err
}

// watchHook waits for a hook's end, and says why it is to be ended before.
func (r *runner) watchHook(ctx context.Context, p *process.Process, limit time.Duration, moment string) error {
	if limit == 0 {
		limit = hookLimit
	}
	hurry := r.Hurry
	select {
	case <-hurry:
		if moment == afterRun {
			hurry, limit = nil, min(limit, lastHook)
		}
	default:
	}
	over := time.NewTimer(limit)
	defer over.Stop()
	select {
	case <-p.Exited():
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-hurry:
		return errors.New("it was cut short by a second interrupt")
	case <-over.C:
		return fmt.Errorf("it did not end within %s", limit)
	}
}

// hookEnviron tells a hook what it is about; what there is not is empty.
func (r *runner) hookEnviron(moment string, e journal.Event) map[string]string {
	env := map[string]string{
		"SERVEMATRIX_MOMENT": moment, "SERVEMATRIX_FOLDER": string(r.Folder), "SERVEMATRIX_LAUNCH": e.Launch, "SERVEMATRIX_CELL": e.Cell,
		"SERVEMATRIX_BLOCK": number(e.Block), "SERVEMATRIX_ATTEMPT": number(e.Attempt),
		"SERVEMATRIX_STATUS": "", "SERVEMATRIX_FAILURE": "", "SERVEMATRIX_SUMMARY": "", "SERVEMATRIX_EXIT_CODE": "",
	}
	switch moment {
	case afterCell, onFailure:
		o := r.state.Of(Unit{e.Cell, e.Block})
		env["SERVEMATRIX_STATUS"] = o.Status
		if o.Failure != nil {
			env["SERVEMATRIX_FAILURE"] = o.Failure.Class
		}
	case afterRun:
		v := r.sum
		env["SERVEMATRIX_EXIT_CODE"] = strconv.Itoa(v.ExitCode)
		env["SERVEMATRIX_SUMMARY"] = fmt.Sprintf("%d ok, %d invalid, %d failed, %d skipped, %d missing", v.OK, v.Invalid, v.Failed, v.Skipped, v.Missing)
	}
	return env
}
