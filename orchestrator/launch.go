package orchestrator

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/hashicorp/go-multierror"

	"servematrix/engine"
	"servematrix/journal"
	"servematrix/process"
	"servematrix/readiness"
)

// launch is one start of a server and the cells that it serves.
type launch struct {
	*runner
	group
	id        string
	dir       string // its folder, absolute
	profile   *engine.ServerProfile
	command   command
	late      late
	port      int
	logs      []string // stdout and stderr, absolute
	proc      *process.Process
	vitals    *vitals     // nil before the first client
	deathTold bool        // somebody has said why the server died
	devices   *deviceGate // nil where no tool tells of any
	began     time.Time
	times     map[string]time.Time // phase → its start, for the samples
	holds     *holds               // what its tree holds besides processes
	config    *configuration       // what it really runs with; nil until it is ready
	client    *supervised          // the last one that was started, until nothing of it is left
	status    []string             // what the guards of server and clients wrote
	portTaken bool                 // its start failed because another process has its port, which is not its to give back
	next      *attempt             // made while the server starts, so that nothing but the start is left when it is ready
}

// launch serves the units of g with one start. What goes wrong with server or
// client is in the journal; the error is for what ends the run.
func (r *runner) launch(ctx context.Context, g group) error {
	l, err := r.newLaunch(g)
	if err != nil {
		return err
	}
	var result *multierror.Error
	failure, err := l.prepared(ctx)
	if err != nil {
		return err
	}
	if failure == nil {
		failure = l.start()
	}
	if failure == nil {
		failure = l.await(ctx)
	}
	if failure == nil {
		result = multierror.Append(result, l.serve(ctx))
	} else {
		result = multierror.Append(result, l.failed(ctx, failure))
	}
	result = multierror.Append(result, l.stop(ctx))
	return flat(result)
}

func (r *runner) newLaunch(g group) (*launch, error) {
	l := &launch{runner: r, group: g, began: time.Now(), times: map[string]time.Time{}}
	var err error
	for n := len(r.state.Launches) + 1; ; n++ { // a crash can have left a folder that no event tells of
		l.id = fmt.Sprintf("%04d-%s", n, g.server.ID)
		l.dir, err = r.Folder.MakeDir(filepath.Join("launches", l.id))
		if !os.IsExist(err) {
			break
		}
	}
	if err != nil {
		return nil, diskError(fmt.Errorf("make the launch's folder: %w", err))
	}
	l.profile = r.Catalog.Server(g.server.Profile)
	var latePort int
	if l.port, latePort, err = r.ports(g.server); err != nil {
		return nil, err
	}
	l.late = late{port: number(latePort), dir: l.dir, devices: r.devices(), seed: strconv.Itoa(g.block)}
	if l.command, err = r.fill(&g.server.Variant, l.late); err != nil {
		return nil, err
	}
	if l.port > 0 {
		l.late.serverPort = number(l.port)
		l.late.url = l.profile.URL(l.command.argv, l.late.serverPort)
	}
	l.logs = []string{filepath.Join(l.dir, journal.ServerOut), filepath.Join(l.dir, journal.ServerErr)}
	nth := 1
	for _, old := range r.state.Launches {
		if old.Launch.Server == g.server.ID {
			nth++
		}
	}
	e := l.event(journal.LaunchStarted)
	return l, r.emit(e, journal.Launch{
		Server: g.server.ID, Name: g.server.Name, Number: nth, Argv: r.Redactor.Strings(l.command.argv), Env: r.hidden(l.command.env),
		Unset: l.command.unset, Dir: l.command.dir, Port: l.port, URL: l.late.url, Logs: []string{r.Folder.Rel(l.logs[0]), r.Folder.Rel(l.logs[1])},
		Devices: l.late.devices, LatePort: otherThan(l.port, latePort), Simulated: l.profile.Simulated,
	}, false)
}

// event is an event of this launch; it names the cell where there is only one.
func (l *launch) event(t journal.Type) journal.Event {
	e := journal.Event{Type: t, Launch: l.id, Block: l.block}
	if l.server.Isolation != "launch" {
		e.Cell = l.units[0].Cell
	}
	return e
}

// prepared runs the hook before the launch, and then looks at the devices and the port.
func (l *launch) prepared(ctx context.Context) (*journal.Failure, error) {
	err := l.hook(ctx, beforeLaunch, l.event(journal.HookEnded))
	l.began = time.Now() // the hook's time is not the server's
	if ctx.Err() != nil {
		return interrupted(ctx, "preflight"), nil
	}
	if hook, ok := errors.AsType[*HookError](err); ok {
		return &hook.Failure, nil
	}
	if err != nil {
		return nil, err
	}
	if f, err := l.takeLevel(ctx); f != nil || err != nil {
		return f, err
	}
	return l.takePort(ctx)
}

// start brings the server's process up.
func (l *launch) start() *journal.Failure {
	l.times["start"] = l.began
	guard, err := l.guards.take()
	if err != nil {
		return &journal.Failure{Class: "start_failed", Phase: "start", Message: "the guard process did not start: " + err.Error()}
	}
	l.guards.prepare() // the client's
	l.proc, err = guard.Start(process.Spec{
		Argv: l.executed(l.command), Env: l.environ(l.command), Dir: l.command.dir, Stdout: l.logs[0], Stderr: l.logs[1],
		Status: filepath.Join(l.dir, guardStatus), Lock: filepath.Join(l.dir, journal.AttemptLock),
		Stop: l.policy(), Deadline: time.Duration(l.server.Timeout), Session: true,
	})
	if err != nil {
		return l.startFailure(err)
	}
	l.holds = l.watchHolds()
	l.keeper.take(l.logs...)
	if err := l.emit(l.event(journal.LaunchRunning), running(l.proc), true); err != nil {
		return l.startFailure(err)
	}
	return nil
}

// await waits until the server is ready, or says why it will not be.
func (l *launch) await(ctx context.Context) *journal.Failure {
	conditions, err := engine.Conditions(l.server, l.late.url)
	if err != nil {
		return &journal.Failure{Class: "bad_command", Phase: "preflight", Message: err.Error()}
	}
	conditions.Progress = l.profile.Progress.Expression()
	if l.next, err = l.newAttempt(l.units[0]); err != nil {
		return l.startFailure(err)
	}
	ready, err := readiness.Wait(ctx, conditions, readiness.Target{
		Logs: l.logs, Exited: l.proc.Exited(), Alive: l.proc.Alive, Owns: l.owns(),
	})
	if err != nil {
		return l.notReady(ctx, err)
	}
	l.times["ready"] = ready.At
	l.holds.isReady()
	err = l.emit(l.event(journal.LaunchReady), journal.Ready{
		Line: l.Redactor.String(ready.Line), File: l.Folder.Rel(ready.File), LineNo: ready.LineNo, By: ready.By, Seconds: ready.At.Sub(l.began).Seconds(),
	}, false)
	if err != nil {
		return l.startFailure(err)
	}
	l.config = l.readConfiguration()
	return nil
}

// failed gives every unit of the launch the failure of its start.
func (l *launch) failed(ctx context.Context, f *journal.Failure) error {
	l.portTaken = f.Class == "port_busy"
	if err := l.emit(l.event(journal.LaunchFailed), f, false); err != nil {
		return err
	}
	for i, u := range l.units {
		a := l.next
		if i > 0 || a == nil {
			var err error
			if a, err = l.newAttempt(u); err != nil {
				return err
			}
		}
		if err := l.finish(a, l.unmeasured(a, f)); err != nil {
			return err
		}
		if err := l.cellHooks(ctx, a); err != nil {
			return err
		}
		if notItsFault(f.Class) {
			return nil // the others were not begun
		}
	}
	return nil
}

// serve runs the clients one after the other.
func (l *launch) serve(ctx context.Context) error {
	for i, u := range l.units {
		a := l.next
		if i > 0 {
			if l.stopAsked() || ctx.Err() != nil || l.client != nil {
				return nil // what is left gets a launch of its own, on a clean host
			}
			ok, err := l.flush(ctx, freshStart)
			if err != nil || !ok {
				l.tellDeath()
				return err
			}
			if a, err = l.newAttempt(u); err != nil {
				return err
			}
		}
		if err := l.sample(ctx, a, i == len(l.units)-1); err != nil {
			return err
		}
	}
	return nil
}

func running(p *process.Process) journal.Running {
	id := p.Identity()
	return journal.Running{PID: id.PID, SID: p.SID(), Start: id.StartTicks, Boot: id.BootID}
}

// flat takes a multierror apart that holds at most one error, so that callers see its type and its words alone.
func flat(m *multierror.Error) error {
	if m == nil || len(m.Errors) == 0 {
		return nil
	}
	if len(m.Errors) == 1 {
		return m.Errors[0]
	}
	return m
}
