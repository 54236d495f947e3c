package main

import (
	"fmt"
	"slices"
	"time"
)

// strike is one thing that happens to a session at a moment of its life.
type strike struct {
	kind  string
	state string        // in which it comes
	nth   int           // which event of that state begins it, from 1
	delay time.Duration // after that event

	fired bool
	hit   string        // the state that it really met
	at    time.Time     // when it came
	clean time.Duration // from the strike until nothing was left of those whom it orphaned
	owed  bool          // the clean-up is the next session's: the time is taken there
}

func (k *strike) String() string {
	return fmt.Sprintf("%s @ %s %d +%v", k.kind, k.state, k.nth, k.delay.Round(time.Millisecond))
}

// The states of a run, and the events that begin them. boot is the time before
// the first event of a session: with resume it is the clean-up of the last one.
var states = []string{"boot", "begun", "starting", "ready", "client", "client over", "sample ended", "stopping", "between", "hook", "end"}

var beginsState = map[string]string{
	"run.started": "begun", "run.resumed": "begun", "launch.started": "starting", "launch.running": "starting", "launch.ready": "ready",
	"sample.started": "client", "client.started": "client", "client.exited": "client over", "sample.ended": "sample ended",
	"launch.stopping": "stopping", "launch.ended": "between", "run.ended": "end",
}

// needsReady are the states that only a server that becomes ready brings about.
var needsReady = map[string]bool{"ready": true, "client": true, "client over": true}

// strikeKind says what a strike does to the samples.
type strikeKind struct {
	name string
	// costs a try: an attempt at a sample may fail by it. Otherwise every sample
	// that shall be measured is measured.
	costs bool
	// ends the session.
	ends bool
}

var strikeKinds = []strikeKind{
	{name: "orchestrator SIGKILL", ends: true},
	{name: "orchestrator SIGKILL, resumed at once", ends: true},
	{name: "guards SIGKILL", costs: true},
	{name: "orchestrator and guards SIGKILL", ends: true},
	{name: "orchestrator and guards SIGKILL, doctor --clean", ends: true},
	{name: "orchestrator and leader SIGKILL", ends: true},
	{name: "leader SIGKILL", costs: true},
	{name: "leader SIGSEGV", costs: true},
	{name: "leader SIGABRT", costs: true},
	{name: "leader SIGBUS", costs: true},
	{name: "worker SIGKILL", costs: true},
	{name: "client SIGKILL", costs: true},
	{name: "power cut", ends: true},
	{name: "SIGINT", ends: true},
	{name: "SIGINT twice", ends: true},
	{name: "SIGINT three times", ends: true},
	{name: "SIGTERM", ends: true},
	{name: "SIGTERM twice", ends: true},
	{name: "SIGHUP"},
	{name: "guards SIGSTOP, SIGCONT"},
	{name: "orchestrator SIGSTOP, SIGCONT"},
	{name: "second orchestrator"},
	{name: "doctor --clean beside it"},
	{name: "stop", ends: true},
	{name: "stop --after-cell", ends: true},
}

// drawStrikes chooses what happens, one strike a session. The tries that they
// may cost are never more than the sweep grants.
func (s *scenario) drawStrikes() {
	tries := s.retries
	if slices.ContainsFunc(s.servers, func(v variant) bool { return v.expect == failsFirst }) {
		tries--
	}
	for i := range 1 + s.rng.IntN(3) {
		kind := strikeKinds[s.rng.IntN(len(strikeKinds))]
		if i == 0 {
			kind = strikeKinds[s.seed%uint64(len(strikeKinds))]
		}
		if kind.costs {
			if tries == 0 {
				continue
			}
			tries--
		}
		k := &strike{kind: kind.name, nth: 1}
		for k.state == "" || k.state == "hook" && !s.hooks || needsReady[k.state] && s.neverReady() {
			k.state = states[s.rng.IntN(len(states))]
		}
		if s.rng.IntN(3) == 0 {
			k.nth += s.rng.IntN(3)
		}
		// Most of what can go wrong goes wrong within a few milliseconds.
		reach := pick(s.rng, time.Millisecond, 5*time.Millisecond, 25*time.Millisecond, 120*time.Millisecond)
		k.delay = time.Duration(s.rng.Int64N(int64(reach)))
		s.strikes = append(s.strikes, k)
	}
}
