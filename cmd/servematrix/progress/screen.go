package progress

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"
)

// patience is how long closing waits for a terminal that takes no output, such
// as one that Ctrl-S stopped.
const patience = 2 * time.Second

// screen owns the writer: lines that scroll and, under them, a block that is
// drawn over again. It writes on a goroutine of its own, so that a terminal
// that blocks holds up nobody; write errors are nobody's business.
type screen struct {
	w    io.Writer
	size func() (width, height int) // nil: no terminal, lines are as long as they are
	dim  bool                       // draw the block dim

	mu     sync.Mutex
	more   *sync.Cond
	lines  []string // to scroll
	block  []string // as it shall stand
	closed bool
	done   chan struct{}
}

func newScreen(w io.Writer, size func() (int, int), dim bool) *screen {
	s := &screen{w: w, size: size, dim: dim, done: make(chan struct{})}
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
	var drawn, stands []string // the block as it was asked for, and as it stands on the terminal
	for {
		s.mu.Lock()
		for len(s.lines) == 0 && slices.Equal(s.block, drawn) && !s.closed {
			s.more.Wait()
		}
		lines, block, closed := s.lines, s.block, s.closed
		s.lines = nil
		s.mu.Unlock()
		var text string
		if text, stands = s.text(stands, lines, block); text != "" {
			io.WriteString(s.w, text) // a terminal that is gone ends nothing
		}
		if drawn = block; closed {
			return
		}
	}
}

// text is what makes of the block that stands the lines with the new block under them. Each
// line takes the place of one that stands there: taking all away first would flicker.
func (s *screen) text(stands, lines, block []string) (text string, standing []string) {
	var b strings.Builder
	width := 0
	if s.size != nil {
		width, _ = s.size()
	}
	if len(stands) > 0 {
		fmt.Fprintf(&b, "\r\x1b[%dA", rows(stands, width))
	}
	put := func(line string) {
		b.WriteString(line)
		if len(stands) > 0 {
			b.WriteString("\x1b[K")
		}
		b.WriteByte('\n')
	}
	for _, l := range lines {
		l, whole := strings.CutPrefix(l, verbatim)
		if width == 0 || whole {
			put(l)
			continue
		}
		for _, part := range fold(l, width-1) {
			put(part)
		}
	}
	for _, l := range block {
		if width > 0 { // it may have become narrower since the block was made
			l = cut(l, width-1)
		}
		standing = append(standing, l)
		if s.dim {
			l = "\x1b[2m" + l + "\x1b[0m"
		}
		put(l)
	}
	if len(stands) > 0 {
		b.WriteString("\x1b[J")
	}
	return b.String(), standing
}

// rows is how many rows a block takes. A terminal that was made narrower has broken
// the lines that are too long now.
func rows(block []string, width int) int {
	n := len(block)
	if width == 0 {
		return n
	}
	for _, l := range block {
		for at := breakAt(l, width, false); at < len(l); at = breakAt(l, width, false) {
			l = l[at:]
			n++
		}
	}
	return n
}
