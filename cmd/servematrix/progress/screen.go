package progress

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/mattn/go-runewidth"
)

// patience is how long closing waits for a terminal that takes no output, such
// as one that Ctrl-S stopped.
const patience = 2 * time.Second

// screen owns the writer: lines that scroll and, under them, a block that is
// drawn over again. It writes on a goroutine of its own, so that a terminal
// that blocks holds up nobody; write errors are nobody's business.
type screen struct {
	w     io.Writer
	width func() int
	dim   bool // draw the block dim

	mu     sync.Mutex
	more   *sync.Cond
	lines  []string // to scroll
	block  []string // as it shall stand
	closed bool
	done   chan struct{}
}

func newScreen(w io.Writer, width func() int, dim bool) *screen {
	s := &screen{w: w, width: width, dim: dim, done: make(chan struct{})}
	s.more = sync.NewCond(&s.mu)
	go s.run()
	return s
}

// show scrolls lines and then has block stand under them.
func (s *screen) show(lines, block []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed || (len(lines) == 0 && slices.Equal(block, s.block)) {
		return
	}
	s.lines = append(s.lines, lines...)
	s.block = block
	s.more.Signal()
}

// close takes the block away and waits a little for the terminal.
func (s *screen) close() {
	s.mu.Lock()
	s.closed, s.block = true, nil
	s.mu.Unlock()
	s.more.Signal()
	timeout := time.NewTimer(patience)
	defer timeout.Stop()
	select {
	case <-s.done:
	case <-timeout.C:
	}
}

func (s *screen) run() {
	defer close(s.done)
	var drawn []string // the block that stands on the terminal now
	for {
		s.mu.Lock()
		for len(s.lines) == 0 && slices.Equal(s.block, drawn) && !s.closed {
			s.more.Wait()
		}
		lines, block, closed := s.lines, s.block, s.closed
		s.lines = nil
		s.mu.Unlock()
		var b strings.Builder
		if len(drawn) > 0 {
			fmt.Fprintf(&b, "\r\x1b[%dA\x1b[J", len(drawn))
		}
		for _, l := range lines {
			b.WriteString(l)
			b.WriteByte('\n')
		}
		for _, l := range block {
			b.WriteString(s.fit(l))
			b.WriteByte('\n')
		}
		if b.Len() > 0 {
			io.WriteString(s.w, b.String()) // a terminal that is gone ends nothing
		}
		if drawn = block; closed {
			return
		}
	}
}

// fit cuts a block line to the terminal: one that wraps could not be taken back.
func (s *screen) fit(line string) string {
	width := 80
	if s.width != nil {
		if w := s.width(); w > 0 {
			width = w
		}
	}
	line = runewidth.Truncate(line, width-1, "…")
	if s.dim {
		return "\x1b[2m" + line + "\x1b[0m"
	}
	return line
}
