package live

import (
	"context"
	"sync"
	"time"

	"servematrix/journal"
)

// watch follows the journal while pages are open.
type watch struct {
	folder journal.Folder
	pace   pace

	mu       sync.Mutex
	pages    int
	leaving  *time.Timer        // runs when the last page is gone
	stop     context.CancelFunc // of the following that goes on; nil: none does
	stopped  chan struct{}      // closed when it has ended
	finished chan struct{}      // closed when the run is over, whatever the journal says
	ended    bool               // so is the server
	standing standing
	changed  chan struct{} // closed with the next change of standing
}

// standing is where the run stands.
type standing struct {
	settled bool  // everything that is there was read
	seq     int64 // of the last event that shows in a page
	news    news
	over    string // why the run is not going on, "" while it is: ended, halted, gone
}

// join says that somebody looks, until leave is called.
func (w *watch) join() (leave func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.pages++
	if w.leaving != nil {
		w.leaving.Stop()
		w.leaving = nil
	}
	if w.stop == nil {
		w.begin()
	}
	return sync.OnceFunc(func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		if w.pages--; w.pages == 0 {
			w.leaving = time.AfterFunc(w.pace.linger, w.leave)
		}
	})
}

// leave ends the following when nobody looks any more.
func (w *watch) leave() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.pages == 0 {
		w.halt()
	}
}

// end ends it for good.
func (w *watch) end() {
	w.mu.Lock()
	w.ended = true
	w.halt()
	stopped := w.stopped
	w.mu.Unlock()
	if stopped != nil {
		<-stopped
	}
}

// finish says, once, that nothing follows what the journal holds now: who follows it reads on at once.
func (w *watch) finish() { close(w.finished) }

func (w *watch) halt() {
	if w.leaving != nil {
		w.leaving.Stop()
		w.leaving = nil
	}
	if w.stop != nil {
		w.stop()
		w.stop = nil
	}
	w.standing.settled = false
}

// begin follows the journal anew. It is called with mu held.
func (w *watch) begin() {
	if w.ended {
		return
	}
	ctx, stop := context.WithCancel(context.Background())
	stopped, before := make(chan struct{}), w.stopped
	w.stop, w.stopped = stop, stopped
	go func() {
		defer close(stopped)
		if before != nil {
			<-before
		}
		f := folding{done: map[unit]bool{}}
		rests := w.rests() // asked before what it left is read: nothing comes behind that
		err := w.folder.Follow(ctx, func(e journal.Event) bool {
			f.take(e)
			return true
		}, func() bool {
			s := f.standing()
			if s.over == "" && rests {
				s.over = gone
			}
			if !w.publish(ctx, s) || !w.breathe(ctx, rests) {
				return false
			}
			rests = w.rests()
			return true
		})
		if err != nil { // the page says what is wrong with the folder
			w.publish(ctx, standing{over: gone})
		}
	}()
}

// rests tells whether nobody works on the run.
func (w *watch) rests() bool {
	select {
	case <-w.finished:
		return true
	default:
		return !w.folder.Live()
	}
}

// publish tells everybody where the run stands; false: nobody wants to know.
func (w *watch) publish(ctx context.Context, s standing) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if ctx.Err() != nil {
		return false
	}
	s.settled = true
	if s != w.standing {
		w.standing = s
		close(w.changed)
		w.changed = make(chan struct{})
	}
	return true
}

// breathe gives what comes next a moment to gather. The end of the run cuts it short.
func (w *watch) breathe(ctx context.Context, rests bool) bool {
	finished := w.finished
	if rests {
		finished = nil
	}
	select {
	case <-ctx.Done():
		return false
	case <-finished:
	case <-time.After(w.pace.breath):
	}
	return true
}

// look gives where the run stands, and a channel that is closed when that changes.
func (w *watch) look() (standing, <-chan struct{}) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.standing, w.changed
}

// settled waits until everything that is there was read.
func (w *watch) settled(ctx context.Context) (standing, bool) {
	for {
		known, changed := w.look()
		if known.settled {
			return known, true
		}
		select {
		case <-ctx.Done():
			return known, false
		case <-changed:
		}
	}
}
