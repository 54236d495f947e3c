package readiness

import "bytes"

// lineCap is the longest line that is kept whole. Of a longer one the first
// and the last half of lineCap stay; what is between is read and dropped.
const lineCap = 1 << 20

// gap stands where the middle of a too long line was.
const gap = " … "

// A splitter cuts a byte stream into lines at \n and at \r, because progress
// bars end their states with \r and a line printed after one would otherwise
// be seen late. Line numbers count \n only, so that an editor agrees with them.
// Its memory is bounded by the cap whatever comes in.
type splitter struct {
	limit int                       // longest line kept whole, in bytes; at least 2
	emit  func(line []byte, no int) // takes each line that is not empty; it must not keep the slice

	done int    // \n seen so far
	head []byte // the first limit/2 bytes of the unfinished line
	tail []byte // a ring with the last limit/2 bytes after head
	at   int    // where the ring is written next
	over int64  // bytes that went to the ring
}

// write takes the next part of the stream.
func (s *splitter) write(p []byte) {
	for len(p) > 0 {
		part, nl := p, bytes.IndexByte(p, '\n')
		if nl >= 0 {
			part = p[:nl]
		}
		for {
			cr := bytes.IndexByte(part, '\r')
			if cr < 0 {
				break
			}
			s.end(part[:cr])
			part = part[cr+1:]
		}
		if nl < 0 {
			s.add(part)
			return
		}
		s.end(part)
		s.done++
		p = p[nl+1:]
	}
}

// end finishes the line with its last part and emits it unless it is empty.
func (s *splitter) end(last []byte) {
	line := last
	if len(s.head) > 0 || len(last) > s.limit {
		s.add(last)
		line = s.pending()
	}
	if len(line) > 0 {
		s.emit(line, s.done+1)
	}
	s.head, s.at, s.over = s.head[:0], 0, 0
}

// add appends to the unfinished line.
func (s *splitter) add(b []byte) {
	half := s.limit / 2
	if room := half - len(s.head); room > 0 {
		n := min(room, len(b))
		s.head, b = append(s.head, b[:n]...), b[n:]
	}
	if len(b) == 0 {
		return
	}
	if s.tail == nil {
		s.tail = make([]byte, half)
	}
	s.over += int64(len(b))
	if len(b) > half {
		b = b[len(b)-half:]
	}
	n := copy(s.tail[s.at:], b)
	copy(s.tail, b[n:])
	s.at = (s.at + len(b)) % half
}

// pending gives the unfinished line. The slice is valid until the next call.
func (s *splitter) pending() []byte {
	half := int64(s.limit / 2)
	switch {
	case s.over == 0:
		return s.head
	case s.over <= half:
		return append(s.head[:len(s.head):len(s.head)], s.tail[:s.over]...)
	}
	line := append(s.head[:len(s.head):len(s.head)], gap...)
	line = append(line, s.tail[s.at:]...)
	return append(line, s.tail[:s.at]...)
}

// length is how many bytes the unfinished line has, those dropped included.
func (s *splitter) length() int64 { return int64(len(s.head)) + s.over }

// restart forgets position and unfinished line, for a file that begins anew.
func (s *splitter) restart() {
	s.done, s.head, s.at, s.over = 0, s.head[:0], 0, 0
}
