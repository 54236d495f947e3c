package orchestrator

import (
	"fmt"
	"strconv"
	"time"

	"servematrix/journal"
	"servematrix/process"
	"servematrix/readiness"
)

// portBusy names the stranger on the server's port.
func (l *launch) portBusy() *journal.Failure {
	if l.port == 0 || l.port == l.freedPort && time.Since(l.freed) < time.Second {
		return nil // nowhere, or seen free a moment ago, when the last launch left it
	}
	state, err := process.ProbePort(l.profile.Host(l.command.argv), l.port)
	if err != nil || state.Free {
		return nil // an answer that cannot be had is no reason not to try
	}
	return &journal.Failure{Class: "port_busy", Phase: "preflight", Message: l.Redactor.String(PortBusy(l.port, state))}
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
