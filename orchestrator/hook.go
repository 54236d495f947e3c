package orchestrator

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
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

// hookLines is how much of a hook's output the journal keeps.
const hookLines = 20

// HookError says that a hook failed whose on_error is stop.
type HookError struct{ Failure journal.Failure }

// Error says which hook failed and how.
func (e *HookError) Error() string { return e.Failure.Message }

// hook runs the sweep's command for a moment, if there is one, supervised like
// everything else. Its environment tells it the moment and the event's launch and
// cell. A failure is a *HookError when the sweep says on_error: stop, else a warning.
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
	message := fmt.Sprintf("hook %s failed: %s", moment, r.Redactor.String(err.Error()))
	if h.OnError == "stop" {
		return &HookError{journal.Failure{Class: "hook_failed", Phase: "preflight", Message: message, Tail: strings.Split(ran.Output, "\n")}}
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
	dir, err := os.MkdirTemp(string(r.Folder), "hook-"+moment+"-")
	if err != nil {
		return err
	}
	out := filepath.Join(dir, "output")
	argv, err := r.hookArgv(h)
	if err != nil {
		return err
	}
	c := command{argv: argv, dir: r.Dir, env: map[string]string{
		"SERVEMATRIX_MOMENT": moment, "SERVEMATRIX_FOLDER": string(r.Folder), "SERVEMATRIX_LAUNCH": e.Launch, "SERVEMATRIX_CELL": e.Cell,
	}}
	guard, err := process.Prepare(ctx)
	if err != nil {
		return err
	}
	p, err := guard.Start(process.Spec{Argv: r.executed(c), Env: r.environ(c), Dir: c.dir, Stdout: out, Stderr: out, Stop: clientStop, Session: true})
	if err != nil {
		return err
	}
	r.keeper.take(out)
	limit := time.Duration(h.Timeout)
	if limit == 0 {
		limit = hookLimit
	}
	var ended error
	select {
	case <-p.Exited():
	case <-ctx.Done():
		ended = context.Cause(ctx)
	case <-r.Hurry:
		ended = errors.New("it was cut short by a second interrupt")
	case <-time.After(limit):
		ended = fmt.Errorf("it did not end within %s", limit)
	}
	p.Stop(clientStop)
	<-p.Done()
	r.left(out)
	ran.Code = p.Exit().Code
	ran.Output = strings.Join(r.tail(readiness.Tail(out, hookLines)), "\n")
	if ended == nil && ran.Code != 0 {
		ended = errors.New(p.Exit().String())
	}
	return ended
}
