package logfile

import (
	"bytes"
	"fmt"
	"io"
	"os"
)

// nothing is the longest run of NUL bytes that passes for something printed. A
// hole is at least so long, also after a copy that has filled it with NULs.
const nothing = 4096

// readSize is the buffer of one read.
const readSize = 64 << 10

// Break is a mark that ends the line before a hole and counts as no line.
func Break(int64) string { return "\r" }

// Words is a mark for people: a line that says how much is missing.
func Words(cut int64) string { return fmt.Sprintf("\n… %s were cut out here …\n", Size(cut)) }

// Reader reads a log from an offset to the end that it had when the Reader was
// made. A hole, and a run of NUL bytes as long as one, is passed over; the text
// of mark stands in its place.
type Reader struct {
	file    *os.File
	mark    func(cut int64) string
	offset  int64 // of the next read
	end     int64
	buf     []byte
	got     []byte // part of buf that was not handed over yet
	gap     int64  // NUL bytes and holes passed so far
	instead []byte // handed over before got: a mark, or few NUL bytes
}

// NewReader begins at offset.
func NewReader(f *os.File, offset int64, mark func(cut int64) string) (*Reader, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	r := &Reader{file: f, mark: mark, offset: offset, end: info.Size()}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is no regular file", f.Name())
	}
	r.buf = make([]byte, min(readSize, max(r.end-offset, 1)))
	return r, nil
}

// End is where the Reader stops: the file's size when it was made.
func (r *Reader) End() int64 { return r.end }

// Read implements io.Reader.
func (r *Reader) Read(p []byte) (int, error) {
	for {
		switch {
		case len(r.instead) > 0:
			n := copy(p, r.instead)
			r.instead = r.instead[n:]
			return n, nil
		case len(r.got) > 0 && r.got[0] == 0:
			rest := bytes.TrimLeft(r.got, "\x00")
			r.gap += int64(len(r.got) - len(rest))
			r.got = rest
		case len(r.got) > 0 && r.gap > 0:
			r.fill()
		case len(r.got) > 0:
			n := copy(p, r.got[:printed(r.got)])
			r.got = r.got[n:]
			return n, nil
		default:
			err := r.more()
			if err == io.EOF && r.gap > 0 {
				r.fill()
				continue
			}
			if err != nil {
				return 0, err
			}
		}
	}
}

// more reads on, past the hole if there is one.
func (r *Reader) more() error {
	if r.gap > 0 {
		data, _, err := Next(r.file, r.offset)
		if err != nil {
			return err
		}
		data = min(data, r.end)
		r.gap += max(data-r.offset, 0)
		r.offset = max(data, r.offset)
	}
	if r.offset >= r.end {
		return io.EOF
	}
	n, err := r.file.ReadAt(r.buf[:min(int64(len(r.buf)), r.end-r.offset)], r.offset)
	r.offset += int64(n)
	r.got = r.buf[:n]
	if n > 0 {
		return nil
	}
	return err // io.EOF: the file was cut off meanwhile
}

// fill puts something in the place of what was passed over.
func (r *Reader) fill() {
	if r.gap < nothing {
		r.instead = make([]byte, r.gap)
	} else {
		r.instead = []byte(r.mark(r.gap))
	}
	r.gap = 0
}

var someNUL = make([]byte, 256)

// printed is the length of b up to where a long run of NUL bytes may begin.
func printed(b []byte) int {
	if i := bytes.Index(b, someNUL); i >= 0 {
		return i
	}
	return len(bytes.TrimRight(b, "\x00"))
}

// Past is a reader of the whole file, past its holes if it is a regular one.
func Past(f *os.File, mark func(cut int64) string) io.Reader {
	if r, err := NewReader(f, 0, mark); err == nil {
		return r
	}
	return f
}
