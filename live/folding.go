package live

import (
	"time"

	"servematrix/journal"
	"servematrix/oneline"
)

// Why a run is not going on.
const (
	ended  = "ended"  // everything was tried
	halted = "halted" // it ended before that
	gone   = "gone"   // nobody works on it
)

// news is what the run does now.
type news struct {
	Phase  string  `json:"phase"` // start, ready, client, stop; "" between them
	Server string  `json:"server,omitempty"`
	Client string  `json:"client,omitempty"`
	Block  int     `json:"block,omitempty"`
	Done   int     `json:"done"` // samples that are final
	Age    float64 `json:"age"`  // seconds since the phase began
	since  time.Time
}

func (n news) aged(at time.Time) news {
	n.Age = max(0, at.Sub(n.since).Seconds())
	return n
}

// folding makes of events where the run stands.
type folding struct {
	news news
	seq  int64
	over string
	done map[unit]bool
}

type unit struct {
	cell  string
	block int
}

func (f *folding) standing() standing {
	s := standing{seq: f.seq, news: f.news, over: f.over}
	s.news.Done = len(f.done)
	return s
}

// take follows an event. One that cannot be read changes nothing: the page says so.
func (f *folding) take(e journal.Event) {
	if shows(e.Type) {
		f.seq = e.Seq
	}
	switch e.Type {
	case journal.RunStarted, journal.RunResumed:
		f.over = ""
		f.phase(e, "")
	case journal.LaunchStarted:
		f.phase(e, "start")
		f.news.Server, f.news.Client, f.news.Block = "", "", 0
		if d, err := journal.Decode[journal.Launch](e); err == nil {
			f.news.Server = oneline.Of(d.Name)
		}
	case journal.LaunchRunning:
		f.phase(e, "ready")
	case journal.LaunchReady:
		f.phase(e, "")
	case journal.SampleStarted:
		f.phase(e, "client")
		f.news.Client, f.news.Block = "", e.Block
		if d, err := journal.Decode[journal.Sample](e); err == nil {
			f.news.Client = oneline.Of(d.Name)
		}
	case journal.SampleEnded:
		f.phase(e, "")
		f.final(e)
	case journal.CellSkipped:
		f.done[unit{e.Cell, e.Block}] = true
	case journal.LaunchStopping:
		f.phase(e, "stop")
		f.news.Client, f.news.Block = "", 0
	case journal.LaunchEnded, journal.LaunchFailed:
		f.phase(e, "")
	case journal.RunEnded:
		f.phase(e, "")
		f.over = ended
		if d, err := journal.Decode[journal.Verdict](e); err != nil || d.Missing > 0 {
			f.over = halted
		}
	}
}

func (f *folding) phase(e journal.Event, name string) { f.news.Phase, f.news.since = name, e.Time }

func (f *folding) final(e journal.Event) {
	if d, err := journal.Decode[journal.Ended](e); err == nil && d.Final {
		f.done[unit{e.Cell, e.Block}] = true
	}
}

// shows tells whether the page is drawn anew for an event. What begins is told by news; the phases
// of a start come into the page with its next sample.
func shows(t journal.Type) bool {
	switch t {
	case journal.RunStarted, journal.RunResumed, journal.CellSkipped, journal.LaunchFailed, journal.SampleEnded, journal.BlockEnded, journal.Warning, journal.RunInterrupted, journal.RunEnded:
		return true
	}
	return false
}
