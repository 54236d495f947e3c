package progress

import (
	"encoding/json"
	"sync"
	"time"

	"servematrix/journal"
	"servematrix/report"
)

// redraw is how often the block is looked at; it is drawn only where it changed.
const redraw = 500 * time.Millisecond

// View shows one run.
type View struct {
	opt    Options
	mode   Mode
	over   string // why the run is not live, of a still one
	color  bool
	zone   *time.Location
	screen *screen

	past <-chan struct{} // closed when the past is taken in

	mu      sync.Mutex // guards all below
	behind  bool       // the past is still being taken in: track and heard are takePast's alone
	waiting []waiting  // what came meanwhile

	track   *tracker
	heard   time.Time // when the newest event was, with a monotonic reading
	log     serverLog
	client  clientOutput
	devices deviceUse
	beats   *time.Timer // plain mode's next sign of life

	explainer *report.Explainer
	blamed    map[blame]bool // failures that were explained already

	skips skipRow // cells skipped one after the other, up to now

	stop   chan struct{}
	ticker sync.WaitGroup
	once   sync.Once
}

// skipRow is a row of skipped cells with nothing between them.
type skipRow struct {
	causes []string // launches whose failures made them pointless, each named once
	more   int      // cells that were only counted
	at     time.Time
	said   map[blame]bool // failures that a row told of; they are not told again
}

// New makes a view of a run. A mode that there is not counts as plain; Choose
// tells that beforehand.
func New(opt Options) *View {
	mode, color, err := Choose(opt.Mode, opt.Color, opt.IsTerminal, opt.Getenv)
	if err != nil {
		mode = Plain
	}
	v := &View{mode: mode, color: color, opt: opt, zone: opt.Zone, track: newTracker(opt.Plan, opt.Units), stop: make(chan struct{}),
		explainer: report.NewExplainer(opt.Folder, opt.Plan, runArgument(opt.Folder), "en"), blamed: map[blame]bool{}, skips: skipRow{said: map[blame]bool{}}}
	v.track.selected = opt.Cells
	if v.zone == nil {
		v.zone = time.Local
	}
	size := opt.Size
	if mode != Bar {
		size = nil // who reads lines wants them whole
	} else if size == nil {
		size = v.size
	}
	v.screen = newScreen(opt.W, size, color && mode == Bar)
	if mode == None {
		return v
	}
	if opt.Past != nil || opt.Former != nil {
		v.behind = true
		v.past = journal.Aside(v.takePast)
	}
	switch mode {
	case Bar:
		v.ticker.Add(1)
		go v.tick()
	case Plain:
		v.beats = time.AfterFunc(heartbeat, v.heart)
	}
	return v
}

// moment is now on the session's monotonic clock, which stands where the run is not live.
func (v *View) moment(now time.Time) time.Duration {
	if v.over != "" {
		return v.track.at
	}
	return v.track.at + max(now.Sub(v.heard), 0)
}

// Handle takes the next event. It never waits for the terminal.
func (v *View) Handle(e journal.Event) {
	if v.mode == None {
		return
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.behind {
		v.waiting = append(v.waiting, waiting{event: e.Clone(), heard: time.Now()})
		return
	}
	v.take(e, time.Now())
}

// take shows the next event. The caller holds v.mu.
func (v *View) take(e journal.Event, heard time.Time) {
	v.hear(e)
	v.heard = heard
	switch v.mode {
	case JSON:
		if line, err := json.Marshal(e); err == nil {
			v.scroll(string(line))
		}
	case Plain:
		lines := append(v.lines(e), v.change(e)...)
		if len(lines) > 0 {
			v.scroll(lines...)
			v.beats.Reset(heartbeat)
		}
	case Bar:
		if lines := v.lines(e); len(lines) > 0 {
			v.scroll(lines...)
		}
	}
}

// hear folds the next event in. One of another version's journal explains nothing; what is known stays shown.
func (v *View) hear(e journal.Event) {
	v.track.apply(e)
	if v.explainer != nil { // the block alone explains nothing
		_ = v.explainer.Apply(e)
	}
}

// scroll shows lines over the block. The caller holds v.mu.
func (v *View) scroll(lines ...string) {
	var block []string
	if v.mode == Bar && !v.behind {
		block = v.block(time.Now())
	}
	v.screen.show(lines, block)
}

func (v *View) lines(e journal.Event) []string {
	var over []string
	if e.Type != journal.CellSkipped {
		over = v.skipsOver()
	}
	return append(over, v.history(e)...)
}

// tick redraws the block while the run goes on.
func (v *View) tick() {
	defer v.ticker.Done()
	t := time.NewTicker(redraw)
	defer t.Stop()
	for {
		select {
		case <-v.stop:
			return
		case now := <-t.C:
			v.mu.Lock()
			if !v.behind {
				v.screen.show(nil, v.block(now))
			}
			v.mu.Unlock()
		}
	}
}

func (v *View) heart() {
	v.mu.Lock()
	defer v.mu.Unlock()
	select {
	case <-v.stop:
		return
	default:
	}
	if !v.behind && v.track.state.Ended == nil && v.track.state.Sessions > 0 {
		v.scroll(v.beat(time.Now()))
	}
	v.beats.Reset(heartbeat)
}

// Close ends the view: the block goes, the history stays. It waits a little
// for a terminal that is slow, and not at all for one that is gone.
func (v *View) Close() {
	v.once.Do(func() {
		if v.past != nil {
			<-v.past
		}
		close(v.stop)
		v.ticker.Wait()
		v.mu.Lock()
		if v.beats != nil {
			v.beats.Stop()
		}
		over := v.skipsOver()
		v.mu.Unlock()
		v.screen.show(over, nil)
		v.screen.close()
	})
}
