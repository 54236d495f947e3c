package result

import (
	"bufio"
	"errors"
	"io"
	"strings"

	"servematrix/oneline"
)

// maxLine is how much of one line is kept, maxJSONLine of one that may be a client's JSON with its
// per-request arrays; the rest of a longer one is read over.
const (
	maxLine     = 1 << 20
	maxJSONLine = 64 << 20
)

// lineReader splits a stream at \n, \r\n and \r, because progress bars rewrite their line with
// \r alone. It holds one line at a time.
type lineReader struct {
	r       *bufio.Reader
	buf     []byte
	first   bool
	afterCR bool
	ends    int // \n so far
	no      int // of the line that next gave last, from 1, as an editor counts
}

func newLineReader(r io.Reader) *lineReader {
	return &lineReader{r: bufio.NewReaderSize(r, 64<<10), first: true}
}

// next gives the next line without its end, control sequences removed. ended is false for a
// last line that nothing ended: it may be cut off. io.EOF comes after the last line.
func (l *lineReader) next() (line string, ended bool, err error) {
	l.buf, l.no = l.buf[:0], l.ends+1
	seen := false
	for {
		c, err := l.r.ReadByte()
		if err != nil {
			if errors.Is(err, io.EOF) && seen {
				return l.clean(), false, nil
			}
			return "", false, err
		}
		if c == '\n' {
			l.ends++
		}
		if l.afterCR {
			l.afterCR = false
			if c == '\n' {
				l.no = l.ends + 1
				continue // second half of \r\n
			}
		}
		if c == '\n' || c == '\r' {
			l.afterCR = c == '\r'
			return l.clean(), true, nil
		}
		seen = true
		if len(l.buf) < maxLine || l.buf[0] == '{' && len(l.buf) < maxJSONLine {
			l.buf = append(l.buf, c)
		}
	}
}

func (l *lineReader) clean() string {
	s := string(l.buf)
	if cap(l.buf) > maxLine {
		l.buf = nil
	}
	if l.first {
		l.first = false
		s = strings.TrimPrefix(s, "\ufeff")
	}
	return oneline.Bare(strings.ToValidUTF8(s, "\ufffd")) // what is kept of it has to fit into JSON
}
