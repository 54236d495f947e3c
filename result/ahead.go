package result

import (
	"bytes"
	"errors"
	"io"
	"runtime"
	"sync"
)

// A file of JSON lines is read on several processors: stretches of it that begin and end with a
// line are read beside one another, and their results handed over in their order. A stretch whose
// lines are no whole values, and all behind it, is read again from its beginning by one scanner,
// which knows how to go on behind damage.
const (
	stretchSize = 64 << 10
	mostAhead   = 8 // stretches that are read at a time
)

// stretch is a part of a file, and what lies before it.
type stretch struct {
	text        []byte
	base, lines int64

	read  chan struct{} // closed when it is
	found []*Measurement
	whole int // objects in it
	err   error
}

// eachResultAhead is eachResult for what can be read twice; else it is the same.
func eachResultAhead(r io.Reader, each func(*Measurement) error) error {
	file, ok := r.(io.ReadSeeker)
	if !ok {
		return eachResult(r, each)
	}
	return readAhead(file, stretchSize, each)
}

func readAhead(file io.ReadSeeker, size int, each func(*Measurement) error) error {
	cutter := stretchCutter{file: file, size: size}
	var under []*stretch
	defer func() {
		for _, s := range under {
			<-s.read
		}
	}()
	var texts sync.Pool // what scanners have read, for the next
	whole := 0
	for {
		for len(under) < min(runtime.GOMAXPROCS(0)+1, mostAhead) {
			s := cutter.next()
			if s == nil {
				break
			}
			under = append(under, s)
			go s.results(&texts)
		}
		if len(under) == 0 {
			break
		}
		s := under[0]
		<-s.read
		if s.err != nil {
			return readOn(file, s.base, s.lines, whole, each)
		}
		under, whole = under[1:], whole+s.whole
		cutter.spare = append(cutter.spare, s.text[:0])
		for _, m := range s.found {
			if err := each(m); err != nil {
				return err
			}
		}
	}
	if errors.Is(cutter.err, io.EOF) {
		return nil
	}
	return readOn(file, cutter.base, cutter.lines, whole, each)
}

// readOn reads what lies behind a place, one value after the other.
func readOn(file io.ReadSeeker, base, lines int64, whole int, each func(*Measurement) error) error {
	if _, err := file.Seek(base, io.SeekStart); err != nil {
		return err
	}
	s := newScanner(file)
	s.base, s.lines, s.passedBy = base, lines, whole
	return s.results(each)
}

func (p *stretch) results(texts *sync.Pool) {
	defer close(p.read)
	known, _ := texts.Get().(*knownTexts)
	if known == nil {
		known = &knownTexts{}
	}
	s := &scanner{buf: p.text, end: len(p.text), base: p.base, lines: p.lines, err: io.EOF, known: known, restart: -1}
	p.err = s.results(func(m *Measurement) error {
		p.found = append(p.found, m)
		return nil
	})
	p.whole = s.passedBy
	texts.Put(known)
}

// stretchCutter cuts a file into stretches.
type stretchCutter struct {
	file        io.Reader
	size        int
	base, lines int64    // of what was not handed out yet
	rest        []byte   // what was read of it
	spare       [][]byte // of stretches that were read; no result points into them
	err         error    // of the file, or errNoLine
}

var errNoLine = errors.New("a line is longer than a stretch")

// next gives the next stretch; nil where the file ends, cannot be read, or has a line that is longer.
func (c *stretchCutter) next() *stretch {
	if c.err != nil && len(c.rest) == 0 {
		return nil
	}
	if c.err != nil && !errors.Is(c.err, io.EOF) {
		return nil
	}
	var buf []byte
	if last := len(c.spare) - 1; last >= 0 {
		buf, c.spare = c.spare[last][:c.size], c.spare[:last]
	} else {
		buf = make([]byte, c.size)
	}
	n := copy(buf, c.rest)
	for n < len(buf) && c.err == nil {
		var more int
		more, c.err = c.file.Read(buf[n:])
		n += more
	}
	buf = buf[:n]
	end := n
	switch {
	case c.err == nil:
		end = bytes.LastIndex(buf, []byte("\n{")) + 1
		if end == 0 {
			c.err = errNoLine
			return nil
		}
	case !errors.Is(c.err, io.EOF):
		return nil
	}
	s := &stretch{text: buf[:end], base: c.base, lines: c.lines, read: make(chan struct{})}
	c.rest = buf[end:]
	c.base += int64(end)
	c.lines += int64(bytes.Count(s.text, []byte{'\n'}))
	return s
}
