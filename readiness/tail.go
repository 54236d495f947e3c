package readiness

import (
	"io"
	"os"
	"regexp"

	"servematrix/logfile"
)

// tailBytes is how much of a file's end Tail looks at.
const tailBytes = 256 << 10

// Tail gives the last n lines of a file, cleaned, without empty ones, each at
// most 1000 characters, with progress bars collapsed to their last state. It
// reads no more than the last 256 KiB; of a file that cannot be read it gives
// none.
func Tail(file string, n int) []string {
	f, err := os.Open(file)
	if err != nil {
		return nil
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil
	}
	skip := max(info.Size()-tailBytes, 0)
	in, err := logfile.NewReader(f, skip, logfile.Break)
	if err != nil {
		return nil
	}
	buf, _ := io.ReadAll(io.LimitReader(in, tailBytes)) // what cannot be read is missing
	r := newRecent(n)
	first := skip > 0 // begins in the middle of a line
	s := splitter{limit: lineCap, emit: func(line []byte, no int) {
		if !first || no > 1 {
			r.add(clean(line), no)
		}
	}}
	s.write(buf)
	s.end(nil)
	if lines := r.lines(); len(lines) > 0 || !first {
		return lines
	}
	return []string{text(clean(buf), tailLineCap)} // one line longer than what was read
}

// tailOf is the tail of the log that was written last.
func tailOf(files []string) []string { return Tail(lastWritten(files), tailLines) }

// bar is a state of a progress bar, as tqdm prints it; the group is its label.
var bar = regexp.MustCompile(`^(.*?)\s*\d+%.*\d+/\d+.*\[`)

// recent keeps the last lines of a log.
type recent struct {
	max int
	buf []string
	no  int    // line number of the last entry
	bar string // label of the last entry if it is a progress bar
	any bool   // the last entry is a progress bar
}

func newRecent(n int) *recent { return &recent{max: n} }

// add appends a cleaned line. A line takes the place of the one before when
// that was overwritten on the terminal (same number, ended by \r) or was an
// earlier state of the same progress bar.
func (r *recent) add(line []byte, no int) {
	if len(line) == 0 || r.max <= 0 {
		return
	}
	m := bar.FindSubmatch(line[:min(len(line), 300)])
	label := ""
	if m != nil {
		label = string(m[1])
	}
	same := len(r.buf) > 0 && (no == r.no || m != nil && r.any && label == r.bar)
	r.no, r.bar, r.any = no, label, m != nil
	s := text(line, tailLineCap)
	switch {
	case same:
		r.buf[len(r.buf)-1] = s
	case len(r.buf) == r.max:
		copy(r.buf, r.buf[1:])
		r.buf[len(r.buf)-1] = s
	default:
		r.buf = append(r.buf, s)
	}
}

func (r *recent) lines() []string { return append([]string{}, r.buf...) }
