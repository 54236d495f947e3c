package orchestrator

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"servematrix/journal"
	"servematrix/process"
	"servematrix/readiness"
)

// takePort looks whether somebody else has the server's port. One that we chose
// ourselves costs this try, and the next gets another. For one that the sweep wants
// the stranger is waited for as long as at the gate; then nothing that needs the
// port can be measured: the error is a *NotCleanError, and the launch has ended.
func (l *launch) takePort(ctx context.Context) (*journal.Failure, error) {
	busy := l.portBusy()
	switch {
	case busy == "":
		return nil, nil
	case number(l.port) == l.late.port:
		return &journal.Failure{Class: "port_busy", Phase: "preflight", Message: busy}, nil
	}
	l.warn(fmt.Sprintf("%s; the run waits for it, at most %s", busy, gateLimit))
	wait, cancel := context.WithTimeout(ctx, gateLimit)
	defer cancel()
	d := portBack(l.profile.Host(l.command.argv), l.port)
	free := d.await(wait)
	l.began = time.Now() // that time is not the server's
	switch {
	case free:
		return nil, nil
	case ctx.Err() != nil:
		return interrupted(ctx, "preflight"), nil
	}
	l.portTaken = true
	return nil, l.refuse(ctx, "port_busy", l.Redactor.String(d.Held.String())+"; end that process or give the server another port")
}

// refuse ends a launch before its start because of others on this host. Nothing of it
// was tried: its cells stay missing.
func (l *launch) refuse(ctx context.Context, class, what string) error {
	if err := l.emit(l.event(journal.LaunchFailed), journal.Failure{Class: class, Phase: "preflight", Message: what}, false); err != nil {
		return err
	}
	return errors.Join(l.stop(ctx), &NotCleanError{what})
}

// portBusy names the stranger on the server's port; "" when there is none.
func (l *launch) portBusy() string {
	if l.port == 0 || l.port == l.freedPort && time.Since(l.freed) < time.Second {
		return "" // nowhere, or seen free a moment ago, when the last launch left it
	}
	state, err := process.ProbePort(l.profile.Host(l.command.argv), l.port)
	if err != nil || state.Free {
		return "" // an answer that cannot be had is no reason not to try
	}
	return l.Redactor.String(PortBusy(l.port, state))
}

// PortBusy says who holds a port.
func PortBusy(port int, state process.PortState) string {
	who := state.Reason
	if h := state.Holder; h != nil {
		who = "held by " + h.String()
	}
	return fmt.Sprintf("port %d is not free: %s; end that process or give the server another port", port, who)
}

// owns asks whether the listener on the port is of our tree.
func (l *launch) owns() func() error {
	if l.port == 0 {
		return nil
	}
	return func() error {
		ours, holder, err := l.proc.OwnsListener(l.port)
		switch {
		case err != nil:
			return err
		case ours:
			return nil
		case holder == nil:
			return fmt.Errorf("%w on port %d", readiness.ErrNotListening, l.port)
		case holder.Ending(): // as when the server died at its ready line
			return fmt.Errorf("%w of the server's own: port %d is held by a process that is ending", readiness.ErrNotListening, l.port)
		}
		return fmt.Errorf("port %d is answered by %s, not by the server that was started", l.port, holder)
	}
}

// number writes a port, "" for none.
func number(port int) string {
	if port == 0 {
		return ""
	}
	return strconv.Itoa(port)
}
