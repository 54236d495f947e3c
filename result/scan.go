package result

import (
	"bytes"
	"errors"
	"fmt"
	"io"
)

// Bounds of one JSON value. Python's encoder stays below them; encoding/json has the same depth.
const (
	maxNesting = 10000
	maxKeep    = 64 << 10 // bytes of a string that are kept
	scanBuffer = 256 << 10
)

// scanner reads JSON as Python's json module writes it, bare NaN and Infinity included, from a
// stream of any length, holding one buffer of it. Values that nobody asks for are passed over at
// the speed of a loop over bytes: a result file is mostly arrays with a number a token.
// It is stricter than a skipper has to be: a value that was cut off shows at the next line.
type scanner struct {
	r        io.Reader
	buf      []byte
	pos, end int
	base     int64 // offset in the stream of buf[0]
	lines    int64 // line ends before buf[counted]
	counted  int
	err      error // of r; io.EOF at the end
	nesting  []byte
	text     []byte      // the scalar being read, where the buffer does not hold it whole
	known    *knownTexts // what was read before
	passedBy int         // whole objects so far

	// begin is where the value being read begins, restart the first "{" at the head of a line
	// after it: there another value begins if this one turns out to be damaged. -1: none.
	begin, restart int64
	restartLines   int64 // line ends before it
}

// syntaxError says where a JSON text is none.
type syntaxError struct {
	offset, line int64
	what         string
}

func (e *syntaxError) Error() string {
	return fmt.Sprintf("line %d, byte %d: %s", e.line, e.offset, e.what)
}

func newScanner(r io.Reader) *scanner {
	return &scanner{r: r, buf: make([]byte, scanBuffer), known: &knownTexts{}, restart: -1}
}

func (s *scanner) offset() int64 { return s.base + int64(s.pos) }

func (s *scanner) fill() bool {
	if s.pos < s.end {
		return true
	}
	if s.err != nil {
		return false
	}
	s.base += int64(s.end)
	s.lines += int64(bytes.Count(s.buf[s.counted:s.end], []byte{'\n'}))
	s.pos, s.end, s.counted = 0, 0, 0
	for s.end == 0 && s.err == nil {
		s.end, s.err = s.r.Read(s.buf)
	}
	return s.end > 0
}

// ended gives the error at the end of what can be read: io.ErrUnexpectedEOF in a value.
func (s *scanner) ended() error {
	if errors.Is(s.err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return s.err
}

func (s *scanner) bad(format string, args ...any) error {
	return &syntaxError{
		offset: s.offset(), line: s.passed() + 1,
		what: fmt.Sprintf(format, args...),
	}
}

// passed is the number of line ends so far.
func (s *scanner) passed() int64 {
	s.lines += int64(bytes.Count(s.buf[s.counted:s.pos], []byte{'\n'}))
	s.counted = s.pos
	return s.lines
}

// byteOrderMark passes over the one that may begin a stream.
func (s *scanner) byteOrderMark() {
	for _, c := range []byte("\ufeff") {
		if !s.fill() || s.buf[s.pos] != c {
			return
		}
		s.pos++
	}
}

// peek gives the next byte that is no white space, without taking it.
func (s *scanner) peek() (byte, error) {
	for {
		for s.pos < s.end {
			switch c := s.buf[s.pos]; c {
			case ' ', '\t', '\r':
				s.pos++
			case '\n':
				s.pos++
				s.mark()
			default:
				return c, nil
			}
		}
		if !s.fill() {
			return 0, s.ended()
		}
	}
}

// mark notes a "{" at the head of a line.
func (s *scanner) mark() {
	if s.restart < 0 && s.fill() && s.buf[s.pos] == '{' && s.offset() > s.begin {
		s.restart, s.restartLines = s.offset(), s.passed()
	}
}

// take takes the next byte, which has to be the one given.
func (s *scanner) take(want byte) error {
	c, err := s.peek()
	if err != nil {
		return err
	}
	if c != want {
		return s.bad("%s where %q has to stand", spelt(c), want)
	}
	s.pos++
	return nil
}

func spelt(c byte) string {
	if c < 0x20 || c >= 0x7f {
		return fmt.Sprintf("the byte 0x%02x", c)
	}
	return fmt.Sprintf("%q", c)
}

// object reads "{"key": value, …}"; each has to read the value.
func (s *scanner) object(each func(key string) error) error {
	return s.members(func() error {
		key, err := s.string()
		if err == nil {
			err = s.take(':')
		}
		if err != nil {
			return err
		}
		return each(key)
	})
}

// result is object for one that may be a client's result: each gets what the key means.
func (s *scanner) result(each func(key *keyMeaning) error) error {
	place := 0
	return s.members(func() error {
		key, err := s.key(place)
		if err != nil {
			return err
		}
		place++
		return each(key)
	})
}

func (s *scanner) members(each func() error) error {
	if err := s.take('{'); err != nil {
		return err
	}
	return s.list('}', each)
}

// array reads "[value, …]"; each has to read the value.
func (s *scanner) array(each func() error) error {
	if err := s.take('['); err != nil {
		return err
	}
	return s.list(']', each)
}

func (s *scanner) list(closing byte, each func() error) error {
	for first := true; ; first = false {
		c, err := s.peek()
		if err != nil {
			return err
		}
		switch {
		case c == closing:
			s.pos++
			return nil
		case first:
		case c != ',':
			return s.bad("%s where a comma or %q has to stand", spelt(c), closing)
		default:
			s.pos++
		}
		if err := each(); err != nil {
			return err
		}
	}
}

// recover goes on behind a damaged value: at the first line in it that begins an object, or at
// an object that stands where the damage was noticed, or at the next such line. It reports
// whether there is one.
func (s *scanner) recover() (bool, error) {
	if at := s.restart; at >= 0 {
		if at >= s.base {
			s.pos = int(at - s.base)
			s.counted, s.lines = s.pos, s.restartLines
			return true, nil
		}
		if seeker, ok := s.r.(io.Seeker); ok {
			if _, err := seeker.Seek(at-s.offset()-int64(s.end-s.pos), io.SeekCurrent); err == nil {
				s.base, s.pos, s.end, s.err = at, 0, 0, nil
				s.counted, s.lines = 0, s.restartLines
				return true, nil
			}
		}
	}
	if s.fill() && s.buf[s.pos] == '{' && s.offset() > s.begin {
		return true, nil
	}
	for s.fill() {
		i := bytes.IndexByte(s.buf[s.pos:s.end], '\n')
		if i < 0 {
			s.pos = s.end
			continue
		}
		s.pos += i + 1
		if s.fill() && s.buf[s.pos] == '{' {
			return true, nil
		}
	}
	if errors.Is(s.err, io.EOF) {
		return false, nil
	}
	return false, s.err
}
