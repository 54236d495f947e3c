package report

import (
	"bytes"
	"errors"
	"iter"
	"sync/atomic"
	"time"

	"servematrix/journal"
	"servematrix/page"
)

// htmlFile is the page in a run folder.
const htmlFile = "report.html"

// htmlShare is how small a part of the time goes into drawing report.html: one in so many.
const htmlShare = 50

// beside draws report.html beside a run, from its folder: when a server starts or stops, or a client
// ended, and no client runs, aside, and so seldom that it costs a small share of the time. A client
// that starts ends a drawing; the page that was there before stays.
type beside struct {
	folder  journal.Folder
	clients int // that run now
	drawn   time.Time
	cost    atomic.Int64 // of the last drawing, a time.Duration; also of one that was ended
	ended   atomic.Bool  // a client has started: the drawing is to end
	busy    <-chan struct{}
}

var errClientRuns = errors.New("a client runs")

// hear takes in an event of the run.
func (b *beside) hear(e journal.Event) {
	switch e.Type {
	case journal.SampleStarted:
		b.clients++
		b.ended.Store(true)
	case journal.SampleEnded:
		b.clients = max(0, b.clients-1)
		b.perhaps()
	case journal.RunStarted, journal.RunResumed:
		b.clients = 0
	case journal.LaunchStarted, journal.LaunchStopping, journal.LaunchEnded:
		b.perhaps()
	}
}

// perhaps begins a drawing, unless a client runs, one goes on, or the last is not long ago.
func (b *beside) perhaps() {
	if b.clients > 0 || b.goesOn() || time.Since(b.drawn) < htmlShare*time.Duration(b.cost.Load()) {
		return
	}
	b.drawn = time.Now()
	b.ended.Store(false)
	b.busy = journal.Aside(func() {
		began := time.Now()
		_ = b.draw(b.clientRuns) // the one at the end tells why it cannot be written
		b.cost.Store(int64(time.Since(began)))
	})
}

// goesOn tells whether a drawing does.
func (b *beside) goesOn() bool {
	select {
	case <-b.busy:
		return false
	default:
		return b.busy != nil
	}
}

// clientRuns ends a drawing.
func (b *beside) clientRuns() error {
	if b.ended.Load() {
		return errClientRuns
	}
	return nil
}

// draw draws the page until halt ends that; it is asked between all parts, and within the long ones.
func (b *beside) draw(halt func() error) error {
	p := newPaging(b.folder).comparing()
	p.halt = halt
	p.fold(p.oneByOne())
	if err := halt(); err != nil { // a page of what was read up to then would tell of a damaged journal
		return err
	}
	return b.write(p.data(""), halt)
}

// oneByOne gives the events, one after the other, until the drawing is to end.
func (p *paging) oneByOne() iter.Seq2[happening, error] {
	return func(yield func(happening, error) bool) {
		for e, err := range p.folder.Events() {
			var h happening
			switch halted := p.halt(); {
			case halted != nil:
				err = halted
			case err == nil:
				h = p.prepare(e)
			}
			if !yield(h, err) {
				return
			}
		}
	}
}

// write makes the page and puts it in the place of the former one, unless halt ends that.
func (b *beside) write(d *page.Data, halt func() error) error {
	var text bytes.Buffer
	if err := page.HTML(&text, d, page.Options{Halt: halt}); err != nil {
		return err
	}
	if halt != nil {
		if err := halt(); err != nil {
			return err
		}
	}
	return journal.WriteFile(b.folder.Path(htmlFile), text.Bytes())
}

// rest ends a drawing that goes on.
func (b *beside) rest() {
	b.ended.Store(true)
	if b.busy != nil {
		<-b.busy
	}
}

// last draws the page when the run is over, and its charts as files; it gives these for report.md
// to link.
func (b *beside) last() ([]page.Picture, error) {
	b.rest()
	p := newPaging(b.folder).comparing()
	p.over = true // though its lock is still held
	p.fold(p.ahead(p.prepare))
	d := p.data("")
	if err := b.write(d, nil); err != nil {
		return nil, err
	}
	pictures, err := page.Pictures(d)
	if err == nil {
		err = writeCharts(b.folder.Path(chartsFolder), pictures, reportMode)
	}
	return pictures, err
}
