package orchestrator

import (
	"context"
	"fmt"
	"path/filepath"
	"syscall"
	"time"

	"servematrix/journal"
	"servematrix/process"
	"servematrix/readiness"
)

// clientStop is how a client is ended: it has nothing to drain.
var clientStop = process.StopPolicy{Signal: syscall.SIGTERM, Grace: 3 * time.Second, Linger: time.Second}

// settle is how long a server that was seen to die may take to be gone for good
// when its client ended at the same time.
const settle = 50 * time.Millisecond

// whileClient is when a server's death fails a sample.
const whileClient = "while the client ran"

// watch waits for the client's end. It ends the client when its time is up, when
// neither it nor the server gets on, when the server dies or when the run is
// interrupted, and says so; nil means that the client ended by itself.
func (l *launch) watch(ctx context.Context, a *attempt, dir string) *journal.Failure {
	l.watchVitals(ctx)
	a.load = watchLoad(a.proc.Identity().PID)
	defer a.load.cancel()
	kept := l.keepTelemetry(a, dir)
	defer kept.Close()
	var timeout <-chan time.Time
	if d := time.Duration(a.client.Timeout); d > 0 {
		t := time.NewTimer(d)
		defer t.Stop()
		timeout = t.C
	}
	silent, stop := l.feelPulse(ctx, a, dir)
	defer stop()
	select {
	case <-a.proc.Exited():
		return l.endedBeside(a)
	case <-l.proc.Exited():
		return l.endedByServer(a)
	case <-l.vitalsFailed():
		return l.endedByServer(a)
	case <-ctx.Done():
		l.endClient(a)
		return interrupted(ctx, "client")
	case <-timeout:
		l.endClient(a)
		return l.clientEnded(a, dir, "client_timeout", fmt.Sprintf("the client did not end within %s (client.timeout)", a.client.Timeout))
	case why := <-silent:
		l.endClient(a)
		return l.clientEnded(a, dir, "client_silent", why)
	}
}

// endedBeside looks whether the client's end was really the server's.
func (l *launch) endedBeside(a *attempt) *journal.Failure {
	if a.proc.Exit().Code == 0 {
		return nil // its result tells whether all were served, see measured
	}
	return l.diedBeside()
}

// diedBeside says why the server died, if it did so when its client ended.
func (l *launch) diedBeside() *journal.Failure {
	select {
	case <-l.proc.Exited():
		return l.serverDied(whileClient)
	case <-l.vitalsFailed():
		return l.serverDied(whileClient)
	case <-time.After(settle):
		return nil
	}
}

// endedByServer ends the client of a server that has died. One that was done
// before keeps its result.
func (l *launch) endedByServer(a *attempt) *journal.Failure {
	if !a.proc.Alive() {
		return l.endedBeside(a)
	}
	l.endClient(a)
	return l.serverDied(whileClient)
}

// endClient ends the client and all that it started.
func (l *launch) endClient(a *attempt) {
	a.proc.Stop(clientStop)
	l.awaitEnd(a.proc)
}

// clientFailed says why a client's exit was not 0.
func (l *launch) clientFailed(a *attempt, dir string) *journal.Failure {
	return l.clientEnded(a, dir, "client_failed", fmt.Sprintf("the client ended with %s", a.proc.Exit()))
}

// noResult says why a client that ended well left nothing to count.
func (l *launch) noResult(a *attempt, err error) *journal.Failure {
	return l.clientEnded(a, a.dir, "no_result", fmt.Sprintf("the client ended with %s but left no result: %v", a.proc.Exit(), err))
}

func (l *launch) clientEnded(a *attempt, dir, class, message string) *journal.Failure {
	f := &journal.Failure{Class: class, Phase: "client", Message: message}
	ownEnd := class != "client_timeout" && class != "client_silent" // else what it printed is no reason
	if d, ok := readiness.Diagnose([]string{filepath.Join(dir, journal.ClientErr), filepath.Join(dir, journal.ClientOut)}, a.profile.Patterns()); ok && ownEnd {
		f.Message = fmt.Sprintf("%s: %s", message, l.Redactor.String(d.Message))
		f.File, f.Line, f.Lines, f.Tail = l.Folder.Rel(d.File), d.Line, l.lines(d.Lines), l.tail(d.Tail)
		return f
	}
	for _, name := range []string{journal.ClientErr, journal.ClientOut} {
		if tail := readiness.Tail(filepath.Join(dir, name), tailLines); len(tail) > 0 {
			f.File, f.Tail = l.Folder.Rel(filepath.Join(dir, name)), l.tail(tail)
			f.Message = lastLine(message, f.Tail)
			break
		}
	}
	return f
}
