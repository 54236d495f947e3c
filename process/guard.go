package process

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"
)

// KillBound is how long a guard goes on with SIGKILL before it gives up. A
// process that has a terabyte of locked memory to hand back needs many seconds
// to end.
const KillBound = 30 * time.Second

// GuardBound is how long a guard can live on after its parent's death. One that
// holds its lock for longer hangs; FindAbandoned names it too.
const GuardBound = lifelineGrace + groupWait + KillBound

// killBound is KillBound but in tests.
var killBound = KillBound

// startBound is how long a guard may take to execute the leader. A variable for
// the tests only.
var startBound = time.Minute

// Guard is a guard process that waits for its order. Starting it beforehand
// keeps the cost of a re-exec off the way from ready to client start.
type Guard struct {
	cmd     *os.Process
	id      Identity
	orders  *os.File // write end; its close is the lifeline's break
	reports *os.File // read end
	stderr  *os.File // what the guard says when it crashes

	ready   chan struct{}
	started chan error
	gone    chan struct{} // the guard has been reaped and its tree ended

	cgroup cgroup // made for the tree; set before ready is closed
	// words is what the guard wrote on stderr, such as the runtime's reason for
	// ending it: "" or ": text"; valid after gone.
	words string

	mu   sync.Mutex
	used bool
	tree *Process // set before the start order is sent
}

// Prepare starts a guard, which then waits without using the processor. It
// returns when the guard is ready, or with an error when ctx ends first. Every
// guard must be given to Start or to Discard.
func Prepare(ctx context.Context) (*Guard, error) {
	if os.Getenv(guardEnv) != "" {
		// Going on would start this program again and again.
		return nil, errors.New("start guard: this process was itself started as a guard; GuardMain must be the first call of main")
	}
	g, err := startGuard()
	if err != nil {
		return nil, fmt.Errorf("start guard: %w", err)
	}
	select {
	case <-g.ready:
		return g, nil
	case <-g.gone:
		return nil, fmt.Errorf("start guard: it ended at once%s", g.words)
	case <-ctx.Done():
		g.Discard()
		return nil, fmt.Errorf("start guard: %w", context.Cause(ctx))
	}
}

// Start gives the guard its order and returns when the leader has been
// executed, or with a *StartError when it could not be. The guard is used up
// either way.
func (g *Guard) Start(spec Spec) (*Process, error) {
	r, err := resolve(spec)
	if err != nil {
		g.Discard()
		return nil, err
	}
	p := &Process{guard: g, exited: make(chan struct{}), own: spec.Stop, ordered: time.Now()}
	g.mu.Lock()
	if g.used {
		g.mu.Unlock()
		return nil, &StartError{Class: ClassStartFailed, Op: "run command", Path: r.path, Err: errors.New("this guard has been used or discarded")}
	}
	g.used, g.tree = true, p
	g.mu.Unlock()

	// A guard that somebody stopped, which takes no order larger than the pipe, or
	// a file system that hangs in open(2).
	defer g.killAfter(startBound)()
	if _, err := g.orders.Write(line(order{Start: newStartOrder(r)})); err != nil {
		g.close()
	}
	select {
	case err = <-g.started:
	case <-g.gone:
		select { // both can be ready: a leader that ended at once
		case err = <-g.started:
		default:
			err = &StartError{Class: ClassStartFailed, Op: "run command", Path: r.path, Err: fmt.Errorf("its guard died%s", g.words)}
		}
	}
	if err != nil {
		<-g.gone
		return nil, err
	}
	return p, nil
}

// Waits says whether the guard still lives. One that waits may be killed before it
// is used, as anything may.
func (g *Guard) Waits() bool {
	select {
	case <-g.gone:
		return false
	default:
		return true
	}
}

// Discard ends a guard that was never used, and waits for its end. On a used
// one it does nothing.
func (g *Guard) Discard() {
	g.mu.Lock()
	used := g.used
	g.used = true
	g.mu.Unlock()
	if !used {
		defer g.killAfter(answerBound)() // one that somebody stopped sees no end of its pipe
		g.close()
		<-g.gone
	}
}

// killAfter ends a guard that does not do in time what is waited for.
func (g *Guard) killAfter(limit time.Duration) (done func() bool) {
	return time.AfterFunc(limit, func() { _ = g.cmd.Signal(os.Kill) }).Stop
}

func (g *Guard) close() { _ = g.orders.Close() }

// follow reads the reports until the guard is gone, then sees to what it may
// have left. It is the only goroutine of a guard and its process.
func (g *Guard) follow() {
	lines := bufio.NewReader(g.reports)
	complete := false
	for {
		raw, err := lines.ReadBytes('\n')
		if err != nil {
			break
		}
		var r report
		if json.Unmarshal(raw, &r) != nil {
			break
		}
		complete = complete || r.Gone != nil || r.Failed != nil
		g.take(r)
	}
	_ = g.reports.Close()
	g.close()
	_, _ = g.cmd.Wait() // this pid alone; its end also frees the attempt's lock
	guards.Lock()
	delete(guards.live, g.id.PID)
	guards.Unlock()
	g.words = lastWords(g.stderr)
	_ = g.stderr.Close()
	if p := g.process(); p != nil {
		if !complete {
			p.takeOver(g.words)
		}
		p.finish()
	}
	g.cgroup.remove() // a guard that was killed could not
	close(g.gone)
}

// take handles one report.
func (g *Guard) take(r report) {
	p := g.process()
	switch {
	case r.Ready != nil:
		g.cgroup = r.Ready.Cgroup
		close(g.ready)
	case r.Failed != nil:
		g.started <- r.Failed.err()
	case p == nil:
	case r.Started != nil:
		p.begin(r.Started)
		g.started <- nil
	case r.Exit != nil:
		p.leaderExited(*r.Exit)
	case r.Step != nil:
		p.addStep(*r.Step)
	case r.Gone != nil:
		p.setResult(*r.Gone)
	}
}

func (g *Guard) process() *Process {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.tree
}

// order sends a line down; a guard that is gone needs no order.
func (g *Guard) order(o order) {
	g.mu.Lock()
	defer g.mu.Unlock()
	_, _ = g.orders.Write(line(o))
}

func lastWords(stderr *os.File) string {
	var buf [2048]byte
	n, err := stderr.ReadAt(buf[:], 0)
	if n == 0 || err != nil && !errors.Is(err, io.EOF) {
		return ""
	}
	first, _, _ := strings.Cut(strings.TrimSpace(string(buf[:n])), "\n\n")
	return ": " + first
}
