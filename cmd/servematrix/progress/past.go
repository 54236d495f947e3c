package progress

import (
	"time"

	"servematrix/journal"
)

// waiting is an event that came while the past was still being taken in.
type waiting struct {
	event journal.Event
	heard time.Time
}

// takePast takes in what is past beside the run, and then the events that came meanwhile: a
// journal of a night's size takes longer to read than a run should wait for a view of it.
func (v *View) takePast() {
	v.learn()
	v.mu.Lock()
	defer v.mu.Unlock()
	for _, w := range v.waiting {
		v.take(w.event, w.heard)
	}
	v.waiting, v.behind = nil, false
}

// learn takes in what former runs tell, and what this one's journal says already.
func (v *View) learn() {
	if v.opt.Former != nil {
		v.track.seen = v.opt.Former().seen
	}
	if v.opt.Past == nil {
		return
	}
	for e, err := range v.opt.Past {
		if err != nil {
			break // what is known stays shown
		}
		v.hear(e)
	}
	// How long ago it was, another process wrote it, only the wall clock knows.
	v.heard = time.Now()
	v.heard = v.heard.Add(-max(v.heard.Sub(v.track.state.Current.Time), 0))
}
