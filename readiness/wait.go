package readiness

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// ownsLimit bounds how long a server that says it is ready may take to listen.
const ownsLimit = 30 * time.Second

// Wait waits until the server is ready: every condition met, its process
// alive, its port listened on by itself. It returns a *Failure when the server
// cannot become ready any more or does not in time, and ctx's error when ctx
// ended first. When it returns nothing reads the logs any more.
//
// With a log condition, HTTP and TCP are asked only once the line was seen.
// Before, an answer could only come from somebody else, and a server that logs
// our requests would never fall silent.
func Wait(ctx context.Context, c Conditions, t Target) (Ready, error) {
	if c.Log == nil && c.HTTP == "" && c.TCP == "" {
		return Ready{}, errors.New("nothing tells when the server is ready: ask for a log line, an HTTP path or a TCP port")
	}
	inner, cancel := context.WithCancel(ctx)
	w := &waiter{c: c, t: t, cancel: cancel, seen: make(chan sighting), met: make(chan string)}
	defer w.end()
	return w.run(ctx, inner)
}

// sighting is a log line that matters.
type sighting struct {
	fatal *Pattern // nil: the ready line
	line  string
	file  string
	no    int
}

type waiter struct {
	c      Conditions
	t      Target
	cancel context.CancelFunc
	wg     sync.WaitGroup
	seen   chan sighting
	met    chan string // names of probers that succeeded
	probes []*prober
	grown  atomic.Int64 // nanoseconds after start at which a log last grew
	start  time.Time
	moved  *advance
	alien  int // looks in a row that found a stranger on the port

	ready Ready
	count int // ready lines
	want  int // conditions not met yet
}

func (w *waiter) end() {
	w.cancel()
	w.wg.Wait()
}

func (w *waiter) run(ctx, inner context.Context) (Ready, error) {
	w.begin()
	followAll(inner, &w.wg, w.t.Logs, w.sift(inner), w.grew)
	return w.race(ctx, inner)
}

func (w *waiter) begin() {
	w.start = time.Now()
	w.moved = newAdvance(w.c.Progress, w.start)
}

// grew notes that something was written to a log.
func (w *waiter) grew() { w.grown.Store(int64(time.Since(w.start))) }

// race waits for whatever comes first.
func (w *waiter) race(ctx, inner context.Context) (Ready, error) {
	var look <-chan time.Time
	if w.c.Log != nil {
		w.want++
	} else {
		w.probe(inner, probeFirst)
		look = w.lookForStranger()
	}
	deadline := after(w.c.Timeout)
	silence := after(w.c.Silence)
	for w.want > 0 {
		select {
		case <-ctx.Done():
			return Ready{}, fmt.Errorf("waiting for the server: %w", context.Cause(ctx))
		case <-w.t.Exited:
			return Ready{}, w.exited()
		case s := <-w.seen:
			if s.fatal != nil {
				return Ready{}, w.fatal(s)
			}
			if w.count++; w.count == max(w.c.Count, 1) {
				w.ready.Line, w.ready.File, w.ready.LineNo = s.line, s.file, s.no
				w.meet("log")
				w.probe(inner, probeSoon)
				look = w.lookForStranger()
			}
		case <-look:
			if err := w.stranger(); err != nil {
				return Ready{}, err
			}
			look = w.lookForStranger()
		case name := <-w.met:
			w.meet(name)
		case <-deadline:
			quiet := w.moved.quiet()
			if quiet >= w.c.Timeout {
				return Ready{}, w.fail(ReadyTimeout, w.late(errors.New(w.missing())))
			}
			deadline = after(w.c.Timeout - quiet)
		case <-silence:
			quiet := time.Since(w.start) - time.Duration(w.grown.Load())
			if quiet >= w.c.Silence {
				return Ready{}, w.fail(Silent, fmt.Errorf("no output for %v: %s", w.c.Silence, w.missing()))
			}
			silence = after(w.c.Silence - quiet)
		}
	}
	return w.confirm(ctx, deadline)
}

// after is a channel that fires after d, never when d is 0.
func after(d time.Duration) <-chan time.Time {
	if d <= 0 {
		return nil
	}
	return time.After(d)
}

// late says that time ran out, for whatever was still missing.
func (w *waiter) late(missing error) error {
	if last := w.moved.newest(); last != "" {
		return fmt.Errorf("not ready after %v, and no progress for %v since %q: %w", time.Since(w.start).Round(time.Second), w.c.Timeout, last, missing)
	}
	return fmt.Errorf("not ready after %v: %w", w.c.Timeout, missing)
}

// sift gives the judge of log lines: for the ready line, for fatal ones and for
// progress.
func (w *waiter) sift(ctx context.Context) func(file string, line []byte, no int) bool {
	var ready *matcher
	if w.c.Log != nil {
		m := newMatcher(w.c.Log)
		ready = &m
	}
	var fatal []Pattern
	for _, p := range w.c.Failures {
		if p.Fatal {
			fatal = append(fatal, p)
		}
	}
	ends := newTable(fatal)
	return func(file string, line []byte, no int) bool {
		line = clean(line)
		s := sighting{file: file, no: no}
		if ready == nil || !ready.match(line) {
			i := ends.first(line, len(fatal))
			if i == len(fatal) {
				w.moved.look(line)
				return false
			}
			s.fatal = &fatal[i]
		}
		s.line = text(line, messageCap)
		select {
		case w.seen <- s:
		case <-ctx.Done():
		}
		return true
	}
}

// probe starts the HTTP and TCP tries that are asked for.
func (w *waiter) probe(ctx context.Context, first time.Duration) {
	if w.c.TCP != "" {
		w.probes = append(w.probes, &prober{name: "tcp", try: tryTCP(w.c.TCP), need: 1, first: first})
	}
	if w.c.HTTP != "" {
		w.probes = append(w.probes, &prober{name: "http", try: tryHTTP(w.c.HTTP), need: max(w.c.HTTPThreshold, 1), first: first})
	}
	w.want += len(w.probes)
	for _, p := range w.probes {
		w.wg.Go(func() { p.run(ctx, w.met) })
	}
}

func (w *waiter) meet(name string) {
	w.want--
	w.ready.By = append(w.ready.By, name)
}

// missing says which conditions are not met, for people.
func (w *waiter) missing() string {
	var all []string
	if need := max(w.c.Count, 1); w.c.Log != nil && w.count < need {
		if w.count == 0 {
			all = append(all, fmt.Sprintf("no log line matched %q", w.c.Log))
		} else {
			all = append(all, fmt.Sprintf("%d of %d log lines matched %q", w.count, need, w.c.Log))
		}
	}
	for _, p := range w.probes {
		if s := p.state(); s != "" {
			all = append(all, s)
		}
	}
	if len(all) == 0 {
		return "all conditions were met, but nothing listened on the port"
	}
	return strings.Join(all, "; ")
}

// confirm checks, with all conditions met, that it is our server that met
// them: still running and itself the listener.
func (w *waiter) confirm(ctx context.Context, deadline <-chan time.Time) (Ready, error) {
	limit := time.After(ownsLimit)
	pause, strange := probeSoon, false
	for {
		select {
		case <-w.t.Exited:
			return Ready{}, w.exited()
		default:
		}
		if w.t.Alive != nil && !w.t.Alive() {
			return Ready{}, w.exited()
		}
		if w.t.Owns == nil {
			break
		}
		err := w.t.Owns()
		if err == nil {
			break
		}
		if !errors.Is(err, ErrNotListening) {
			if strange { // asked twice, see stranger
				return Ready{}, &Failure{Class: PortBusy, Message: err.Error(), Tail: tailOf(w.t.Logs), Err: err}
			}
			strange = true
		}
		select {
		case <-ctx.Done():
			return Ready{}, fmt.Errorf("waiting for the server: %w", context.Cause(ctx))
		case <-w.t.Exited:
			return Ready{}, w.exited()
		case s := <-w.seen:
			if s.fatal != nil {
				return Ready{}, w.fatal(s)
			}
		case <-deadline:
			if quiet := w.moved.quiet(); quiet < w.c.Timeout { // ownsLimit bounds this anyway
				deadline = after(w.c.Timeout - quiet)
				continue
			}
			return Ready{}, w.fail(ReadyTimeout, w.late(err))
		case <-limit:
			return Ready{}, w.fail(ReadyTimeout, fmt.Errorf("it said it was ready, but %v later: %w", ownsLimit, err))
		case <-time.After(pause):
			pause = min(pause*3/2, probeSlow)
		}
	}
	w.ready.At = time.Now()
	return w.ready, nil
}

// fatal is the failure that a fatal line tells of.
func (w *waiter) fatal(s sighting) error {
	w.end()
	return &Failure{Class: s.fatal.Class, Message: s.line, File: s.file, Line: s.no, Lines: []Line{{s.file, s.no, s.line}}, Tail: Tail(s.file, tailLines),
		Err: errors.New("a fatal line was logged before the server was ready")}
}

// exited is the failure of a server that ended: the logs are read once they no
// longer grow, since the line that explains most may come last.
func (w *waiter) exited() error {
	w.end()
	Settle(w.t.Logs)
	return w.fail(StartFailed, errors.New("the server ended before it was ready"))
}

// fail explains the failure by the logs. A pattern's class is more specific
// than the class of the event, except that a server which is still running has
// not "failed to start": there the deadline is the better name.
func (w *waiter) fail(class string, err error) error {
	w.end()
	f := &Failure{Class: class, Message: err.Error(), Err: err}
	d, found := Diagnose(w.t.Logs, w.c.Failures)
	f.Lines, f.Tail = d.Lines, d.Tail
	if found && (d.Class != StartFailed || class == StartFailed) {
		f.Class, f.Message, f.File, f.Line = d.Class, d.Message, d.File, d.Line
	}
	return f
}
