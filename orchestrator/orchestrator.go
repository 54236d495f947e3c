package orchestrator

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"syscall"
	"time"

	"github.com/rs/zerolog"

	"servematrix/engine"
	"servematrix/journal"
	"servematrix/matrix"
	"servematrix/process"
	"servematrix/secret"
)

// Options is all that a session needs.
type Options struct {
	Folder   journal.Folder
	Plan     *matrix.Plan // completed by engine
	Catalog  *engine.Catalog
	Journal  *journal.Writer
	State    *State             // what the journal said before this session; taken over
	Begun    journal.Event      // the session's first event, which is in the journal already
	Session  journal.Session    // its data
	Units    []Unit             // what is to be measured, in any order
	All      []Unit             // what the run has in all, Units included; only a session that goes on by itself (Session.Until) needs it
	Lost     <-chan []Unit      // gives further units once, found to be lost while the others are measured; nil: none
	Swept    []process.Survivor // what a former session left and was ended
	Cleared  []string           // what else it left, and what was done about it
	Afresh   bool               // failures of earlier sessions do not count against a variant: they are to be tried again
	Dir      string             // working folder of commands without one
	Environ  []string           // of the run, in the form of os.Environ
	Exe      string             // this binary, run for commands whose first word is servematrix
	Redactor *secret.Redactor
	Log      zerolog.Logger
	Devices  *Devices        // what the host has; nil: Run looks itself
	Hurry    <-chan struct{} // closed by a second interrupt: no more grace for anybody
}

// Interrupt is the cause of a cancelled context when a signal cancelled it.
type Interrupt struct{ Signal syscall.Signal }

// Error names the signal.
func (i *Interrupt) Error() string { return "interrupted by " + process.SignalName(i.Signal) }

// ErrStopAsked is the cause of an end that stop --after-cell asked for.
var ErrStopAsked = errors.New("stop --after-cell was asked for")

// NotCleanError says that the host cannot be measured on: something of a server
// outlived every means of ending it or was not given back, or somebody else uses
// devices that the sweep wants for itself.
type NotCleanError struct{ What string }

// Error says what holds what.
func (e *NotCleanError) Error() string { return "the host is not clean: " + e.What }

// runner is one session at work.
type runner struct {
	Options
	state     *State
	clients   map[string]*matrix.Client
	cells     map[string]matrix.Cell
	measured  map[string]*measuredAs // server variant → what its samples were measured on; nil: nobody knows
	guards    *guards
	keeper    *keeper
	began     time.Time
	judgeFrom int             // first launch that counts when a variant is judged hopeless
	enough    bool            // a failure ended the sweep: on_failure: stop
	freed     time.Time       // when the last launch left nothing behind
	freedPort int             // the port that it left
	sum       journal.Verdict // for the hook after the run
	told      func()          // returns when the interrupt has been told, if there was one
}

// Run measures the units and gives the verdict over all of them. A failed cell
// is part of the verdict; the error is for what ends a run: a host that is not
// clean, a full disk, a journal that cannot be written, an interrupt (*Interrupt).
func Run(ctx context.Context, opt Options) (journal.Verdict, error) {
	if err := process.BecomeSubreaper(); err != nil {
		opt.Log.Warn().Err(err).Msg("no subreaper: if a guard is killed, its server's processes are out of reach")
	}
	if _, err := HideAbandoned(opt.Folder, opt.State, opt.Redactor); err != nil {
		opt.Log.Warn().Err(err).Msg("what a former session left may hold secrets")
	}
	r, err := newRunner(opt)
	if err != nil {
		return journal.Verdict{ExitCode: ExitInternal}, err
	}
	defer r.guards.close()
	defer r.Devices.close()
	ctx, end := r.keep(ctx)
	defer end()
	// Said at once, not when the grace is over: whoever pressed Ctrl-C waits for a word.
	telling := make(chan struct{})
	silent := context.AfterFunc(ctx, func() {
		defer close(telling)
		r.tell(context.Cause(ctx))
	})
	r.told = sync.OnceFunc(func() {
		if !silent() {
			<-telling
		}
	})
	defer r.told()
	if n := len(opt.Swept); n > 0 {
		r.warn(fmt.Sprintf("processes of runs that are over still lived and were ended (%d), the first was %s", n, opt.Swept[0].Whose()))
	}
	for _, what := range opt.Cleared {
		r.warn(what)
	}
	err = r.hook(ctx, beforeRun, journal.Event{})
	if err == nil {
		err = r.all(ctx)
	}
	return r.verdict(ctx, err)
}

func newRunner(opt Options) (*runner, error) {
	state := opt.State
	if opt.Devices == nil {
		opt.Devices = LookAtDevices(opt.Environ)
	}
	r := &runner{Options: opt, state: state, guards: &guards{}, began: time.Now(),
		clients: map[string]*matrix.Client{}, cells: map[string]matrix.Cell{}, measured: map[string]*measuredAs{}}
	for _, c := range opt.Plan.Clients {
		r.clients[c.ID] = c
	}
	for _, c := range opt.Plan.Cells {
		r.cells[c.ID] = c
	}
	if opt.Afresh {
		r.judgeFrom = len(state.Launches)
	}
	r.reopen(opt.Units)
	return r, state.Apply(opt.Begun)
}

// all works through the units, and then through those that were found to be lost meanwhile.
func (r *runner) all(ctx context.Context) error {
	if r.Session.Until != nil {
		return r.rounds(ctx)
	}
	if err := r.work(ctx, r.Units); err != nil || r.enough {
		return err
	}
	return r.workLost(ctx)
}

// workLost works through what was found to be lost, once.
func (r *runner) workLost(ctx context.Context) error {
	lost, err := r.lost(ctx)
	if err != nil {
		return err
	}
	return r.work(ctx, lost)
}

// work goes through the groups of some units until nothing is left, with the retries behind the group that failed.
func (r *runner) work(ctx context.Context, units []Unit) error {
	for _, g := range r.groups(units) {
		for len(g.units) > 0 {
			if err := r.pause(ctx); err != nil {
				return err
			}
			left, err := r.group(ctx, g)
			if err != nil {
				return err
			}
			if r.enough {
				return nil
			}
			g.units = left
		}
	}
	return nil
}

// group gives one launch to the units of g, or skips them, and returns those that are to be tried again.
func (r *runner) group(ctx context.Context, g group) ([]Unit, error) {
	if cause := r.hopeless(g.server); cause != nil {
		for _, u := range g.units {
			if r.state.Of(u).Final { // its own failures say why
				continue
			}
			if err := r.emit(journal.Event{Type: journal.CellSkipped, Cell: u.Cell, Block: u.Block},
				journal.Skip{Failure: cause.failure, Cause: cause.launch}, true); err != nil {
				return nil, err
			}
		}
	} else if err := r.launch(ctx, g); err != nil {
		return nil, err
	}
	return r.settle(g), nil
}

// settle gives the units of g that are to be tried again, and decides whether
// the failure of another one ends the sweep.
func (r *runner) settle(g group) (again []Unit) {
	for _, u := range g.units {
		o := r.state.Of(u)
		switch {
		case !o.Final:
			again = append(again, u)
		case o.Status == StatusOK:
		case r.Plan.Run.OnFailure == "stop", r.Plan.Run.OnStartFailure == "stop" && !r.state.Last().Ready:
			r.enough = true
		}
	}
	return again
}

// StopAfterCell is the file in a run folder that asks its orchestrator to end
// after the cell at hand.
const StopAfterCell = "stop-after-cell"

// stopAsked tells whether stop --after-cell waits for us.
func (r *runner) stopAsked() bool {
	_, err := os.Stat(r.Folder.Path(StopAfterCell))
	return err == nil
}

// tell journals why the run ends before its time.
func (r *runner) tell(why error) { r.note(journal.RunInterrupted, why.Error()) }

// note journals a message from beside the run, whose state it leaves alone. A
// journal that cannot be written is noticed at the next event.
func (r *runner) note(t journal.Type, message string) {
	message = r.Redactor.String(message)
	if _, err := r.Journal.Write(journal.Event{Type: t}, journal.Note{Message: message}, false); err != nil {
		r.Log.Error().Err(err).Msg(message)
	}
}

// emit writes an event and folds it into the state.
func (r *runner) emit(e journal.Event, data any, durable bool) error {
	done, err := r.Journal.Write(e, data, durable)
	if err != nil {
		return diskError(err)
	}
	return r.state.Apply(done)
}

// warn journals a warning; a journal that cannot be written is noticed at the next state change.
func (r *runner) warn(message string) {
	if err := r.emit(journal.Event{Type: journal.Warning}, journal.Note{Message: r.Redactor.String(message)}, false); err != nil {
		r.Log.Error().Err(err).Msg(message)
	}
}
