package progress

import (
	"time"

	"servematrix/journal"
	"servematrix/orchestrator"
)

// phase is what a run is doing now.
type phase string

const (
	phaseNone   phase = ""
	phaseStart  phase = "start" // until the server's process runs
	phaseReady  phase = "ready" // until it is ready
	phaseIdle   phase = "idle"  // between ready and client, and between clients
	phaseWarmup phase = "warm-up"
	phaseBench  phase = "bench"
	phaseStop   phase = "stop"
)

// step is a phase of the launch in hand that is over.
type step struct {
	phase phase
	took  time.Duration
}

// enter ends the phase so far, which belongs to the steps where it went well.
func (t *tracker) enter(p phase) { t.phase, t.since = p, t.at }

// pass notes the phase so far as a step, together with one of the same kind before it.
func (t *tracker) pass() {
	took := t.at - t.since
	if last := len(t.steps) - 1; last >= 0 && t.steps[last].phase == t.phase {
		t.steps[last].took += took
		return
	}
	t.steps = append(t.steps, step{t.phase, took})
}

// took is how long a step of the launch in hand was, 0 where there is none.
func (t *tracker) took(p phase) time.Duration {
	for _, s := range t.steps {
		if s.phase == p {
			return s.took
		}
	}
	return 0
}

// step follows the phases and gathers how long they take.
func (t *tracker) step(e journal.Event, u orchestrator.Unit) {
	switch e.Type {
	case journal.LaunchStarted:
		t.launched, t.readyIn, t.samples, t.steps = t.at, 0, 0, nil
		t.simulated = t.state.Last().Launch.Simulated
		t.enter(phaseStart)
	case journal.LaunchRunning:
		t.pass()
		t.enter(phaseReady)
	case journal.LaunchReady:
		if d, err := journal.Decode[journal.Ready](e); err == nil {
			t.readyIn = seconds(d.Seconds)
			t.seen.start.add(t.state.Last().Launch.Server, d.Seconds)
			t.stale = true
		}
		t.pass()
		t.enter(phaseIdle)
	case journal.SampleStarted:
		d, err := journal.Decode[journal.Sample](e)
		t.warmup = err == nil && d.Warmup
		if again := t.unit == u && t.attempt == e.Attempt; !again { // else its warm-ups went before
			t.steps = t.steps[:min(len(t.steps), 2)]
			t.unitBegan = t.at
			t.samples++
		}
		t.unit, t.attempt = u, e.Attempt
	case journal.ClientStarted:
		t.unit = u
		if t.enter(phaseBench); t.warmup {
			t.phase = phaseWarmup
		}
	case journal.ClientExited:
		d, err := journal.Decode[journal.Exited](e)
		if err == nil {
			t.clientRan = d.Seconds
		}
		if err == nil && t.warmup && d.Code == 0 {
			t.seen.warmup.add(t.cells[u.Cell].Client, d.Seconds)
			t.stale = true
		}
		t.pass()
		t.enter(phaseIdle)
	case journal.SampleEnded:
		// A failed cell tells nothing of how long a good one takes.
		if o := t.state.Of(u); o.Status == orchestrator.StatusOK || o.Status == orchestrator.StatusInvalid {
			t.seen.client.add(t.cells[u.Cell].Client, t.clientRan)
			t.stale = true
		}
		t.warmup = false
	case journal.LaunchStopping:
		t.enter(phaseStop)
	case journal.LaunchEnded:
		if d, err := journal.Decode[journal.Gone](e); err == nil && t.state.Last() != nil {
			t.seen.stop.add(t.state.Last().Launch.Server, d.Seconds)
			t.stale = true
		}
		t.enter(phaseNone)
	case journal.RunEnded, journal.RunInterrupted:
		t.enter(phaseNone)
	}
}
