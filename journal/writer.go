package journal

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
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
	err     error // the first failure; later appends report it again
}

// reader hands events to one subscriber without ever holding up the writer.
type reader struct {
	mu     sync.Mutex
	more   *sync.Cond
	queue  []Event
	closed bool
	done   chan struct{}
}

// Append opens the journal for a new session. The line that a crash tore is cut
// off; past holds what the journal says already.
func (f Folder) Append() (w *Writer, past []Event, err error) {
	past, whole, err := f.replay()
	if err != nil {
		return nil, nil, err
	}
	file, err := os.OpenFile(f.Path(EventsFile), os.O_WRONLY|os.O_APPEND, fileMode)
	if err != nil {
		return nil, nil, fmt.Errorf("open the journal: %w", err)
	}
	if err := file.Truncate(whole); err != nil {
		file.Close()
		return nil, nil, fmt.Errorf("mend the journal: %w", err)
	}
	w = &Writer{file: file, began: time.Now(), session: 1, dirty: make(chan struct{}, 1), closing: make(chan struct{})}
	if n := len(past); n > 0 {
		w.seq, w.session = past[n-1].Seq, past[n-1].Session+1
	}
	w.synced.Add(1)
	go w.syncBeside()
	return w, past, nil
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
	if w.err != nil {
		return e, w.err
	}
	now := time.Now()
	e.Seq, e.Session, e.Time, e.Mono = w.seq+1, w.session, now.UTC().Round(0), now.Sub(w.began).Seconds()
	text, err := line(e)
	if err != nil {
		return e, fmt.Errorf("event %s: %w", e.Type, err)
	}
	if _, err := w.file.Write(text); err != nil {
		w.err = fmt.Errorf("append to the journal: %w", err)
		return e, w.err
	}
	w.seq++
	for _, r := range w.readers {
		r.put(e)
	}
	if durable {
		if err := w.file.Sync(); err != nil {
			w.err = fmt.Errorf("sync the journal: %w", err)
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

// Close waits for the subscribers, syncs and closes.
func (w *Writer) Close() error {
	w.mu.Lock()
	readers := w.readers
	w.readers = nil
	w.mu.Unlock()
	for _, r := range readers {
		r.close()
	}
	close(w.closing)
	close(w.dirty)
	w.synced.Wait()
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

// Replay reads all events of a run folder. A torn last line, the mark of a
// crash, is passed over; damage anywhere else is an error.
func (f Folder) Replay() ([]Event, error) {
	events, _, err := f.replay()
	return events, err
}

// replay also tells how many bytes of the file are whole lines.
func (f Folder) replay() (events []Event, whole int64, err error) {
	data, err := os.ReadFile(f.Path(EventsFile))
	if err != nil {
		return nil, 0, fmt.Errorf("read the journal: %w", err)
	}
	for n := 1; len(data) > 0; n++ {
		line, rest, complete := bytes.Cut(data, []byte{'\n'})
		if !complete {
			break
		}
		var e Event
		if err := json.Unmarshal(line, &e); err != nil {
			if len(bytes.TrimSpace(rest)) == 0 {
				break // torn, then padded by the file system
			}
			return nil, 0, fmt.Errorf("%s:%d: not an event: %w", f.Path(EventsFile), n, err)
		}
		events = append(events, e)
		whole += int64(len(line)) + 1
		data = rest
	}
	return events, whole, nil
}

// tail reads the whole lines that were added since offset.
func (f Folder) tail(offset int64) (events []Event, next int64, err error) {
	file, err := os.Open(f.Path(EventsFile))
	if err != nil {
		return nil, offset, err
	}
	defer file.Close()
	if _, err := file.Seek(offset, io.SeekStart); err != nil {
		return nil, offset, err
	}
	data, err := io.ReadAll(file)
	if err != nil {
		return nil, offset, err
	}
	for {
		line, rest, complete := bytes.Cut(data, []byte{'\n'})
		if !complete {
			return events, offset, nil
		}
		var e Event
		if err := json.Unmarshal(line, &e); err != nil {
			return events, offset, nil // being written
		}
		events = append(events, e)
		offset += int64(len(line)) + 1
		data = rest
	}
}
