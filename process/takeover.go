package process

import (
	"fmt"
	"os"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// guards are the living guards of this process, by pid. The lock is held while
// one is started and while adopted processes are looked for.
var guards = struct {
	sync.Mutex
	live map[int]bool
}{live: map[int]bool{}}

// BecomeSubreaper makes this process the second subreaper: when a guard is
// killed, its tree comes to this process instead of to init, and the guard's
// Process ends it. Call it once, before the first Prepare. A child that this
// process starts otherwise must stay in its session (no Setsid), or it would
// be taken for part of such a tree.
func BecomeSubreaper() error {
	if err := becomeSubreaper(); err != nil {
		return fmt.Errorf("become subreaper: %w", err)
	}
	return nil
}

// takeOver ends the tree of a guard that died before it. Nobody is asked to
// end: a tree without its guard is an emergency.
func (p *Process) takeOver(lastWords string) {
	p.mu.Lock()
	hung, began := p.hung, time.Now()
	if steps := p.result.Steps; len(steps) > 0 {
		began = steps[0].At.Add(-steps[0].Since)
	}
	p.mu.Unlock()
	step := func(s Step) {
		s.At = time.Now()
		s.Since = s.At.Sub(began)
		p.addStep(s)
	}
	if hung {
		step(Step{Action: ActionGuardHung, Signal: SignalName(unix.SIGKILL), Detail: "the guard did not answer in time"})
	}
	step(Step{Action: ActionGuardLost, Detail: "the guard died before its tree" + lastWords})

	hunt := &hunt{find: p.orphans, cgroup: p.guard.cgroup, reap: p.reaped}
	left, err := hunt.end(killBound, func(alive []proc) {
		if len(alive) > 0 {
			step(withNames(Step{Action: ActionKill, Signal: SignalName(unix.SIGKILL)}, alive))
		}
	})
	p.guard.cgroup.remove()
	p.mu.Lock()
	p.result.Killed = hunt.killed
	last := p.result.givenUp(left, err == nil, err, killBound)
	p.mu.Unlock()
	step(last)
}

// orphans finds what the dead guard left: members of the leader's session and
// of the cgroup, and children of this process that it did not start. Those are recognised by
// their session: every process of a tree has left ours, and no guard's tree
// but a dead one's has this process as its parent.
func (p *Process) orphans(t *table) []proc {
	self := os.Getpid()
	me, ok := t.get(self)
	if !ok {
		return nil
	}
	var found []proc
	if p.id.PID != 0 && p.sid == p.id.PID { // known, and a session of its own
		found = t.session(p.sid, p.id)
	}
	found = append(found, p.guard.cgroup.members(t)...)
	for _, q := range t.procs {
		adopted := q.ppid == self && q.sid != me.sid && !guards.live[q.pid] && q.start >= p.guard.id.StartTicks
		if adopted {
			found = append(found, q)
		}
	}
	return found
}

// reaped is told of each adopted process that has been reaped; the leader's
// exit is still worth knowing.
func (p *Process) reaped(pid int, ws syscall.WaitStatus) {
	if pid == p.id.PID && p.Alive() {
		p.leaderExited(exitOf(ws))
	}
}
