package readiness

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

const (
	messageCap  = 500  // characters of a Failure's message and of a ready line
	tailLineCap = 1000 // characters of a line in a tail
)

// Clean gives a log line as patterns are tested against it: without terminal escape
// sequences, NUL and surrounding blanks. It works in place and returns a part of line.
func Clean(line []byte) []byte { return clean(line) }

// clean removes terminal escape sequences, NUL and surrounding blanks from a
// line. It works in place and returns a part of line.
func clean(line []byte) []byte {
	if bytes.IndexByte(line, 0x1b) >= 0 || bytes.IndexByte(line, 0) >= 0 {
		line = stripControls(line)
	}
	return bytes.TrimSpace(line)
}

// stripControls removes NUL and ECMA-48 sequences: CSI (ESC [ … final byte),
// strings (ESC ] P X ^ _ … closed by BEL or ESC \) and two-byte escapes.
func stripControls(line []byte) []byte {
	out := line[:0]
	for i := 0; i < len(line); i++ {
		switch c := line[i]; {
		case c == 0:
		case c != 0x1b:
			out = append(out, c)
		case i+1 == len(line):
		case line[i+1] == '[':
			for i += 2; i < len(line) && (line[i] < 0x40 || line[i] > 0x7e); i++ {
			}
		case strings.IndexByte("]PX^_", line[i+1]) >= 0:
			for i += 2; i < len(line) && line[i] != 0x07 && line[i] != 0x1b; i++ {
			}
			if i+1 < len(line) && line[i] == 0x1b {
				i++ // the backslash of ESC \
			}
		default: // ESC, intermediate bytes, one final byte
			for i++; i < len(line) && line[i] >= 0x20 && line[i] <= 0x2f; i++ {
			}
		}
	}
	return out
}

// text makes a cleaned line fit for people and JSON: valid UTF-8, at most limit
// characters, the middle left out where it is longer.
func text(line []byte, limit int) string {
	s := strings.ToValidUTF8(string(line), "\uFFFD")
	if len(s) <= limit || utf8.RuneCountInString(s) <= limit {
		return s
	}
	r := []rune(s)
	keep := limit - len([]rune(gap))
	first := keep * 2 / 3
	return string(r[:first]) + gap + string(r[len(r)-(keep-first):])
}
