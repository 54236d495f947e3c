package dataset

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
)

// open opens a file to be read from its beginning: unpacked where it is gzip's, without a byte
// order mark. The error names the file.
func open(path string) (*opened, error) {
	switch info, err := os.Stat(path); {
	case err != nil:
		return nil, fmt.Errorf("--dataset-path: %w", err)
	case info.IsDir():
		return nil, fmt.Errorf("--dataset-path %s: is a folder, want a file", path)
	case !info.Mode().IsRegular(): // opening a pipe waits for its writer
		return nil, fmt.Errorf("--dataset-path %s: is no regular file, and it is read more than once: write it to one", path)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("--dataset-path: %w", err)
	}
	r := bufio.NewReaderSize(f, 1<<18)
	plain := true
	if magic, _ := r.Peek(2); bytes.Equal(magic, []byte{0x1f, 0x8b}) { // a short file is none of gzip's
		z, err := gzip.NewReader(r)
		if err != nil {
			f.Close()
			return nil, fmt.Errorf("%s: cannot unpack: %w", path, err)
		}
		r, plain = bufio.NewReaderSize(z, 1<<18), false
	}
	if mark, _ := r.Peek(3); bytes.Equal(mark, []byte("\xef\xbb\xbf")) {
		_, _ = r.Discard(3) // they are in the buffer
		plain = false
	}
	return &opened{r, f, plain}, nil
}

// opened is a file being read.
type opened struct {
	*bufio.Reader
	f     *os.File
	plain bool // what is read are the file's own bytes
}

func (o *opened) Close() error { return o.f.Close() }

// spool is path as a file in which one can jump: itself, or a copy that is unpacked and without a
// byte order mark, and that goes away when it is closed.
func spool(path string) (*os.File, error) {
	r, err := open(path)
	if err != nil {
		return nil, err
	}
	if r.plain {
		return r.f, nil
	}
	defer r.Close()
	f, err := os.CreateTemp("", "servematrix-dataset-")
	if err != nil {
		return nil, fmt.Errorf("cannot unpack %s: %w", path, err)
	}
	_ = os.Remove(f.Name()) // it lives as long as it is open; where that cannot be it stays in the system's folder for such
	if _, err := io.Copy(f, r); err != nil {
		f.Close()
		return nil, fmt.Errorf("cannot unpack %s: %w", path, err)
	}
	return f, nil
}

// atLine is a mistake in a line of a file.
type atLine struct {
	line int
	err  error
}

func (e atLine) Error() string { return fmt.Sprintf("line %d: %v", e.line, e.err) }
func (e atLine) Unwrap() error { return e.err }

// inFile names the file and, where it is known, the line.
func inFile(path string, err error) error {
	var at atLine
	var parse *csv.ParseError
	switch {
	case errors.As(err, &at):
		return fmt.Errorf("%s:%d: %w", path, at.line, at.err)
	case errors.As(err, &parse):
		return fmt.Errorf("%s:%d: %w", path, parse.Line, parse.Err)
	}
	return fmt.Errorf("%s: %w", path, err)
}

// maxRecord bounds one line or one element of a file.
const maxRecord = 64 << 20

// record is one value of a file.
type record struct {
	raw  []byte // valid until the next record
	at   int64  // its first byte's offset in the unpacked file
	line int
}

// lines gives the lines of r that are not blank. The error is of reading.
func lines(r *bufio.Reader, yield func(record) error) error {
	var long []byte
	at, line := int64(0), 1
	for {
		part, err := r.ReadSlice('\n')
		if errors.Is(err, bufio.ErrBufferFull) {
			if long = append(long, part...); len(long) > maxRecord {
				return atLine{line, fmt.Errorf("is longer than %d MiB", maxRecord>>20)}
			}
			continue
		}
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		whole := part
		if len(long) > 0 {
			long = append(long, part...)
			whole = long
		}
		if text := bytes.TrimRight(whole, "\r\n \t"); len(text) > 0 {
			if err := yield(record{text, at, line}); err != nil {
				return err
			}
		}
		if err != nil {
			return nil
		}
		at, line, long = at+int64(len(whole)), line+1, long[:0]
	}
}
