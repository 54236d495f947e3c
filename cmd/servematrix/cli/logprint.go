package cli

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"slices"
	"time"

	"servematrix/logfile"
	"servematrix/secret"
)

// printer copies what is new in some logs to one stream, with a header where
// the file changes, or side by side. It passes whole lines on, so that no secret is cut in two.
type printer struct {
	w       io.Writer
	hide    *secret.Redactor
	lines   int // of each file's end to begin with; -1: all
	headers bool
	beside  *sideBySide // nil: file by file
	files   []*tailed
	last    *tailed
	open    map[string]bool
}

type tailed struct {
	path, name string
	offset     int64
	rest       []byte // begin of a line that is not whole yet

	state string    // of a progress bar that was not printed yet
	shown time.Time // when one was printed last
}

// chunk is how much of a log is read at a time.
const chunk = 256 << 10

func newPrinter(w io.Writer, hide *secret.Redactor, lines int) *printer {
	return &printer{w: w, hide: hide, lines: lines, open: map[string]bool{}}
}

// add takes a log in; one that is not there yet may come.
func (p *printer) add(path, name string) {
	if p.open[path] {
		return
	}
	p.open[path] = true
	t := &tailed{path: path, name: name}
	if p.lines >= 0 {
		t.offset = lastLines(path, p.lines)
	}
	p.files = append(p.files, t)
}

// pump prints what is new in every file. Only a stream that cannot be written is an error.
func (p *printer) pump() error {
	for _, t := range p.files {
		if err := p.pumpOne(t); err != nil {
			return err
		}
	}
	return nil
}

func (p *printer) pumpOne(t *tailed) error {
	f, err := os.Open(t.path)
	if err != nil {
		return nil // not there yet, or cleared away
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || info.Size() < t.offset {
		t.offset, t.rest = 0, nil // it was cut off: begin again
	}
	in, err := logfile.NewReader(f, t.offset, logfile.Words)
	if err != nil {
		return nil // no regular file any more
	}
	t.offset = in.End()
	buf := make([]byte, chunk)
	for {
		n, err := in.Read(buf)
		t.rest = append(t.rest, buf[:n]...)
		if whole := bytes.LastIndexAny(t.rest, "\n\r") + 1; whole > 0 {
			if err := p.write(t, t.rest[:whole]); err != nil {
				return err
			}
			t.rest = append(t.rest[:0], t.rest[whole:]...)
		} else if len(t.rest) > 4*chunk { // no line at all
			if err := p.write(t, t.rest); err != nil {
				return err
			}
			t.rest = nil
		}
		if err != nil || n == 0 {
			return nil
		}
	}
}

func (p *printer) write(t *tailed, text []byte) error {
	if p.beside != nil {
		_, err := io.WriteString(p.w, p.beside.lines(t, p.hide.String(string(text)), time.Now()))
		return err
	}
	if p.headers && p.last != t {
		gap := "\n"
		if p.last == nil {
			gap = ""
		}
		if _, err := fmt.Fprintf(p.w, "%s==> %s <==\n", gap, t.name); err != nil {
			return err
		}
	}
	p.last = t
	_, err := io.WriteString(p.w, p.hide.String(string(text)))
	return err
}

// finish prints the rest, lines without an end too.
func (p *printer) finish() error {
	if err := p.pump(); err != nil {
		return err
	}
	for _, t := range p.files {
		if err := p.finishOne(t); err != nil {
			return err
		}
	}
	return nil
}

func (p *printer) finishOne(t *tailed) error {
	rest := t.rest
	if t.rest = nil; len(rest) == 0 && t.state == "" {
		return nil
	}
	return p.write(t, append(rest, '\n'))
}

// keep prints what is left of the logs that wanted does not name, and leaves them.
func (p *printer) keep(wanted map[string]bool) error {
	for _, t := range p.files {
		if wanted[t.path] {
			continue
		}
		if err := p.pumpOne(t); err != nil {
			return err
		}
		if err := p.finishOne(t); err != nil {
			return err
		}
	}
	p.files = slices.DeleteFunc(p.files, func(t *tailed) bool { return !wanted[t.path] })
	return nil
}

// lastLines finds where the last n lines of a file begin.
func lastLines(path string, n int) int64 {
	f, err := os.Open(path)
	if err != nil {
		return 0
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return 0
	}
	if n == 0 {
		return info.Size()
	}
	end := info.Size()
	begin, err := logfile.Newest(f) // behind a hole, or 0: what was before is not among the last lines
	if err != nil {
		return 0
	}
	buf := make([]byte, chunk)
	for first := true; end > begin; first = false {
		part := buf[:min(end-begin, chunk)]
		if _, err := f.ReadAt(part, end-int64(len(part))); err != nil {
			return 0
		}
		text := part
		if first {
			text = bytes.TrimSuffix(part, []byte{'\n'}) // the end of the last line begins none
		}
		for i := len(text) - 1; i >= 0; i-- {
			if text[i] == '\n' {
				if n--; n == 0 {
					return end - int64(len(part)) + int64(i) + 1
				}
			}
		}
		end -= int64(len(part))
	}
	return begin
}

// redactor hides what this environment and the plan know as secret.
func (s *snapshot) redactor(env Env) *secret.Redactor {
	r := &secret.Redactor{}
	r.AddEnviron(env.Env, s.plan.Secrets)
	return r
}
