package cli

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"os/signal"
	"path/filepath"
	"sync"
	"syscall"

	"github.com/rs/zerolog"

	"servematrix/cmd/servematrix/progress"
	"servematrix/engine"
	"servematrix/journal"
	"servematrix/matrix"
	"servematrix/orchestrator"
	"servematrix/process"
	"servematrix/report"
	"servematrix/secret"
)

// session is what run and resume have in common: a plan, a locked folder, and what to measure.
type session struct {
	env      Env
	plan     *matrix.Plan
	catalog  *engine.Catalog
	folder   journal.Folder
	lock     *journal.Lock
	info     journal.Session
	begun    journal.Event       // of a run that was born with it; else execute begins the session
	state    *orchestrator.State // what the journal said before
	end      journal.End         // where it ended
	units    []orchestrator.Unit
	all      []orchestrator.Unit // those that were measured already, too
	adopt    bool                // a new plan is staged
	devices  *orchestrator.Devices
	swept    []process.Survivor // what former sessions left, ended before this one
	cleared  []string           // what else they left, and what was done about it
	afresh   bool
	until    untilOptions
	page     *livePage
	progress string
	color    string

	blocksGiven bool // --blocks was
}

// execute runs the session: journal, report and view hang on the events, the
// orchestrator makes them. The run folder is the last line on stdout.
func (s *session) execute(ctx context.Context) (err error) {
	defer s.lock.Release()
	defer func() { err = diskTrouble(err, "servematrix resume "+shown(s.env, string(s.folder))) }()
	if err := os.Remove(s.folder.Path(orchestrator.StopAfterCell)); err != nil && !os.IsNotExist(err) {
		return err
	}
	writer, err := s.folder.Append(s.end)
	if err != nil {
		return err
	}
	var past iter.Seq2[journal.Event, error]
	if s.begun.Seq == 0 {
		past = s.folder.Past(s.end)
	}
	live, err := report.Open(s.folder, s.plan, past)
	if err != nil {
		return errors.Join(err, writer.Close())
	}
	stdout, stderr := &patient{w: s.env.Stdout}, &patient{w: s.env.Stderr}
	s.page.begin(s.env, s.folder, stderr)
	view := progress.New(s.viewOptions(past))
	if err := s.begin(writer, live.Handle, view.Handle); err != nil {
		view.Close()
		return errors.Join(err, writer.Close(), live.Close())
	}

	ctx, hurry, release := interruptible(ctx)
	defer release()
	verdict, err := orchestrator.Run(ctx, orchestrator.Options{
		Folder: s.folder, Plan: s.plan, Catalog: s.catalog, Journal: writer, State: s.state, Begun: s.begun, Session: s.info,
		Units: s.units, All: s.all, Lost: orchestrator.FindLost(ctx, s.folder, s.state, s.all, s.units), Swept: s.swept, Cleared: s.cleared, Afresh: s.afresh, Dir: s.info.Dir, Environ: s.env.Env, Exe: s.env.Exe,
		Redactor: s.redactor(), Log: zerolog.New(view), Devices: s.devices, Hurry: hurry,
	})
	werr := writer.Close() // report and view have seen everything after this
	view.Close()
	err = errors.Join(harmless(err), werr, live.Close())
	enough := ctx.Done()
	if ctx.Err() != nil {
		enough = hurry
	}
	s.page.end(enough)
	if s.plan.Smoke != nil {
		if events, rerr := s.folder.Replay(); rerr == nil {
			err = errors.Join(err, smokeVerdict(stderr, s.plan, events))
		}
	}
	if verdict.Missing > 0 {
		fmt.Fprintf(stderr, "%d samples are missing; go on with: servematrix resume %s\n", verdict.Missing, shown(s.env, string(s.folder)))
	}
	fmt.Fprintln(stdout, shown(s.env, string(s.folder)))
	if err != nil {
		code := verdict.ExitCode
		if code == exitOK || code == exitCellsFailed {
			code = exitInternal
		}
		if orchestrator.AsDiskError(err) != nil {
			return err
		}
		return &exitError{code: code, err: err}
	}
	if verdict.ExitCode != exitOK {
		return exitWith(verdict.ExitCode)
	}
	return nil
}

// begin lets the listeners hear of everything from the session's first event on,
// which is when a new plan takes its place.
func (s *session) begin(writer *journal.Writer, listeners ...func(journal.Event)) (err error) {
	born := s.begun.Seq > 0
	for _, hear := range listeners {
		if born {
			hear(s.begun)
		}
		writer.Subscribe(hear)
	}
	if !born {
		s.begun, err = writer.Begin(s.info)
	}
	if err == nil && s.adopt {
		err = s.folder.Adopt()
	}
	return err
}

// harmless drops the errors that the view has told already.
func harmless(err error) error {
	var interrupt *orchestrator.Interrupt
	if errors.As(err, &interrupt) || errors.Is(err, orchestrator.ErrStopAsked) {
		return nil
	}
	return err
}

// redactor knows every secret that this session can meet.
func (s *session) redactor() *secret.Redactor {
	r := &secret.Redactor{}
	r.AddEnviron(s.env.Env, s.plan.Secrets)
	for _, value := range s.plan.Literals {
		r.Add(value)
	}
	for _, name := range s.plan.SecretVariables() {
		if value, ok := s.env.Getenv(name); ok {
			r.Add(value)
		}
	}
	return r
}

func (s *session) viewOptions(past iter.Seq2[journal.Event, error]) progress.Options {
	opt := progress.Options{W: s.env.Stderr, Mode: s.progress, Color: s.color, Plan: s.plan, Folder: s.folder, Units: append([]orchestrator.Unit{}, s.units...), Cells: cellsOf(s.all), Past: past, Getenv: s.env.Getenv}
	opt.Catalog = s.catalog
	opt.IsTerminal, opt.Size = terminal(s.env.Stderr)
	if mode, _, err := progress.Choose(s.progress, s.color, opt.IsTerminal, opt.Getenv); err == nil && (mode == progress.Bar || mode == progress.Plain) {
		opt.Former = func() *progress.History { return formerRuns(filepath.Dir(string(s.folder)), s.plan, s.folder) }
	}
	return opt
}

// interruptible gives a context that the first SIGINT or SIGTERM cancels, and a
// channel that the second closes.
func interruptible(parent context.Context) (context.Context, <-chan struct{}, func()) {
	ctx, cancel := context.WithCancelCause(parent)
	hurry := make(chan struct{})
	signals := make(chan os.Signal, 4)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM)
	done := make(chan struct{})
	go func() {
		var once sync.Once
		for {
			select {
			case sig := <-signals:
				if number, ok := sig.(syscall.Signal); ok && ctx.Err() == nil {
					cancel(&orchestrator.Interrupt{Signal: number})
					continue
				}
				once.Do(func() { close(hurry) })
			case <-done:
				return
			}
		}
	}()
	return ctx, hurry, func() {
		signal.Stop(signals)
		close(done)
		cancel(nil)
	}
}

// unhung lets SIGHUP and a dead terminal or pipe end nothing, until release. They
// are caught and dropped, not ignored: servers would inherit an ignored signal.
func unhung() (release func()) {
	dropped := make(chan os.Signal, 1)
	signal.Notify(dropped, syscall.SIGHUP, syscall.SIGPIPE)
	return func() { signal.Stop(dropped) }
}
