package orchestrator

import (
	"context"
	"fmt"
	"regexp"
	"sync"
	"time"

	"servematrix/process"
)

// vitalsLook is how often the listener is looked for. A variable for the tests only.
var vitalsLook = time.Second

// leaderLag is how much later than the workers that the kernel ends with it
// (PR_SET_PDEATHSIG) a leader can be seen to end.
const leaderLag = 20 * time.Millisecond

// vitals watches what a server needs beside its main process: the workers that
// its profile names, and somebody of it who listens on its port. An engine whose
// worker has died mostly keeps its leader, its port and its clients' connections,
// and answers nothing any more.
//
// What it costs: one look at /proc when the first client has been started; then the
// kernel tells of a worker's end (process.FirstDeath), and once a second it is asked
// for its listening sockets (tens of microseconds, whatever the server does).
type vitals struct {
	failed chan struct{} // closed when something is gone
	cancel context.CancelFunc
	wg     sync.WaitGroup
	once   sync.Once
	what   string // that is gone, for people; valid after failed
}

// watchVitals begins with the launch's first client, not on the way to it. ctx
// is the run's: from an interrupt on, nothing that ends means anything.
func (l *launch) watchVitals(ctx context.Context) {
	if l.vitals != nil {
		return
	}
	ctx, cancel := context.WithCancel(ctx)
	v := &vitals{failed: make(chan struct{}), cancel: cancel}
	l.vitals = v
	if workers := l.profile.Workers.Expression(); workers != nil {
		v.wg.Go(func() { v.workers(ctx, l.proc, workers) })
	}
	if l.port > 0 { // a ready server listens there, see launch.owns
		v.wg.Go(func() { v.listener(ctx, l.proc, l.port) })
	}
}

// workers waits for the first of the processes that match to end.
func (v *vitals) workers(ctx context.Context, p *process.Process, match *regexp.Regexp) {
	all := workersOf(p.Members(), match)
	if len(all) == 0 {
		return
	}
	ids := make([]process.Identity, len(all))
	for i, m := range all {
		ids[i] = m.Identity
	}
	dead, err := process.FirstDeath(ctx, ids)
	if err != nil {
		return
	}
	if leaderEnded(ctx, p) && p.Exit().Signal != 0 { // it was killed and took its workers along: the launch's to notice
		return
	}
	for _, m := range all {
		if m.Identity == dead {
			v.fail(ctx, "its worker "+m.String()+" ended")
		}
	}
}

// leaderEnded tells, once a worker has ended, whether the leader has, too. On a busy machine its guard
// can be late with the news: a leader that no longer lives is waited for.
func leaderEnded(ctx context.Context, p *process.Process) bool {
	select {
	case <-p.Exited():
		return true
	case <-time.After(leaderLag):
	}
	if p.Identity().Alive() {
		return false
	}
	select {
	case <-p.Exited():
		return true
	case <-ctx.Done():
		return false
	}
}

// workersOf picks the workers. A child that still looks like its parent in every
// letter has been forked and not become a program of its own, nor given itself a
// title: a helper of a moment, whose end means nothing.
func workersOf(members []process.Member, match *regexp.Regexp) []process.Member {
	type look struct {
		pid           int
		comm, cmdline string
	}
	looks := map[look]bool{}
	for _, m := range members {
		looks[look{m.PID, m.Comm, m.Cmdline}] = true
	}
	var workers []process.Member
	for _, m := range members {
		if (match.MatchString(m.Cmdline) || match.MatchString(m.Comm)) && !looks[look{m.Parent, m.Comm, m.Cmdline}] {
			workers = append(workers, m)
		}
	}
	return workers
}

// listener looks for one on the port. Twice in a row without means that it is gone:
// a server that is replaced in place may be between two sockets.
func (v *vitals) listener(ctx context.Context, p *process.Process, port int) {
	t := time.NewTicker(vitalsLook)
	defer t.Stop()
	for misses := 0; misses < 2; {
		select {
		case <-ctx.Done():
			return
		case <-t.C:
		}
		listens, err := process.Listens(port)
		switch {
		case err != nil || listens: // an answer that cannot be had says nothing
			misses = 0
		case !p.Identity().Alive():
			return
		default:
			misses++
		}
	}
	v.fail(ctx, fmt.Sprintf("nobody listens on its port %d any more", port))
}

// fail notes what is gone, unless the server is to end anyway.
func (v *vitals) fail(ctx context.Context, what string) {
	if ctx.Err() == nil {
		v.once.Do(func() {
			v.what = what
			close(v.failed)
		})
	}
}

// vitalsFailed is closed when something that the server needs is gone.
func (l *launch) vitalsFailed() <-chan struct{} {
	if l.vitals == nil {
		return nil
	}
	return l.vitals.failed
}

// crippled tells whether the server has lost what it needs.
func (l *launch) crippled() bool {
	select {
	case <-l.vitalsFailed():
		return true
	default:
		return false
	}
}

// sound tells whether the server can serve another client.
func (l *launch) sound() bool { return l.proc.Alive() && !l.crippled() }

// tellDeath warns of a server that died when no client ran; what it did to a client
// is that client's failure.
func (l *launch) tellDeath() {
	if !l.sound() && !l.deathTold {
		l.warn(l.serverDied("between two clients").Message + "; the next cell gets a fresh start")
	}
}

// endVitals ends the watch, for what dies from now on was told to, and gives what
// waits until it has ended.
func (l *launch) endVitals() (wait func()) {
	if l.vitals == nil {
		return func() {}
	}
	l.vitals.cancel()
	return l.vitals.wg.Wait
}
