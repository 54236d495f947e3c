package process

import (
	"os"
	"slices"
	"sync"
	"time"
)

// Process is a running tree: a leader, what it started, and the guard above.
type Process struct {
	guard   *Guard
	own     StopPolicy
	id      Identity
	sid     int
	cgroup  string
	ordered time.Time // its start was: nothing of it is older
	started time.Time
	exited  chan struct{}

	mu       sync.Mutex
	exit     Exit
	exitedAt time.Time
	result   Result
	watchdog *time.Timer
	hung     bool // the watchdog has killed the guard
	over     bool
}

// Identity is the leader's.
func (p *Process) Identity() Identity { return p.id }

// Guard is the identity of the guard above the tree.
func (p *Process) Guard() Identity { return p.guard.id }

// SID is the session of the leader, to be journalled for FindSession. Without
// Spec.Session it is the guard's.
func (p *Process) SID() int { return p.sid }

// Cgroup is the folder of the cgroup v2 leaf that holds the tree, to be
// journalled for FindCgroup; "" where none could be made.
func (p *Process) Cgroup() string { return p.cgroup }

// Started is when the leader was executed; it has a monotonic reading.
func (p *Process) Started() time.Time { return p.started }

// Exited is closed when the leader has exited; its children may live on. For
// a leader that survives SIGKILL it is closed together with Done.
func (p *Process) Exited() <-chan struct{} { return p.exited }

// Exit is how the leader ended; valid after Exited.
func (p *Process) Exit() Exit {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.exit
}

// ExitedAt is when the leader's exit became known; valid after Exited.
func (p *Process) ExitedAt() time.Time {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.exitedAt
}

// Alive says whether the leader has not exited.
func (p *Process) Alive() bool {
	select {
	case <-p.exited:
		return false
	default:
		return true
	}
}

// Stop begins to end the tree and returns at once; Done tells when it is over.
// A further call can only hasten it: with a Grace of 0 it skips what is left
// of the grace, with less than 0 it goes straight to SIGKILL.
func (p *Process) Stop(policy StopPolicy) {
	p.guard.order(order{Stop: &policy})
	p.expect(max(policy.Grace, 0) + groupWait)
}

// Done is closed when the tree is empty or given up, and the guard is gone.
func (p *Process) Done() <-chan struct{} { return p.guard.gone }

// Result is how it all ended; valid after Done.
func (p *Process) Result() Result {
	p.mu.Lock()
	defer p.mu.Unlock()
	r := p.result
	r.Steps = slices.Clone(r.Steps)
	r.Survivors = slices.Clone(r.Survivors)
	return r
}

// Tree gives the living processes of the tree now, the guard left out: what
// descends from the guard, and members of the leader's session. It costs a
// scan of /proc, a few milliseconds on a busy host.
func (p *Process) Tree() []Identity {
	t, err := scan()
	if err != nil {
		return nil
	}
	var ids []Identity
	for _, q := range p.members(t) {
		ids = append(ids, q.identity())
	}
	return ids
}

func (p *Process) members(t *table) []proc {
	var found []proc
	seen := map[int]bool{p.guard.id.PID: true}
	add := func(q proc) {
		if !seen[q.pid] && q.alive() {
			seen[q.pid] = true
			found = append(found, q)
		}
	}
	if g, ok := t.get(p.guard.id.PID); ok && g.identity() == p.guard.id {
		for _, q := range t.below(p.guard.id.PID) {
			add(q)
		}
	}
	if p.sid == p.id.PID { // a session of its own
		for _, q := range t.session(p.sid, p.id) {
			add(q)
		}
	}
	return found
}

func (p *Process) begin(note *startedNote) {
	p.id, p.sid, p.started = note.Leader, note.SID, time.Now()
	if note.Inside {
		p.cgroup = string(p.guard.cgroup)
	}
}

func (p *Process) leaderExited(exit Exit) {
	p.mu.Lock()
	p.exit, p.exitedAt = exit, time.Now()
	p.mu.Unlock()
	close(p.exited)
	p.expect(p.own.linger() + groupWait)
}

func (p *Process) addStep(s Step) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.result.Steps = append(p.result.Steps, s)
}

func (p *Process) setResult(r Result) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.result = r
}

// answerBound is what a guard may need beyond its own limits before it counts
// as hung (stopped by somebody, or starved of processor time). A variable for
// the tests only.
var answerBound = 10 * time.Second

// expect ends a guard that does not bring the tree to its end in time; what it
// leaves is then ended from here. A later limit replaces the first.
func (p *Process) expect(limit time.Duration) {
	limit += killBound + answerBound
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.over:
	case p.watchdog == nil:
		p.watchdog = time.AfterFunc(limit, p.killGuard)
	case p.watchdog.Stop():
		p.watchdog.Reset(limit)
	}
}

func (p *Process) killGuard() {
	p.mu.Lock()
	p.hung = true
	p.mu.Unlock()
	_ = p.guard.cmd.Signal(os.Kill)
}

// finish makes the end visible; the guard's goroutine calls it last.
func (p *Process) finish() {
	if p.Alive() {
		p.leaderExited(exitUnknown)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.watchdog != nil {
		p.watchdog.Stop()
	}
	p.over, p.result.Exit = true, p.exit
}
