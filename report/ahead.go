package report

import (
	"errors"
	"iter"
	"runtime"

	"servematrix/journal"
	"servematrix/result"
)

// Drawing a large run is mostly reading: a sample.json for each sample. So the journal and the
// samples are read ahead of the drawing, on all processors; only who draws beside a run (Live)
// reads one after the other.

// stretch is some events in a row, read together: one goroutine, one memory for their data.
type stretch struct {
	events []coming
	data   []byte
	read   chan struct{} // closed when the samples are there
}

const (
	stretchEvents = 512
	stretchData   = 200 << 10 // bytes that so many events mostly have
)

// coming is an event, and what it finishes.
type coming struct {
	event  journal.Event
	err    error    // why there is no event
	sample *reading // nil: it finishes none
}

// reading is what an event says of its sample, and what readSample gave.
type reading struct {
	ended  journal.Ended
	sample *result.Sample
	err    error
}

// ahead gives the events of the run folder and lets the tally have their samples, which are read
// meanwhile.
func (t *tally) ahead() iter.Seq2[journal.Event, error] {
	return func(yield func(journal.Event, error) bool) {
		stop := make(chan struct{})
		stretches := make(chan *stretch, 2*runtime.GOMAXPROCS(0))
		go readAhead(t.folder, t.parser(), stretches, stop)
		defer func() {
			close(stop)
			t.sample = nil
			for s := range stretches { // the files are let go of after this
				<-s.read
			}
		}()
		for s := range stretches {
			<-s.read
			for _, c := range s.events {
				t.sample = c.sample
				if !yield(c.event, c.err) {
					return
				}
			}
		}
	}
}

func readAhead(folder journal.Folder, parse parseFunc, to chan<- *stretch, stop <-chan struct{}) {
	defer close(to)
	now := newStretch()
	send := func() bool {
		select {
		case to <- now:
		case <-stop:
			return false
		}
		go now.readSamples(folder, parse)
		now = newStretch()
		return true
	}
	_, err := folder.Read(func(e journal.Event) error {
		now.add(e)
		if len(now.events) == stretchEvents && !send() {
			return errStopped
		}
		return nil
	})
	if err != nil {
		now.events = append(now.events, coming{err: err})
	}
	send()
}

var errStopped = errors.New("nobody wants more")

func newStretch() *stretch {
	return &stretch{events: make([]coming, 0, stretchEvents), data: make([]byte, 0, stretchData), read: make(chan struct{})}
}

// add takes an event in whose data is its own for the moment only.
func (s *stretch) add(e journal.Event) {
	from := len(s.data)
	s.data = append(s.data, e.Data...)
	e.Data = s.data[from:len(s.data):len(s.data)]
	s.events = append(s.events, coming{event: e})
}

// readSamples reads the samples that the events finish.
func (s *stretch) readSamples(folder journal.Folder, parse parseFunc) {
	defer close(s.read)
	for i := range s.events {
		c := &s.events[i]
		if c.event.Type != journal.SampleEnded {
			continue
		}
		ended, err := journal.Decode[journal.Ended](c.event)
		if err != nil {
			continue // the tally decodes it too, and says so
		}
		c.sample = &reading{ended: ended}
		c.sample.sample, c.sample.err = readSample(folder.Path(samplePath(c.event)), ended.SHA256, parse)
	}
}
