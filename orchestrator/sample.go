package orchestrator

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"servematrix/engine"
	"servematrix/journal"
	"servematrix/matrix"
	"servematrix/process"
)

// attempt is one try at a unit: its folder and the client that runs in it.
type attempt struct {
	unit    Unit
	number  int
	rel     string // folder, relative to the run folder
	dir     string // folder, absolute
	client  *matrix.Client
	profile *engine.ClientProfile
	command command
	before  seen                 // the result files that were there before the client started
	times   map[string]time.Time // phase → its start
	proc    *process.Process
	load    *clientLoad // of its client; nil before
	beside  *beside     // looks at the devices meanwhile; nil where there are none
}

// newAttempt makes the next attempt's folder and fills the client's command.
func (l *launch) newAttempt(u Unit) (*attempt, error) {
	a := &attempt{unit: u, client: l.clients[l.cells[u.Cell].Client], times: map[string]time.Time{}}
	var err error
	for a.number = l.state.Of(u).Attempts + 1; ; a.number++ {
		a.rel = journal.AttemptName(u.Cell, u.Block, a.number)
		a.dir, err = l.Folder.MakeDir(a.rel)
		if !os.IsExist(err) {
			break
		}
	}
	if err != nil {
		return nil, diskError(fmt.Errorf("make the attempt's folder: %w", err))
	}
	a.profile = l.Catalog.Client(a.client.Profile)
	a.command, err = l.fill(&a.client.Variant, l.clientLate(a.dir))
	return a, err
}

func (l *launch) clientLate(dir string) late {
	v := l.late
	v.dir = dir
	return v
}

func (l *launch) sampleEvent(a *attempt, t journal.Type) journal.Event {
	return journal.Event{Type: t, Launch: l.id, Cell: a.unit.Cell, Block: a.unit.Block, Attempt: a.number}
}

// sample measures one unit: warm-ups, the client, its result, the sample's end.
func (l *launch) sample(ctx context.Context, a *attempt, last bool) error {
	for n := 1; n <= a.client.Warmup; n++ {
		if f, err := l.warmUp(ctx, a, n); err != nil || f != nil {
			if f != nil {
				err = l.finish(a, l.unmeasured(a, f))
			}
			if err == nil {
				err = l.cellHooks(ctx, a)
			}
			return err
		}
		if l.client != nil {
			return nil // something of the warm-up lives on: the gate tells, and the cell stays missing
		}
	}
	if err := l.emit(l.sampleEvent(a, journal.SampleStarted), journal.Sample{
		Folder: a.rel, Client: a.client.ID, Name: a.client.Name, Argv: l.Redactor.Strings(a.command.argv), Env: l.hidden(a.command.env),
	}, false); err != nil {
		return err
	}
	failure, err := l.runClient(ctx, a, a.dir)
	if err != nil {
		return err
	}
	if last {
		l.holds.clientsDone()
		l.config.ask(ctx)
	} else {
		l.guards.prepare() // for the next client
	}
	if err := l.finish(a, l.measured(a, failure)); err != nil {
		return err
	}
	if err := l.cellHooks(ctx, a); err != nil {
		return err
	}
	if !last {
		l.endOfClient() // nothing of this one may disturb the next
	}
	return nil
}

// cellHooks runs what the sweep wants after a cell, and after a failed one. A
// server that waits for its stop meanwhile is idle.
func (l *launch) cellHooks(ctx context.Context, a *attempt) error {
	if ctx.Err() != nil {
		return nil // the cell was not finished; it is measured again
	}
	e := l.sampleEvent(a, journal.HookEnded)
	if l.state.Of(a.unit).Status != StatusOK {
		if err := l.hook(ctx, onFailure, e); err != nil {
			return err
		}
	}
	return l.hook(ctx, afterCell, e)
}

// warmUp runs the client once without counting it, and empties the caches again.
func (l *launch) warmUp(ctx context.Context, a *attempt, n int) (*journal.Failure, error) {
	dir := filepath.Join(a.dir, fmt.Sprintf("warmup%d", n))
	if err := os.Mkdir(dir, 0o700); err != nil {
		return nil, diskError(fmt.Errorf("make the warm-up's folder: %w", err))
	}
	counted := a.command
	defer func() { a.command = counted }()
	var err error
	if a.command, err = l.fill(&a.client.Variant, l.clientLate(dir)); err != nil {
		return nil, err
	}
	if err := l.emit(l.sampleEvent(a, journal.SampleStarted), journal.Sample{
		Folder: filepath.Join(a.rel, filepath.Base(dir)), Client: a.client.ID, Name: a.client.Name, Warmup: true, Argv: l.Redactor.Strings(a.command.argv), Env: l.hidden(a.command.env),
	}, false); err != nil {
		return nil, err
	}
	failure, err := l.runClient(ctx, a, dir)
	if failure != nil || err != nil {
		return failure, err
	}
	l.endOfClient()
	l.guards.prepare()
	if l.client != nil {
		return nil, nil
	}
	if l.server.Flush == nil { // a fresh start would be warmed up again, and be no better
		_, err := l.flush(ctx, warmMeasured)
		return nil, err
	}
	ok, err := l.flush(ctx, notMeasured)
	if err == nil && !ok {
		switch {
		case ctx.Err() != nil:
			return interrupted(ctx, "client"), nil
		case !l.sound():
			return l.serverDied("after the warm-up"), nil
		}
		return &journal.Failure{Class: "client_failed", Phase: "client", Message: "the caches could not be emptied after the warm-up; see the warning before"}, nil
	}
	return nil, err
}

// runClient starts the client in dir and waits for its end, or brings it about.
func (l *launch) runClient(ctx context.Context, a *attempt, dir string) (*journal.Failure, error) {
	guard, err := l.guards.take()
	if err != nil {
		return &journal.Failure{Class: "client_failed", Phase: "client", Message: "the guard process did not start: " + err.Error()}, nil
	}
	a.before = a.look()
	a.proc, err = guard.Start(process.Spec{
		Argv: l.executed(a.command), Env: l.environ(a.command), Dir: a.command.dir,
		Stdout: filepath.Join(dir, journal.ClientOut), Stderr: filepath.Join(dir, journal.ClientErr),
		Status: filepath.Join(dir, guardStatus), Lock: filepath.Join(dir, journal.AttemptLock),
		Stop: clientStop, Session: true,
	})
	if err != nil {
		f := l.startFailure(err)
		f.Phase = "client"
		return f, nil
	}
	logs := []string{filepath.Join(dir, journal.ClientOut), filepath.Join(dir, journal.ClientErr)}
	l.client, l.status = &supervised{a.proc, logs}, append(l.status, filepath.Join(dir, guardStatus))
	a.times["client"] = a.proc.Started()
	l.keeper.take(logs...)
	if err := l.emit(l.sampleEvent(a, journal.ClientStarted), running(a.proc), false); err != nil {
		l.endClient(a) // nobody would wait for it
		l.left(logs...)
		return nil, err
	}
	failure := l.watch(ctx, a, dir)
	a.times["client_end"] = time.Now()
	exit := a.proc.Exit()
	ended := journal.Exited{Code: exit.Code, Signal: signalName(exit), Seconds: time.Since(a.times["client"]).Seconds()}
	if failure != nil {
		ended.Why = failure.Class
	} else if exit.Code != 0 {
		failure = l.clientFailed(a, dir)
	}
	l.left(logs...)
	l.hideSecrets(a.written()...)
	return failure, l.emit(l.sampleEvent(a, journal.ClientExited), ended, false)
}

// hideSecrets takes secrets out of what others wrote, before anybody copies it.
func (r *runner) hideSecrets(paths ...string) {
	for _, path := range paths {
		if path == "" {
			continue
		}
		if _, err := r.Redactor.File(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			r.warn(err.Error())
		}
	}
}

func (a *attempt) out() string { return filepath.Join(a.dir, journal.ClientOut) }
