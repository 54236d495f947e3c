package result

import (
	"bytes"
	"encoding/json"
	"strings"
)

// string reads a string. Of a very long one the beginning is kept.
func (s *scanner) string() (string, error) {
	if err := s.take('"'); err != nil {
		return "", err
	}
	return s.stringRest()
}

// stringRest reads a string behind its first quote.
func (s *scanner) stringRest() (string, error) {
	if text, ok := s.whole(); ok {
		return s.known.text(text), nil
	}
	s.text = append(s.text[:0], '"')
	escaped, err := s.rest(true)
	if err != nil {
		return "", err
	}
	if !escaped {
		return strings.ToValidUTF8(string(s.text[1:]), "\ufffd"), nil
	}
	var text string
	for cut := len(s.text); cut == len(s.text) || len(s.text) == maxKeep && cut > maxKeep-6; cut-- { // we may have cut an escape
		if json.Unmarshal(append(s.text[:cut:cut], '"'), &text) == nil {
			return text, nil
		}
	}
	return "", s.bad("an escape in a string that JSON does not have")
}

// whole gives the rest of a short string that the buffer holds whole and without escapes.
func (s *scanner) whole() ([]byte, bool) {
	for i, c := range s.buf[s.pos:min(s.end, s.pos+maxKnownLen)] {
		switch c {
		case '"':
			text := s.buf[s.pos : s.pos+i]
			s.pos += i + 1
			return text, true
		case '\\', '\n':
			return nil, false
		}
	}
	return nil, false
}

// rest reads on to the end of a string, and keeps it in text if asked to.
func (s *scanner) rest(keep bool) (escaped bool, err error) {
	for {
		if !s.fill() {
			return escaped, s.ended()
		}
		chunk := s.buf[s.pos:s.end]
		quote := bytes.IndexByte(chunk, '"')
		if quote >= 0 {
			chunk = chunk[:quote]
		}
		slash := bytes.IndexByte(chunk, '\\')
		if slash >= 0 {
			chunk = chunk[:slash]
		}
		if i := bytes.IndexByte(chunk, '\n'); i >= 0 {
			s.pos += i + 1
			err := s.bad("the line ends within a string")
			s.mark()
			return escaped, err
		}
		s.keep(keep, chunk)
		s.pos += len(chunk)
		switch {
		case slash >= 0:
			escaped = true
			for range 2 { // the backslash and what it escapes
				if !s.fill() {
					return escaped, s.ended()
				}
				s.keep(keep, s.buf[s.pos:s.pos+1])
				if s.pos++; s.buf[s.pos-1] == '\n' {
					err := s.bad("the line ends within a string")
					s.mark()
					return escaped, err
				}
			}
		case quote >= 0:
			s.pos++
			return escaped, nil
		}
	}
}

func (s *scanner) keep(keep bool, more []byte) {
	if keep && len(s.text) < maxKeep {
		s.text = append(s.text, more[:min(len(more), maxKeep-len(s.text))]...)
	}
}

// What a byte can be part of.
const (
	ofWord   = 1 << iota // a number or a bare word
	ofNumber             // a number
	ofWhole              // a whole number
)

var partOf = func() (set [256]byte) {
	for chars, parts := range map[string]byte{
		"+-0123456789": ofWord | ofNumber | ofWhole, ".eE": ofWord | ofNumber,
		"abcdfghijklmnopqrstuvwxyzABCDFGHIJKLMNOPQRSTUVWXYZ": ofWord,
	} {
		for _, c := range []byte(chars) {
			set[c] = parts
		}
	}
	return set
}()

// word reads a number or a bare word that begins with the next byte, and says what all of its bytes
// can be part of. They are there until more is read.
func (s *scanner) word() (word []byte, of byte, err error) {
	s.text = s.text[:0]
	of = ofWord | ofNumber | ofWhole
	for {
		buf, from, i := s.buf[:s.end], s.pos, s.pos
		for i < len(buf) && partOf[buf[i]] != 0 {
			of &= partOf[buf[i]]
			i++
		}
		s.pos = i
		more := buf[from:i]
		if s.pos < s.end && len(s.text) == 0 && len(more) > 0 && len(more) <= maxKeep {
			return more, of, nil
		}
		s.keep(true, more)
		if s.pos < s.end {
			break
		}
		if !s.fill() {
			break
		}
	}
	if len(s.text) == 0 {
		return nil, 0, s.bad("%s where a value has to stand", spelt(s.buf[s.pos]))
	}
	return s.text, of, nil
}
