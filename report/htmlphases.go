package report

import (
	"servematrix/journal"
	"servematrix/jsonwalk"
	"servematrix/page"
	"servematrix/result"
)

// phases are the stretches of time of a run's launches, on the run's own clock.
type phases struct {
	all  []phase
	open map[string]int // launch → its phase that goes on, an index of all
}

// phase is a page.Phase whose cell is not numbered yet.
type phase struct {
	page.Phase
	cell string
}

// hear takes in an event that came at so many seconds; s is the sample that it finished.
func (p *phases) hear(e happening, at float64, s *result.Sample) error {
	switch e.Type {
	case journal.RunStarted, journal.RunResumed:
		for launch := range p.open { // a crash: nobody knows when they ended
			delete(p.open, launch)
		}
	case journal.LaunchStarted:
		p.begin(e, "start", at)
	case journal.LaunchRunning:
		p.begin(e, "ready", at)
	case journal.LaunchReady:
		p.end(e.Launch, at, false)
	case journal.LaunchFailed:
		p.end(e.Launch, at, true)
	case journal.SampleStarted:
		p.begin(e, "client", at)
	case journal.SampleEnded:
		p.end(e.Launch, at, s != nil && s.Status != result.StatusOK)
	case journal.LaunchStopping:
		p.begin(e, "stop", at)
	case journal.LaunchEnded:
		return with(e, func(v remains) { p.end(e.Launch, at, v.Survivors > 0 || len(v.Held) > 0) })
	}
	return nil
}

func (p *phases) begin(e happening, name string, at float64) {
	p.end(e.Launch, at, false)
	if p.open == nil {
		p.open = map[string]int{}
	}
	p.open[e.Launch] = len(p.all)
	p.all = append(p.all, phase{page.Phase{Launch: visible(e.Launch), Name: name, From: at, To: at, Open: true}, e.Cell})
}

func (p *phases) end(launch string, at float64, failed bool) {
	i, ok := p.open[launch]
	if !ok {
		return
	}
	delete(p.open, launch)
	one := &p.all[i]
	one.To, one.Failed, one.Open = at, failed, false
}

// of gives the phases with their cells numbered; those that go on reach to now.
func (p *phases) of(cells map[string]int, now float64, goesOn bool) []page.Phase {
	out := make([]page.Phase, 0, len(p.all))
	going := map[int]bool{}
	for _, i := range p.open {
		going[i] = goesOn
	}
	for i, one := range p.all {
		one.Cell = -1
		if n, ok := cells[one.cell]; ok {
			one.Cell = n
		}
		if going[i] {
			one.To = now
		}
		out = append(out, one.Phase)
	}
	return out
}

// remains are what launch.ended says of what a server left.
type remains struct {
	Survivors int        `json:"survivors"`
	Held      []struct{} `json:"held"`
}

// Walk implements jsonwalk.Walker. That the host did not get something back is rare.
func (r *remains) Walk(c *jsonwalk.Cursor) {
	c.Object(func(key []byte) {
		switch string(key) {
		case "survivors":
			r.Survivors = c.Int()
		case "held":
			c.Fail()
		default:
			c.Pass()
		}
	})
}
