package report

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"unicode/utf8"

	"golang.org/x/sys/unix"

	"servematrix/journal"
	"servematrix/logfile"
)

// pasteMost is how much of one client output is pasted into the text report; the rest is cut
// out of its middle. A client that prints more than that does not print for people.
const pasteMost = 8 << 20

// printed is what a sample's client left, as far as it was read ahead.
type printed struct{ out, err output }

type output struct {
	text []byte
	err  error // errLater: the file is large or has holes, and is to be read when it is drawn
}

var errLater = errors.New("it was not read ahead")

// aheadMost is the size of the outputs that are read ahead: hundreds of them are in memory together.
const aheadMost = 32 << 10

// print reads what the client of an event's sample printed.
func (t *tally) print(e journal.Event) printed {
	folder := t.folder.Path(journal.AttemptName(e.Cell, e.Block, e.Attempt))
	return printed{outputAhead(folder + "/" + journal.ClientOut), outputAhead(folder + "/" + journal.ClientErr)}
}

func outputAhead(path string) output {
	file, err := openPlain(path)
	if err != nil {
		return output{err: err}
	}
	defer file.close()
	var info unix.Stat_t
	switch err := unix.Fstat(file.fd, &info); {
	case err != nil:
		return output{err: file.failed("stat", err)}
	case info.Mode&unix.S_IFMT != unix.S_IFREG:
		return output{err: file.failed("read", errNotRegular)}
	case info.Size > aheadMost, info.Blocks*512 < info.Size: // what takes less on disk than it is long may have holes
		return output{err: errLater}
	}
	text := make([]byte, info.Size)
	for n := 0; n < len(text); {
		more, err := file.read(text[n:])
		if n += more; more == 0 || err != nil { // it was cut meanwhile
			return output{text[:n], err}
		}
	}
	return output{text: text}
}

// readOutput reads an output of any size.
func readOutput(path string, note func(left int64) string) ([]byte, error) {
	o, err := openOutput(path)
	if err != nil {
		return nil, err
	}
	defer o.file.Close()
	return o.read(note)
}

// clientOutput opens one of a client's output files, which are absent when the client was
// never started or when the bulk of an old attempt was cleared.
type clientOutput struct {
	file *os.File
	size int64
}

var errNotRegular = errors.New("not a regular file")

func openOutput(path string) (*clientOutput, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	info, err := file.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = &fs.PathError{Op: "read", Path: path, Err: errNotRegular}
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
