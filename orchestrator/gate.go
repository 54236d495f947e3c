package orchestrator

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"servematrix/journal"
	"servematrix/process"
)

// gateLimit is how long the host may take to give back what a server had, once its
// last process is gone. A variable for the tests only.
var gateLimit = time.Minute

// passage is what came of a way through the gate.
type passage struct {
	held    []journal.Held // what the host did not get back: it is not clean
	removed []string       // what was left of its shared memory and sockets, and taken away
	retried bool
	seconds float64
}

// gate waits until the host has back all that the server had. When that takes too
// long it searches once more for processes of the launch, ends them, and waits again.
func (l *launch) gate() (p passage) {
	began := time.Now()
	all := l.demands()
	if slices.ContainsFunc(l.trees(), (*supervised).unseen) { // nobody has ended what may be left
		all = append(all, l.escaped()...)
	}
	left := l.awaited(all)
	if len(left) > 0 && !l.hurried() {
		p.retried = true
		left = l.awaited(append(left, l.escaped()...))
	}
	p.removed = l.holds.giveBack()
	for _, d := range left { // a command line can hold a secret
		d.By = l.Redactor.String(d.By)
		p.held = append(p.held, d.Held)
	}
	p.seconds = time.Since(began).Seconds()
	return p
}

// tell adds it to the launch's end.
func (p passage) tell(g *journal.Gone) {
	g.Held, g.Removed, g.Retried, g.Gate, g.PortFree = p.held, p.removed, p.retried, p.seconds, true
	for _, h := range p.held {
		switch h.What {
		case journal.HeldProcess:
			g.Survivors++
		case journal.HeldPort:
			g.PortFree = g.PortFree && h.Inode != 0 // port_free speaks of the server's own
		}
	}
}

// demands are all that the host must have back after this launch.
func (l *launch) demands() (all []demand) {
	for _, t := range l.trees() {
		for _, s := range t.Result().Survivors {
			all = append(all, processGone(s.Identity, s.String()))
		}
		if t.unseen() {
			all = append(all, treeGone(t, Marker(l.Folder)))
		}
	}
	if l.port > 0 && !l.portTaken {
		all = append(all, portBack(l.profile.Host(l.command.argv), l.port))
	}
	for _, p := range l.holds.beyondPort().Ports {
		all = append(all, socketGone(p.Addr, p.Port, p.Inode))
	}
	return append(all, l.devices.demands()...)
}

// awaited waits at most gateLimit, or until a second interrupt, and gives what is still held.
func (l *launch) awaited(all []demand) (left []demand) {
	ctx, cancel := context.WithTimeout(context.Background(), gateLimit)
	defer cancel()
	go func() {
		select {
		case <-l.Hurry:
			cancel()
		case <-ctx.Done():
		}
	}()
	return unmet(ctx, all)
}

func (l *launch) hurried() bool {
	select {
	case <-l.Hurry:
		return true
	default:
		return false
	}
}

// escaped ends what left the trees unseen, and wants the end of what outlived that.
func (l *launch) escaped() (all []demand) {
	ctx, cancel := context.WithTimeout(context.Background(), gateLimit)
	defer cancel()
	ended, still, err := process.EndFound(ctx, l.findEscaped, 0)
	if err != nil {
		l.warn(strings.ReplaceAll(err.Error(), "\n", "; "))
	}
	if n := len(ended) + len(still); n > 0 {
		first := slices.Concat(ended, still)[0]
		l.warn(fmt.Sprintf("%d processes of launch %s had escaped its guard, the first was %s; %d of them could be ended", n, l.id, first, len(ended)))
	}
	for _, s := range still {
		all = append(all, processGone(s.Identity, s.String()))
	}
	return all
}

// findEscaped looks by cgroup, session, log and run marker. What could not be looked at is the
// error; the rest is found all the same.
func (l *launch) findEscaped() (found []process.Survivor, err error) {
	for _, t := range l.trees() {
		more, unseen := t.Escaped(t.logs...)
		found, err = append(found, more...), errors.Join(err, unseen)
	}
	marked, unseen := process.FindLeftovers(Marker(l.Folder))
	return append(found, marked...), errors.Join(err, unseen)
}

// notClean says of a host in one sentence what holds what; "" for a clean one.
func notClean(held []journal.Held) string {
	words := make([]string, len(held))
	for i, h := range held {
		words[i] = h.String()
	}
	return strings.Join(words, "; ")
}

// dirtyClass is the failure class of a launch that left something.
func dirtyClass(held []journal.Held) string {
	for _, h := range held {
		if h.What == journal.HeldProcess || h.What == journal.HeldTree {
			return "stop_dirty"
		}
	}
	return "host_not_clean"
}
