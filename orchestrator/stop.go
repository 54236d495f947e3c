package orchestrator

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"servematrix/journal"
	"servematrix/matrix"
	"servematrix/process"
)

// policy is how this server is stopped.
func (l *launch) policy() process.StopPolicy {
	return process.StopPolicy{Signal: signalNumber(l.server.Stop), Grace: time.Duration(l.server.Stop.Grace), Linger: l.profile.Linger()}
}

// endPolicy is how this server is stopped now. One that is not ready yet, or whose
// worker has died, has no requests to finish, and some swallow the signal then:
// waiting would be for nothing.
func (l *launch) endPolicy() process.StopPolicy {
	p := l.policy()
	if bound := l.profile.Starting(); bound > 0 && (l.times["ready"].IsZero() || l.crippled()) {
		p.Grace = min(p.Grace, bound)
	}
	return p
}

func signalNumber(s matrix.Stop) syscall.Signal {
	name := "SIG" + strings.TrimPrefix(strings.ToUpper(s.Signal), "SIG")
	if n := unix.SignalNum(name); n != 0 {
		return n
	}
	return syscall.SIGTERM
}

func signalName(e process.Exit) string {
	if e.Signal == 0 {
		return ""
	}
	return process.SignalName(e.Signal)
}

// stop ends the server until nothing of it is left and its port can be bound.
func (l *launch) stop(ctx context.Context) error {
	if l.proc == nil {
		return l.emit(l.event(journal.LaunchEnded), journal.Gone{Code: -1, PortFree: !l.portTaken, Orderly: true, Note: "it was never started"}, false)
	}
	l.config.answered(ctx)
	began := time.Now()
	died := !l.proc.Alive()
	policy := l.endPolicy()
	defer l.endVitals()()
	l.holds.last()
	l.proc.Stop(policy)
	why := "its clients are done"
	switch {
	case ctx.Err() != nil:
		why = context.Cause(ctx).Error()
	case died:
		why = "it has ended by itself"
	case l.crippled():
		why = l.Redactor.String(l.vitals.what)
	}
	told := l.emit(l.event(journal.LaunchStopping), journal.Stopping{Why: why}, false)
	if l.guards.have() == 0 {
		l.guards.prepare() // for the next server
	}
	looked := make(chan struct{})
	go func() {
		l.holds.until(l.proc.Done())
		close(looked)
	}()
	l.awaitEnd(l.proc)
	<-looked
	l.endOfClient()
	err := l.gone(began, died)
	if told != nil { // a journal that takes nothing more keeps nothing from being stopped
		return told
	}
	return err
}

// awaitEnd waits until a tree that was told to end, or whose leader has ended, is
// gone or given up; from a second interrupt on it gets no more grace.
func (r *runner) awaitEnd(p *process.Process) {
	select {
	case <-p.Done():
	case <-r.Hurry:
		p.Stop(process.StopPolicy{Signal: syscall.SIGKILL})
		<-p.Done()
	}
}

// endOfClient waits until nothing of the client is left. What outlives its SIGKILL
// stays the launch's, and is looked for at the gate.
func (l *launch) endOfClient() {
	if l.client == nil {
		return
	}
	l.awaitEnd(l.client.Process)
	if l.client.clean() {
		l.client = nil
	}
}

// forced says whom an ordered stop needed SIGKILL for.
func forced(steps []process.Step) string {
	var names []string
	for _, s := range steps {
		for _, p := range s.Survivors {
			if s.Action == process.ActionKill && !slices.Contains(names, p.Comm) {
				names = append(names, p.Comm)
			}
		}
	}
	if len(names) == 0 {
		return "its end needed SIGKILL, and its guard could not see for whom"
	}
	return fmt.Sprintf("its end needed SIGKILL (%s)", strings.Join(names, ", "))
}

// gone verifies at the gate that the host is as before, and says so.
func (l *launch) gone(began time.Time, died bool) error {
	res := l.proc.Result()
	for _, step := range res.Steps { // a command line can hold a secret
		for i, s := range step.Survivors {
			step.Survivors[i].Cmdline = l.Redactor.String(s.Cmdline)
		}
	}
	l.left(l.logs...)
	l.hideSecrets(append(l.status, filepath.Join(l.dir, guardStatus))...)
	steps, err := json.Marshal(res.Steps)
	if err != nil {
		return fmt.Errorf("steps of the stop: %w", err)
	}
	if res.Killed && !died && !l.hurried() {
		l.warn(l.server.Name + ": " + forced(res.Steps))
	}
	p := l.gate()
	g := journal.Gone{
		Code: res.Exit.Code, Signal: signalName(res.Exit), Killed: res.Killed, Steps: steps,
		Orderly: !died && !l.crippled() && !res.Killed && l.profile.NormalExit(res.Exit.Code, int(res.Exit.Signal), l.server.Stop.Signal),
	}
	p.tell(&g)
	g.Devices = l.devices.passed(len(g.Held) == 0)
	g.Seconds = time.Since(began).Seconds()
	if g.Note = notClean(g.Held); g.Note != "" {
		f := journal.Failure{Class: dirtyClass(g.Held), Phase: "stop", Message: fmt.Sprintf("after launch %s the host is not clean: %s", l.id, g.Note)}
		if err := l.emit(l.event(journal.LaunchFailed), f, false); err != nil {
			return err
		}
	}
	if l.portTaken && g.Note == "" {
		g.PortFree, g.Note = false, fmt.Sprintf("port %d is another process's, as the failure of the start says", l.port)
	}
	if err := l.config.tell(); err != nil {
		return err
	}
	// What keeps the next session from measuring must not be lost.
	if err := l.emit(l.event(journal.LaunchEnded), g, len(g.Held) > 0); err != nil {
		return err
	}
	if !l.portTaken {
		l.freed, l.freedPort = time.Now(), l.port
	}
	if len(g.Held) > 0 {
		return &NotCleanError{fmt.Sprintf("after launch %s %s", l.id, g.Note)}
	}
	return nil
}
