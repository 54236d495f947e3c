package journal

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"
)

// Writer appends to events.jsonl. It is the only one for its run folder: its
// maker holds the run lock. Safe for concurrent use.
type Writer struct {
	mu      sync.Mutex
	file    *os.File
	began   time.Time // of this session; its monotonic reading feeds Event.Mono
	session int
	seq     int64
	readers []*reader
	dirty   chan struct{} // something was appended that is not synced yet
	closing chan struct{}
	synced  sync.WaitGroup
	size    int64 // whole lines, in bytes
	err     error // the first failure; later appends report it again
	told    bool  // somebody was given err
	closed  bool
}

// reader hands events to one subscriber without ever holding up the writer.
type reader struct {
	mu     sync.Mutex
	more   *sync.Cond
	queue  []Event
	closed bool
	done   chan struct{}
}

// Append opens the journal for a new session behind what is there up to end, as
// Read gave it since the run lock was taken. The line that a crash tore is cut off.
func (f Folder) Append(end End) (*Writer, error) {
	file, err := os.OpenFile(f.Path(EventsFile), os.O_WRONLY|os.O_APPEND, fileMode)
	if err != nil {
		return nil, fmt.Errorf("open the journal: %w", err)
	}
	if err := file.Truncate(end.Offset); err != nil {
		file.Close()
		return nil, fmt.Errorf("mend the journal: %w", err)
	}
	w := &Writer{file: file, size: end.Offset, began: time.Now(), session: end.Session + 1, seq: end.Seq, dirty: make(chan struct{}, 1), closing: make(chan struct{})}
	w.synced.Add(1)
	go w.syncBeside()
	return w, nil
}

// First is the first line of a journal, as event and as text: a run folder is
// born with it, so that it tells from the moment it can be seen what was asked for.
func First(s Session) (e Event, text []byte, err error) {
	e = Event{Seq: 1, Time: time.Now().UTC().Round(0), Session: 1, Type: RunStarted}
	if e.Data, err = line(s); err == nil {
		text, err = line(e)
	}
	return e, text, err
}

// Begin writes the session's first event, run.started or run.resumed. It is on
// disk when Begin returns: from then on the session is what the journal says.
func (w *Writer) Begin(s Session) (Event, error) {
	begin := RunStarted
	if w.session > 1 {
		begin = RunResumed
	}
	return w.Write(Event{Type: begin}, s, true)
}

// Write appends an event with its data and gives it back as it was written. A
// durable event is on disk when Write returns; any other gets there beside the run, soon.
func (w *Writer) Write(e Event, data any, durable bool) (Event, error) {
	if data != nil {
		raw, err := line(data)
		if err != nil {
			return e, fmt.Errorf("event %s: %w", e.Type, err)
		}
		e.Data = raw
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed { // a signal can come at the very end of a run
		return e, fmt.Errorf("event %s: the journal is closed", e.Type)
	}
	if w.err != nil {
		w.told = true
		return e, w.err
	}
	now := time.Now()
	e.Seq, e.Session, e.Time, e.Mono = w.seq+1, w.session, now.UTC().Round(0), now.Sub(w.began).Seconds()
	text, err := line(e)
	if err != nil {
		return e, fmt.Errorf("event %s: %w", e.Type, err)
	}
	if _, err := w.file.Write(text); err != nil {
		w.err, w.told = fmt.Errorf("append to the journal: %w", err), true
		_ = w.file.Truncate(w.size) // half a line; where it stays the next session cuts it off
		return e, w.err
	}
	w.seq++
	w.size += int64(len(text))
	for _, r := range w.readers {
		r.put(e)
	}
	if durable {
		if err := w.file.Sync(); err != nil {
			w.err, w.told = fmt.Errorf("sync the journal: %w", err), true
		}
		return e, w.err
	}
	select {
	case w.dirty <- struct{}{}:
	default:
	}
	return e, nil
}

// line is v as one line of JSON in which "<redacted>" stays readable.
func line(v any) ([]byte, error) {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return out.Bytes(), err
}

// syncDelay is how long an event that nobody waits for may stay unsynced: a disk
// that is busy with it would hold up the durable one that often follows.
const syncDelay = 100 * time.Millisecond

// syncBeside syncs what was appended without waiting. Only Close ends it.
func (w *Writer) syncBeside() {
	defer w.synced.Done()
	for range w.dirty {
		select {
		case <-time.After(syncDelay):
		case <-w.closing:
		}
		if err := w.file.Sync(); err != nil {
			w.mu.Lock()
			w.err = errors.Join(w.err, fmt.Errorf("sync the journal: %w", err))
			w.mu.Unlock()
		}
	}
}

// Subscribe calls f with every event from now on, in order, on a goroutine of
// its own. Close waits until f has seen them all.
func (w *Writer) Subscribe(f func(Event)) {
	r := &reader{done: make(chan struct{})}
	r.more = sync.NewCond(&r.mu)
	w.mu.Lock()
	w.readers = append(w.readers, r)
	w.mu.Unlock()
	go r.run(f)
}

// Close waits for the subscribers, syncs and closes. A failure that Write has
// given already is not given again.
func (w *Writer) Close() error {
	w.mu.Lock()
	readers := w.readers
	w.readers = nil
	w.closed = true
	close(w.dirty)
	w.mu.Unlock()
	for _, r := range readers {
		r.close()
	}
	close(w.closing)
	w.synced.Wait()
	if w.told {
		w.file.Close() // after a failed sync another one says nothing
		return nil
	}
	return errors.Join(w.err, w.file.Sync(), w.file.Close())
}

func (r *reader) put(e Event) {
	r.mu.Lock()
	r.queue = append(r.queue, e)
	r.mu.Unlock()
	r.more.Signal()
}

func (r *reader) run(f func(Event)) {
	defer close(r.done)
	for {
		r.mu.Lock()
		for len(r.queue) == 0 && !r.closed {
			r.more.Wait()
		}
		batch := r.queue
		r.queue = nil
		r.mu.Unlock()
		if len(batch) == 0 {
			return
		}
		for _, e := range batch {
			f(e)
		}
	}
}

func (r *reader) close() {
	r.mu.Lock()
	r.closed = true
	r.mu.Unlock()
	r.more.Signal()
	<-r.done
}
