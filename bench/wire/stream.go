package wire

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"
)

// Sizes of what is kept of an answer while it comes.
const (
	usual    = 1 << 10  // the connection has a buffer of its own
	roomy    = 64 << 10 // is kept for the next answer
	large    = 1 << 20  // a longer event is kept in parts of this size until its end has come
	maxEvent = 16 << 20
)

var (
	errTooLong  = tooMuch(fmt.Sprintf("an event is longer than %d MiB", maxEvent>>20))
	errTooWide  = tooMuch(fmt.Sprintf("an event of several lines is longer than %d KiB", roomy>>10))
	errNoEvents = errors.New("this is no server-sent event")
	errNoJSON   = errors.New("an event is no JSON object")
)

// tooMuch says that of an answer more would have to be kept than can be.
type tooMuch string

func (e tooMuch) Error() string { return string(e) }

// stream reads the server-sent events of one answer, straight from its body and without garbage.
// Fields other than data and event, and comments (pings of a server that keeps a connection
// alive), are passed over, wherever the network cuts the lines.
//
// An event ends with a blank line; one whose data are a whole JSON object on one line, as all
// engines write them, counts as come with that line, as in the Python clients.
type stream struct {
	body    io.Reader
	err     error     // of the body's last read
	arrived time.Time // when the newest bytes came
	clock   timed     // nil for one's own
	hoard   *hoard

	buf         []byte
	given, full int      // buf[given:full] is read and not given yet
	scanned     int      // no line ends before it
	parts       [][]byte // of the line that buf goes on with

	several []byte // the data lines of an event that has more than one
	open    bool   // several holds the beginning of an event
	fails   bool   // the event is called "error"
	data    []byte // of the event that next gave, for messages
}

// timed is a body that was read before it is asked, and knows when its newest bytes came.
type timed interface{ arrived() time.Time }

// reset makes the stream ready for another body.
func (s *stream) reset(body io.Reader) {
	clock, _ := body.(timed)
	*s = stream{body: body, clock: clock, hoard: s.hoard, buf: s.buf, several: s.several[:0]}
	if s.buf == nil {
		s.buf = make([]byte, usual)
	}
}

// release forgets the body, and room that only few answers need.
func (s *stream) release() {
	s.giveParts()
	if extra := len(s.buf) - roomy; extra > 0 {
		s.hoard.long.give(extra)
		s.buf = nil
	}
	if cap(s.several) > usual {
		s.several = nil
	}
	s.body, s.clock, s.data = nil, nil, nil
}

// next gives the next event; done is the [DONE] that ends the OpenAI endpoints' streams. At the end
// of the body it gives io.EOF.
func (s *stream) next() (e event, done bool, err error) {
	for {
		line, err := s.line()
		if err != nil {
			return event{}, false, err
		}
		field, value := parted(line)
		switch string(field) {
		case "":
			if len(line) > 0 {
				continue // a comment
			}
			if s.open {
				return s.joined()
			}
			s.fails = false
		case "data":
			if len(value) == 0 {
				continue
			}
			if e, done, ok := s.whole(value); ok {
				return e, done, nil
			}
			if len(s.several)+len(value) > roomy {
				return event{}, false, errTooWide
			}
			if s.open {
				s.several = append(s.several, '\n')
			}
			s.several, s.open = append(s.several, value...), true
		case "event":
			s.fails = string(value) == "error"
		default:
			if !isField(field, line) {
				s.data = line
				return event{}, false, errNoEvents
			}
		}
	}
}

// whole reads the data of an event that is one line.
func (s *stream) whole(value []byte) (e event, done, ok bool) {
	if s.open {
		return event{}, false, false
	}
	s.data = value
	if string(bytes.TrimSpace(value)) == "[DONE]" {
		return event{}, true, true
	}
	e, ok = parseEvent(value)
	e.failed = e.failed || s.fails
	return e, false, ok
}

// joined reads the data of an event that is several lines.
func (s *stream) joined() (event, bool, error) {
	s.open, s.data = false, s.several
	s.several = s.several[:0]
	e, ok := parseEvent(s.data)
	if !ok && !s.fails {
		return event{}, false, errNoJSON
	}
	e.failed = e.failed || s.fails
	s.fails = false
	return e, false, nil
}

// parted parts a line into its field and the value, from which one space is taken.
func parted(line []byte) (field, value []byte) {
	i := bytes.IndexByte(line, ':')
	if i < 0 {
		return line, nil
	}
	value = line[i+1:]
	if len(value) > 0 && value[0] == ' ' {
		value = value[1:]
	}
	return line[:i], value
}

// isField tells a field that is none of ours from a line that belongs to no stream of events, such
// as the beginning of a page.
func isField(field, line []byte) bool {
	if len(field) == len(line) && string(field) != "id" && string(field) != "retry" {
		return false
	}
	for _, b := range field {
		if !(b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b == '-' || b == '_') {
			return false
		}
	}
	return true
}

// line gives the next line without its end; the last one of a body may have none. It is valid until
// the next call.
func (s *stream) line() ([]byte, error) {
	for {
		if n := bytes.IndexByte(s.buf[s.scanned:s.full], '\n'); n >= 0 {
			return bytes.TrimSuffix(s.pass(s.scanned+n, 1), []byte{'\r'}), nil
		}
		s.scanned = s.full
		if s.err != nil {
			if line := s.pass(s.full, 0); len(line) > 0 && errors.Is(s.err, io.EOF) {
				return line, nil
			}
			return nil, s.err
		}
		if err := s.fill(); err != nil {
			return nil, err
		}
	}
}

// fill reads once, into what room there is or can be made. The body's error is left to whoever has
// looked at what came with it.
func (s *stream) fill() error {
	if err := s.makeRoom(); err != nil {
		return err
	}
	n, err := s.body.Read(s.buf[s.full:])
	if s.clock != nil {
		s.arrived = s.clock.arrived()
	} else {
		s.arrived = time.Now()
	}
	s.full += n
	if errors.Is(err, errLater) {
		return err
	}
	s.err = err
	return nil
}

// pass gives what was read up to end, and passes over as many bytes behind it as delimit it.
func (s *stream) pass(end, delimiter int) []byte {
	piece := s.buf[s.given:end]
	s.given = end + delimiter
	s.scanned = s.given
	if len(s.parts) == 0 {
		return piece
	}
	defer s.giveParts()
	return slices.Concat(append(s.parts, piece)...)
}

// makeRoom finds room for what comes next.
func (s *stream) makeRoom() error {
	size := len(s.buf)
	switch {
	case s.given > 0:
		s.full = copy(s.buf, s.buf[s.given:s.full])
		s.scanned -= s.given
		s.given = 0
	case s.full < size:
	case size < large:
		if err := s.hoard.long.take(max(0, 2*size-max(size, roomy))); err != nil {
			return err
		}
		s.buf = append(make([]byte, 0, 2*size), s.buf...)[:2*size]
	case (len(s.parts)+1)*large == maxEvent:
		return errTooLong
	default:
		if err := s.hoard.parts.take(large); err != nil {
			return err
		}
		s.parts = append(s.parts, s.buf)
		s.buf = *s.hoard.free.Get().(*[]byte)
		s.full, s.scanned = 0, 0
	}
	return nil
}

func (s *stream) giveParts() {
	for _, part := range s.parts {
		s.hoard.free.Put(&part)
	}
	s.hoard.parts.give(len(s.parts) * large)
	s.parts = nil
}

// all reads the rest of the body, as one piece.
func (s *stream) all() ([]byte, error) {
	for s.err == nil {
		if err := s.fill(); err != nil {
			return nil, err
		}
	}
	if data := s.pass(s.full, 0); errors.Is(s.err, io.EOF) {
		return data, nil
	}
	return nil, s.err
}
