package report

import (
	"errors"
	"fmt"
	"io/fs"
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

	telemetry fs.FileInfo // of what was kept beside the client that it starts, where the report draws that; nil: nothing
}

// ahead gives the events of the run folder, prepared. A damaged line is given as the error that it is; who goes on
// gets what stands behind it.
func (t *tally) ahead(prepare func(journal.Event) happening) iter.Seq2[happening, error] {
	return func(yield func(happening, error) bool) {
		give := func(h happening, err error) error {
			if !yield(h, err) {
				return errStopped
			}
			return nil
		}
		_, err := journal.Ahead(t.folder, prepare, func(h happening) error { return give(h, nil) }, func(d *journal.DamageError) error { return give(happening{}, d) })
		if err != nil && !errors.Is(err, errStopped) {
			yield(happening{}, err)
		}
	}
}

var (
	errStopped = errors.New("nobody wants more")
	errUnfit   = errors.New("the journal does not fit this version of servematrix")
)

// prepare reads what belongs to an event. It is called for several at a time. What is rare is left
// to whom it concerns.
func (t *tally) prepare(e journal.Event) happening {
	switch {
	case e.Type == journal.SampleEnded || e.Type == journal.CellSkipped:
		h := t.finished(e)
		if t.outputs && e.Type == journal.SampleEnded && h.err == nil {
			h.printed = t.print(e)
		}
		return h
	case t.outputs:
		return shown(e)
	case e.Type == journal.LaunchStarted:
		h := happening{Event: e}
		read[launched](&h)
		return h
	}
	return happening{Event: e}
}

// finished reads the sample that an event finishes.
func (t *tally) finished(e journal.Event) happening {
	h := happening{Event: e}
	switch e.Type {
	case journal.SampleEnded:
		d := read[journal.Ended](&h)
		if h.err == nil {
			h.sample = t.ended(e, d)
		}
	case journal.CellSkipped:
		d := read[journal.Skip](&h)
		if h.err == nil {
			h.sample = t.skipped(e, d)
		}
	}
	return h
}

// shown reads of the life of servers and clients what the text report shows.
func shown(e journal.Event) happening {
	h := happening{Event: e}
	switch e.Type {
	case journal.LaunchStarted:
		read[launched](&h)
	case journal.LaunchReady:
		read[journal.Ready](&h)
	case journal.SampleStarted:
		read[clientStart](&h)
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
		h.err = fmt.Errorf("%w: %w", errUnfit, err)
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
