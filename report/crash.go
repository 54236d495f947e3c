package report

import (
	"fmt"

	"servematrix/journal"
)

// scene is what a run has in hand: where it was when it broke off.
type scene struct {
	launch string
	phase  string // of phases; "" between them
	unit          // whose client runs, or whose server starts
	sample int    // the attempt whose client was begun and whose sample did not end; 0: none
}

// hear takes in an event.
func (s *scene) hear(e journal.Event) {
	switch e.Type {
	case journal.RunStarted, journal.RunResumed, journal.LaunchEnded:
		*s = scene{}
	case journal.LaunchStarted:
		*s = scene{launch: e.Launch, phase: "start", unit: unit{e.Cell, e.Block}}
	case journal.LaunchRunning:
		s.phase = "ready"
	case journal.LaunchReady:
		s.phase = ""
	case journal.SampleStarted:
		s.phase, s.unit, s.sample = "client", unit{e.Cell, e.Block}, e.Attempt
	case journal.SampleEnded:
		s.phase, s.unit, s.sample = "", unit{}, 0
	case journal.LaunchFailed, journal.LaunchStopping:
		s.phase = "stop"
	}
}

// crashed tells of a run that ended without its last event: servematrix was killed, or its host was.
func (t *tally) crashed() bool {
	return t.over && t.verdict == nil && !t.began.IsZero() && t.plan.Imported == nil
}

// cut is the row of the attempt that the crash cut short, nil where there is none.
func (t *tally) cut() *Row {
	at := t.scene
	if at.sample == 0 || !t.crashed() {
		return nil
	}
	row := &Row{Cell: at.cell, Block: at.block, Attempt: at.sample, Status: StatusInterrupted}
	row.Server, row.Client = t.cellNames(at.cell)
	if before := t.rows[at.unit]; before != nil {
		row.follow(before)
	}
	return row
}

// crash says when and where the run broke off.
func (t *tally) crash(words words) string {
	return fmt.Sprintf(words.crashed, stamp(t.last), t.where(words))
}

func (t *tally) where(words words) string {
	at := t.scene
	name := at.launch
	if l := t.launches[at.launch]; l != nil {
		name = l.name
	}
	cell := ""
	if at.cell != "" {
		server, client := t.cellNames(at.cell)
		cell = fmt.Sprintf(words.ofCell, visible(server), visible(client), at.block)
	}
	switch {
	case at.launch == "" && at.phase == "":
		return words.betweenServers
	case at.phase == "start" || at.phase == "ready":
		return fmt.Sprintf(words.whileStarting, visible(name)) + cell
	case at.phase == "client":
		return words.whileClient + cell
	case at.phase == "stop":
		return fmt.Sprintf(words.whileStopping, visible(name))
	}
	return fmt.Sprintf(words.betweenClients, visible(name))
}

// left says how much a run that crashed did not measure and, unless resume refuses it, how to go on.
func (t *tally) left(rows []Row, words words) string {
	n, _ := count(rows)
	cut, missing := n[StatusInterrupted], n[StatusMissing]
	if t.session.Only != "" { // no row tells of what was not begun
		missing = t.session.Cells * t.session.Blocks
		for _, known := range n {
			missing = max(missing-known, 0)
		}
	}
	said, goOn := fmt.Sprintf(words.left, cut, missing), words.goOn
	if cut+missing == 0 {
		said, goOn = words.nothingLeft, words.endIt
	}
	if t.first != nil {
		return said
	}
	return said + fmt.Sprintf(goOn, t.explain.run)
}
