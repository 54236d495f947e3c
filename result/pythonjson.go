package result

import (
	"io"
	"strings"
)

// pythonJSON makes standard JSON of what Python's json module writes: outside of strings it
// puts the bare words NaN, Infinity and -Infinity into quotes, and it drops a byte order mark.
// It works on the stream as it passes and holds a few bytes.
type pythonJSON struct {
	r       io.Reader
	in      [32 << 10]byte
	out     []byte // made, not yet read
	word    []byte // letters seen so far that may become such a word
	began   bool
	quoted  bool // within a string
	escaped bool // after a backslash there
	err     error
}

func (p *pythonJSON) Read(b []byte) (int, error) {
	for len(p.out) == 0 && p.err == nil {
		n, err := p.r.Read(p.in[:])
		p.out = p.out[:0]
		for _, c := range p.in[:n] {
			p.byte(c)
		}
		if p.err = err; err != nil {
			p.last()
		}
	}
	n := copy(b, p.out)
	p.out = p.out[n:]
	if n > 0 {
		return n, nil
	}
	return 0, p.err
}

func (p *pythonJSON) byte(c byte) {
	switch {
	case !p.began && (c == 0xef || c == 0xbb || c == 0xbf):
		return
	case p.quoted:
		p.out = append(p.out, c)
		switch {
		case p.escaped:
			p.escaped = false
		case c == '\\':
			p.escaped = true
		case c == '"':
			p.quoted = false
		}
		return
	}
	p.began = true
	if c == '-' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') {
		p.word = append(p.word, c)
		if len(p.word) > len("-Infinity") {
			p.flush()
		}
		return
	}
	p.flush()
	p.out = append(p.out, c)
	p.quoted = c == '"'
}

// last passes on what is left at the end of the stream, unless it is the beginning of one of the
// words, cut off: then the reader behind is to see the end there and no misspelt value.
func (p *pythonJSON) last() {
	for _, whole := range []string{"NaN", "Infinity", "-Infinity"} {
		if len(p.word) < len(whole) && strings.HasPrefix(whole, string(p.word)) {
			p.word = p.word[:0]
			return
		}
	}
	p.flush()
}

// flush passes on the word gathered so far.
func (p *pythonJSON) flush() {
	switch string(p.word) {
	case "NaN", "Infinity", "-Infinity":
		p.out = append(p.out, '"')
		p.out = append(p.out, p.word...)
		p.out = append(p.out, '"')
	default:
		p.out = append(p.out, p.word...)
	}
	p.word = p.word[:0]
}
