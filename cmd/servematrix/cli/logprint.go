package cli

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/fsnotify/fsnotify"

	"servematrix/journal"
	"servematrix/logfile"
	"servematrix/secret"
)

// printer copies what is new in some logs to one stream, with a header where
// the file changes. It passes whole lines on, so that no secret is cut in two.
type printer struct {
	w       io.Writer
	hide    *secret.Redactor
	lines   int // of each file's end to begin with; -1: all
	headers bool
	files   []*tailed
	last    *tailed
	open    map[string]bool
}

type tailed struct {
	path, name string
	offset     int64
	rest       []byte // begin of a line that is not whole yet
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
		if len(t.rest) > 0 {
			if err := p.write(t, append(t.rest, '\n')); err != nil {
				return err
			}
			t.rest = nil
		}
	}
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

// follow prints until the run has ended, taking in the logs of what comes.
func (s *snapshot) follow(ctx context.Context, p *printer, what *newest, opt logsOptions) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	events := make(chan journal.Event)
	over := make(chan error, 1)
	seen := s.state.Current.Seq
	go func() {
		over <- s.folder.Follow(ctx, func(e journal.Event) bool {
			if e.Seq <= seen {
				return true
			}
			select {
			case events <- e:
				return true
			case <-ctx.Done():
				return false
			}
		}, s.folder.Live)
	}()
	changed := watchFiles(ctx, p)
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		if err := p.pump(); err != nil {
			cancel()
			<-over
			return err
		}
		select {
		case e := <-events:
			what.apply(e)
			for _, f := range what.files(s.folder, opt) {
				if !p.open[f[0]] {
					p.lines = -1 // what starts now is shown from its begin
					p.add(f[0], f[1])
					changed.add(f[0])
				}
			}
		case <-changed.c:
		case <-tick.C:
		case err := <-over:
			if ferr := p.finish(); ferr != nil {
				return ferr
			}
			return err
		}
	}
}

// changes tells when one of the followed files grows; where the system cannot tell, the ticker must do.
type changes struct {
	watcher *fsnotify.Watcher
	c       <-chan fsnotify.Event
}

func watchFiles(ctx context.Context, p *printer) *changes {
	w, err := fsnotify.NewWatcher()
	if err != nil {
		return &changes{}
	}
	context.AfterFunc(ctx, func() { w.Close() })
	c := &changes{w, w.Events}
	for _, t := range p.files {
		c.add(t.path)
	}
	return c
}

// add watches the file's folder: the file itself may be still to come.
func (c *changes) add(path string) {
	if c.watcher != nil {
		_ = c.watcher.Add(filepath.Dir(path)) // without it the ticker looks
	}
}
