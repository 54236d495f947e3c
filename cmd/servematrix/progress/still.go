package progress

import "time"

// Still draws the block once, as the run folder shows it at now. over says in a word
// why the run is not live, "" for one that is.
func Still(opt Options, over string, now time.Time) []string {
	v := &View{opt: opt, zone: opt.Zone, over: over, track: newTracker(opt.Plan, opt.Units)}
	v.track.selected = opt.Cells
	if v.zone == nil {
		v.zone = time.Local
	}
	v.learn()
	if v.track.state.Sessions == 0 {
		return nil
	}
	width, _ := v.size()
	return v.drawing(now, width-1)
}

// ending writes why a run that is not live ended, and what would be left for a resume.
func (v *View) ending() string {
	low, high, ok := v.track.remaining(v.track.at)
	switch {
	case v.track.done() >= v.track.total:
		return v.over
	case !ok:
		return v.over + ", ? left"
	}
	return v.over + ", " + About(low, high) + " left"
}

// clientFolder is where the client in hand writes, "" where none is.
func (v *View) clientFolder() string {
	t := v.track
	if t.phase != phaseBench && t.phase != phaseWarmup {
		return ""
	}
	return v.opt.Folder.Path(t.state.Of(t.unit).Folder)
}
