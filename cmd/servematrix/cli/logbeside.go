package cli

import (
	"fmt"
	"path"
	"strings"
	"time"

	"servematrix/oneline"
)

// barEvery is how often the state of a progress bar is printed while it has no end: each
// of its states would be a line.
const barEvery = 5 * time.Second

// sideBySide writes lines of several logs as they come, each behind the name of its log.
type sideBySide struct {
	color  bool
	folder map[string]bool // those that were announced
}

// lines writes text, which ends with a line or with a state of a progress bar.
func (s *sideBySide) lines(t *tailed, text string, now time.Time) string {
	var b strings.Builder
	if dir := path.Dir(t.name); !s.folder[dir] {
		s.folder[dir] = true
		fmt.Fprintf(&b, "==> %s <==\n", dir)
	}
	for line := range strings.Lines(text) {
		whole := strings.HasSuffix(line, "\n")
		state := lastState(line)
		if state == "" && t.state != "" {
			state = t.state
		}
		if t.state = ""; whole || now.Sub(t.shown) >= barEvery {
			if !whole {
				t.shown = now
			}
			b.WriteString(s.prefix(t.name) + state + "\n")
			continue
		}
		t.state = state
	}
	return b.String()
}

// lastState is what a line shows in the end, after its carriage returns, free of what a
// terminal would do for it.
func lastState(line string) string {
	line = strings.TrimRight(line, "\r\n")
	line = line[strings.LastIndexByte(line, '\r')+1:]
	return strings.Map(func(r rune) rune {
		if r < ' ' && r != '\t' || r == 0x7f || r >= 0x80 && r < 0xa0 {
			return -1
		}
		return r
	}, oneline.Bare(line))
}

// prefix is such as "server.err | ".
func (s *sideBySide) prefix(name string) string {
	name = path.Base(name)
	text := fmt.Sprintf("%-10s | ", name)
	if !s.color {
		return text
	}
	color := "36" // the server's
	if strings.HasPrefix(name, "client") {
		color = "33"
	}
	return "\x1b[" + color + "m" + text + "\x1b[0m"
}
