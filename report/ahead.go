package report

import (
	"errors"
	"fmt"
	"iter"

	"servematrix/journal"
	"servematrix/result"
)

// happening is an event with all that is read for it. Drawing a large run is mostly reading and
// decoding, so that is done ahead of the drawing and on all processors; only who draws beside a
// run (Live) reads one after the other.
type happening struct {
	journal.Event
	says    any            // what its data says, where that was read ahead: a pointer to the struct of its type
	sample  *result.Sample // that it finishes
	printed printed        // by the sample's client, where the report shows that
	err     error          // why something of it could not be read
}

// ahead gives the events of the run folder.
func (t *tally) ahead() iter.Seq2[happening, error] {
	return func(yield func(happening, error) bool) {
		_, err := journal.Ahead(t.folder, t.prepare, func(h happening) error {
			if !yield(h, nil) {
				return errStopped
			}
			return nil
		})
		if err != nil && !errors.Is(err, errStopped) {
			yield(happening{}, err)
		}
	}
}

var errStopped = errors.New("nobody wants more")

// prepare reads what belongs to an event. It is called for several at a time. What is rare is left
// to whom it concerns.
func (t *tally) prepare(e journal.Event) happening {
	h := happening{Event: e}
	switch e.Type {
	case journal.SampleEnded:
		d := read[journal.Ended](&h)
		if h.err == nil {
			h.sample = t.ended(e, d)
			if t.outputs {
				h.printed = t.print(e)
			}
		}
	case journal.CellSkipped:
		d := read[journal.Skip](&h)
		if h.err == nil {
			h.sample = t.skipped(e, d)
		}
	}
	if !t.outputs {
		return h
	}
	switch e.Type {
	case journal.LaunchStarted:
		read[journal.Launch](&h)
	case journal.LaunchReady:
		read[journal.Ready](&h)
	case journal.SampleStarted:
		read[journal.Sample](&h)
	case journal.ClientExited:
		read[journal.Exited](&h)
	case journal.LaunchStopping:
		read[journal.Stopping](&h)
	case journal.LaunchEnded:
		read[stop](&h)
	}
	return h
}

// read decodes what an event says.
func read[T any](h *happening) T {
	d, err := journal.Decode[T](h.Event)
	if err != nil {
		h.err = fmt.Errorf("the journal does not fit this version of servematrix: %w", err)
	}
	h.says = &d
	return d
}

// with calls f with what an event says.
func with[T any](h happening, f func(T)) error {
	d, ok := h.says.(*T)
	if !ok {
		read[T](&h)
		d, _ = h.says.(*T)
	}
	if h.err == nil {
		f(*d)
	}
	return h.err
}
