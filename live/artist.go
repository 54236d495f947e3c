package live

import (
	"bytes"
	"compress/gzip"
	"sync"
	"syscall"
	"time"

	"servematrix/journal"
	"servematrix/page"
	"servematrix/report"
)

// artist draws the page, one drawing for all browsers, when somebody asks for it and the last one
// is old, and so seldom that it costs a small share of the time.
type artist struct {
	folder  journal.Folder
	between time.Duration

	mu    sync.Mutex
	drawn *drawing

	until sync.Mutex
	next  time.Time     // before which no other drawing is made
	last  time.Duration // that the last drawing took, others' work included
}

// drawing is a page as it was when the journal had come to an event.
type drawing struct {
	*page.Drawing
	seq  int64
	main []byte // compressed
}

// drawShare is how small a part of a processor goes into drawings: one in so many.
const drawShare = 200

// newest gives the newest drawing that there is to be. seq is the last event that shows in a page;
// last says that nothing comes after it.
func (a *artist) newest(seq int64, last bool) (*drawing, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.drawn != nil && (a.drawn.seq >= seq || !last && time.Now().Before(a.due())) {
		return a.drawn, nil
	}
	began, before := time.Now(), used()
	d, err := page.Draw(report.Page(a.folder, ""))
	if err != nil {
		return nil, err
	}
	main, err := compressed([]byte(d.Main))
	if err != nil {
		return nil, err
	}
	a.drawn = &drawing{Drawing: d, seq: seq, main: main}
	a.until.Lock()
	defer a.until.Unlock()
	a.next = time.Now().Add(max(a.between, drawShare*(used()-before)))
	a.last = time.Since(began)
	return a.drawn, nil
}

// due is when the next drawing may be made.
func (a *artist) due() time.Time {
	a.until.Lock()
	defer a.until.Unlock()
	return a.next
}

// took is how long the last drawing took.
func (a *artist) took() time.Duration {
	a.until.Lock()
	defer a.until.Unlock()
	return a.last
}

func compressed(text []byte) ([]byte, error) {
	var b bytes.Buffer
	w, err := gzip.NewWriterLevel(&b, gzip.BestSpeed)
	if err != nil {
		return nil, err
	}
	if _, err := w.Write(text); err != nil {
		return nil, err
	}
	err = w.Close()
	return b.Bytes(), err
}

// used is the processor time of this process so far.
func used() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
