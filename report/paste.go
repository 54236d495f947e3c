package report

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"unicode/utf8"

	"servematrix/logfile"
)

// pasteMost is how much of one client output is pasted into the text report; the rest is cut
// out of its middle. A client that prints more than that does not print for people.
const pasteMost = 8 << 20

// clientOutput opens one of a client's output files, which are absent when the client was
// never started or when the bulk of an old attempt was cleared.
type clientOutput struct {
	file *os.File
	size int64
}

func openOutput(path string) (*clientOutput, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	info, err := file.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = &fs.PathError{Op: "read", Path: path, Err: errors.New("not a regular file")}
	}
	if err != nil {
		file.Close()
		return nil, err
	}
	return &clientOutput{file, info.Size()}, nil
}

// read gives the output, or its head and its tail with a line between them that says what is
// missing and where it is. Both parts end with whole lines where lines are of a sane length.
func (o *clientOutput) read(note func(left int64) string) ([]byte, error) {
	if o.size <= pasteMost {
		return io.ReadAll(logfile.Past(o.file, note))
	}
	// A hole can be in the middle; then head or tail can be shorter than half.
	_, first, err := logfile.Next(o.file, 0)
	if err != nil {
		return nil, err
	}
	last, err := logfile.Newest(o.file)
	if err != nil {
		return nil, err
	}
	half := make([]byte, min(first, pasteMost/2))
	if _, err := o.file.ReadAt(half, 0); err != nil {
		return nil, err
	}
	head := half[:cutAfterLine(half)]
	tail := make([]byte, min(o.size-last, pasteMost/2))
	if _, err := o.file.ReadAt(tail, o.size-int64(len(tail))); err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	tail = tail[cutBeforeLine(tail):]
	left := o.size - int64(len(head)) - int64(len(tail))
	gap := "\n" + note(left) + "\n"
	if !bytes.HasSuffix(head, []byte{'\n'}) {
		gap = "\n" + gap
	}
	return bytes.Join([][]byte{head, []byte(gap), tail}, nil), nil
}

// lineReach is how far a cut looks for a line's end before it parts a line.
const lineReach = 64 << 10

func cutAfterLine(b []byte) int {
	from := max(0, len(b)-lineReach)
	if i := bytes.LastIndexByte(b[from:], '\n'); i >= 0 {
		return from + i + 1
	}
	for i := len(b); i > from; i-- { // at least no character is parted
		if r, _ := utf8.DecodeLastRune(b[:i]); r != utf8.RuneError {
			return i
		}
	}
	return len(b)
}

func cutBeforeLine(b []byte) int {
	if i := bytes.IndexByte(b[:min(len(b), lineReach)], '\n'); i >= 0 {
		return i + 1
	}
	for i := range min(len(b), utf8.UTFMax) {
		if utf8.RuneStart(b[i]) {
			return i
		}
	}
	return 0
}

// whyNot says in a few words, without the path of the run folder, why a file cannot be read.
func whyNot(err error) string {
	if errors.Is(err, fs.ErrNotExist) {
		return fs.ErrNotExist.Error()
	}
	var path *fs.PathError
	if errors.As(err, &path) {
		return fmt.Sprint(path.Err)
	}
	return err.Error()
}
