package process

import (
	"fmt"
	"syscall"
	"time"
)

// quarry is what the ladder acts on: the tree below a guard.
type quarry interface {
	// signalLeader sends to the main process only.
	signalLeader(sig syscall.Signal) error
	// signalGroup sends to the leader's process group and says who was in the
	// tree; sent is false when the group is empty.
	signalGroup(sig syscall.Signal) (alive []proc, sent bool)
	// kill sends SIGKILL to everything that is left, once, and says to whom. The
	// error says that nobody could look who that is.
	kill(named func([]proc)) (alive []proc, err error)
	// groupAlive says whether somebody of the group still lives.
	groupAlive() bool
}

// phase is how far the end of a tree has come.
type phase int

const (
	phaseRunning phase = iota
	phaseGrace         // the leader was asked to end
	phaseLinger        // the leader is gone, its children may follow
	phaseGroup         // the group was asked to end
	phaseKill          // SIGKILL in a loop
	phaseEnded         // empty, or given up
)

// groupLook is how often the group is looked at after its SIGTERM. killPause is
// the wait between two rounds of the kill loop. It doubles up to killPauseMax:
// what outlives a few rounds hangs in the kernel, and looking more often does
// not free it.
const (
	groupLook    = 10 * time.Millisecond
	killPause    = 10 * time.Millisecond
	killPauseMax = 250 * time.Millisecond
)

// ladder decides what is done when, from asking the leader to SIGKILL for all.
// It owns no clock and no goroutine: its owner tells it what happened and
// calls tick when the time next() has come.
type ladder struct {
	tree  quarry
	own   StopPolicy    // Spec.Stop
	bound time.Duration // of the kill loop
	note  func(Step)

	phase      phase
	began      time.Time // the stop was ordered or the leader exited
	until      time.Time // when the phase ends by itself
	linger     time.Duration
	leaderGone bool
	pause      time.Duration
	groupEnd   time.Time
	killEnd    time.Time
	seen       bool   // a round of the kill loop could look
	alive      []proc // what the last such round found
	result     Result
}

func (l *ladder) ended() bool { return l.phase == phaseEnded }

// next is when tick wants to be called; false: nothing is due.
func (l *ladder) next() (time.Time, bool) {
	return l.until, l.phase != phaseRunning && l.phase != phaseEnded
}

func (l *ladder) step(s Step) {
	s.At = time.Now()
	s.Since = s.At.Sub(l.began)
	l.result.Steps = append(l.result.Steps, s)
	l.note(s)
}

func (l *ladder) begin() {
	if l.began.IsZero() {
		l.began = time.Now()
	}
}

// stop begins the ladder. Once begun, a further stop can only shorten it.
func (l *ladder) stop(p StopPolicy) {
	l.begin()
	switch l.phase {
	case phaseRunning:
		l.linger = p.linger()
		if p.Grace >= 0 {
			s := Step{Action: ActionSignal, Signal: SignalName(p.signal())}
			if err := l.tree.signalLeader(p.signal()); err != nil {
				s.Detail = err.Error()
			}
			l.step(s)
		}
		l.phase, l.until = phaseGrace, l.began.Add(max(p.Grace, 0))
	case phaseGrace, phaseLinger:
		l.shorten(p.Grace)
	}
	switch {
	case l.phase == phaseEnded || l.phase == phaseKill:
	case p.Grace < 0:
		l.killNow()
	case l.phase != phaseGroup && !time.Now().Before(l.until):
		l.tick()
	}
}

// forced is a stop for a reason of the guard's own.
func (l *ladder) forced(action string, p StopPolicy) {
	if l.ended() {
		return
	}
	l.begin()
	l.step(Step{Action: action})
	l.stop(p)
}

func (l *ladder) shorten(to time.Duration) {
	if t := time.Now().Add(max(to, 0)); t.Before(l.until) {
		l.until = t
	}
}

// leaderExited is told when the leader has been reaped. Its children may
// follow by themselves for a while: an orderly SGLang needs up to 4.5 s. Behind
// a leader that crashed before anybody told it to stop nothing orderly follows.
func (l *ladder) leaderExited(exit Exit) {
	l.begin()
	l.leaderGone = true
	l.result.Exit = exit
	l.step(Step{Action: ActionLeaderExit, Detail: exit.String()})
	switch l.phase {
	case phaseRunning:
		if exit.crashed() {
			l.killNow()
			return
		}
		l.linger = l.own.linger()
		l.phase, l.until = phaseLinger, time.Now().Add(l.linger)
	case phaseGrace: // what is left of the grace, if that is less
		l.phase = phaseLinger
		l.shorten(min(l.linger, defaultLinger))
	}
}

// empty is told when nothing of the tree is left.
func (l *ladder) empty() {
	if l.ended() {
		return
	}
	l.phase = phaseEnded
	l.step(Step{Action: ActionGone})
}

// tick goes one rung on when the phase's time is over.
func (l *ladder) tick() {
	switch l.phase {
	case phaseGrace, phaseLinger:
		alive, sent := l.tree.signalGroup(syscall.SIGTERM)
		if !sent {
			l.killNow()
			return
		}
		l.step(withNames(Step{Action: ActionGroup, Signal: SignalName(syscall.SIGTERM)}, alive))
		l.phase, l.groupEnd = phaseGroup, time.Now().Add(groupWait)
		l.until = time.Now().Add(groupLook)
	case phaseGroup:
		// Those outside the group were not asked: there is nothing to wait for.
		if now := time.Now(); now.Before(l.groupEnd) && l.tree.groupAlive() {
			l.until = now.Add(groupLook)
			return
		}
		l.killNow()
	case phaseKill:
		l.round()
	}
}

func (l *ladder) killNow() {
	l.phase, l.pause = phaseKill, killPause
	l.killEnd = time.Now().Add(l.bound)
	l.round()
}

// killing tells of those that the first round which could look is about to kill.
func (l *ladder) killing(alive []proc) {
	if len(alive) > 0 {
		l.step(withNames(Step{Action: ActionKill, Signal: SignalName(syscall.SIGKILL)}, alive))
	}
}

func (l *ladder) round() {
	named := l.killing
	if l.seen {
		named = nil
	}
	alive, err := l.tree.kill(named)
	if err == nil {
		l.seen, l.alive = true, alive
	}
	l.result.Killed = l.result.Killed || len(alive) > 0 || err != nil // who cannot look kills all the same
	now := time.Now()
	if now.Before(l.killEnd) {
		l.until = now.Add(l.pause)
		l.pause = min(2*l.pause, killPauseMax)
		return
	}
	l.phase = phaseEnded
	l.step(l.result.givenUp(l.alive, l.seen, err, l.bound))
}

// givenUp notes how a tree stood when the bound of its SIGKILL had passed, and
// gives the step that says so: alive is who was seen last, seen says that anybody
// could look at all, err why not.
func (r *Result) givenUp(alive []proc, seen bool, err error, bound time.Duration) Step {
	switch {
	case !seen:
		r.Unknown = fmt.Sprintf("whether something of the tree is left is not known: for the %v of SIGKILL nobody could look: %v", bound, err)
		return Step{Action: ActionUnknown, Detail: r.Unknown}
	case len(alive) == 0:
		// Zombies whose parent, itself a zombie, is not reaped yet: no process.
		return Step{Action: ActionGone}
	}
	s := withNames(Step{Action: ActionSurvivors, Detail: fmt.Sprintf("still alive %v after SIGKILL", bound)}, alive)
	r.Survivors = s.Survivors
	return s
}

// withNames adds who was alive to a step.
func withNames(s Step, alive []proc) Step {
	s.Alive = len(alive)
	for _, p := range alive[:min(len(alive), survivorsMax)] {
		s.Survivors = append(s.Survivors, p.survivor())
	}
	return s
}
