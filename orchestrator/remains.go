package orchestrator

import (
	"fmt"

	"servematrix/journal"
	"servematrix/process"
)

// recent is how much of a journal's end is read to learn how a run ended: what a
// server holds is journalled when it changes, and a start can serve many cells.
const recent = 8 << 20

// Remains is what a run that is over left besides processes, as its journal tells.
type Remains struct {
	objects []process.Object // of a server that was not seen to its end
	demands []demand         // what the host had not got back
}

// FindRemains reads how a run ended. The session that ran last had settled what
// was before it, so its last server is the one that counts.
func FindRemains(folder journal.Folder) (Remains, error) {
	events, err := folder.Recent(recent)
	if err != nil {
		return Remains{}, err
	}
	var held process.Holdings
	var kept []journal.Held
	for _, e := range events {
		switch e.Type {
		case journal.RunStarted, journal.RunResumed, journal.LaunchStarted:
			held, kept = process.Holdings{}, nil
		case journal.LaunchHolds:
			err = with(e, func(h process.Holdings) { held = h })
		case journal.LaunchEnded:
			err = with(e, func(g journal.Gone) {
				kept = g.Held
				if len(kept) == 0 {
					held = process.Holdings{}
				}
				held.Ports = nil
			})
		}
		if err != nil {
			return Remains{}, err
		}
	}
	r := Remains{objects: held.Objects}
	for _, p := range held.Ports {
		r.demands = append(r.demands, socketGone(p.Addr, p.Port, p.Inode))
	}
	for _, h := range kept {
		if d, ok := demandOf(h); ok {
			r.demands = append(r.demands, d)
		}
	}
	return r, nil
}

// Objects are the shared memory and sockets that are still there.
func (r Remains) Objects() (there []process.Object) {
	for _, o := range r.objects {
		if o.There() {
			there = append(there, o)
		}
	}
	return there
}

// GiveBack takes away what nobody uses, and says of the rest why it stays.
func (r Remains) GiveBack() (removed, problems []string) { return giveBack(r.objects) }

// Held is what the host has not got back to this moment.
func (r Remains) Held() (held []journal.Held) {
	for _, d := range r.demands {
		if !d.met() {
			held = append(held, d.Held)
		}
	}
	return held
}

// StillNotClean is the error for a host on which something of an ended run is
// held on; nil for a clean one.
func StillNotClean(run string, held []journal.Held) error {
	if len(held) == 0 {
		return nil
	}
	return &NotCleanError{fmt.Sprintf("since %s ended, %s", run, notClean(held))}
}
