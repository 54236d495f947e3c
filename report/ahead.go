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

// stretch is how many events are handed on at once.
const stretch = 512

// coming is an event with the sample that it finished, as soon as that is read.
type coming struct {
	event  journal.Event
	err    error
	sample <-chan reading // nil: the event finishes none
}

// reading is what readSample gave.
type reading struct {
	sample *result.Sample
	err    error
}

// ahead gives the events of the run folder and lets the tally have their samples, which are read
// meanwhile.
func (t *tally) ahead() iter.Seq2[journal.Event, error] {
	return func(yield func(journal.Event, error) bool) {
		stop := make(chan struct{})
		stretches := make(chan []coming, runtime.GOMAXPROCS(0))
		go readAhead(t.folder, stretches, stop)
		defer func() {
			close(stop)
			t.sample = nil
			for range stretches { // the files are let go of after this
			}
		}()
		for events := range stretches {
			for _, c := range events {
				t.sample = c.sample
				if !yield(c.event, c.err) {
					return
				}
			}
		}
	}
}

func readAhead(folder journal.Folder, to chan<- []coming, stop <-chan struct{}) {
	defer close(to)
	free := make(chan struct{}, 2*runtime.GOMAXPROCS(0)) // samples being read
	var now []coming
	send := func() bool {
		select {
		case to <- now:
			now = make([]coming, 0, stretch)
			return true
		case <-stop:
			return false
		}
	}
	_, err := folder.Read(func(e journal.Event) error {
		c := coming{event: e.Clone()}
		if e.Type == journal.SampleEnded {
			done := make(chan reading, 1)
			c.sample = done
			free <- struct{}{}
			go func() {
				defer func() { <-free }()
				done <- readEnded(folder, c.event)
			}()
		}
		if now = append(now, c); len(now) == stretch && !send() {
			return errStopped
		}
		return nil
	})
	if err != nil {
		now = append(now, coming{err: err})
	}
	send()
}

var errStopped = errors.New("nobody wants more")

// readEnded reads the sample that an event finished.
func readEnded(folder journal.Folder, e journal.Event) reading {
	d, err := journal.Decode[journal.Ended](e)
	if err != nil {
		return reading{nil, err} // the tally decodes it too, and says so
	}
	s, err := readSample(folder.Path(samplePath(e)), d.SHA256)
	return reading{s, err}
}
