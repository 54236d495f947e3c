package progress

import (
	"bufio"
	"strings"
	"testing"
	"time"

	"github.com/creack/pty"
	"golang.org/x/term"

	"servematrix/journal"
)

// terminal is as much of a terminal as the bar uses: text, newline, carriage
// return, cursor up and erase below.
type terminal struct {
	rows []string
	row  int
}

func (m *terminal) feed(s string) {
	for len(s) > 0 {
		switch {
		case s[0] == '\n':
			m.row++
			s = s[1:]
		case s[0] == '\r':
			s = s[1:]
		case strings.HasPrefix(s, "\x1b["):
			end := strings.IndexAny(s, "AJm")
			n := 0
			for _, c := range s[2:end] {
				n = 10*n + int(c-'0')
			}
			switch s[end] {
			case 'A':
				m.row -= n
			case 'J':
				m.rows = m.rows[:min(m.row, len(m.rows))]
			}
			s = s[end+1:]
		default:
			next := strings.IndexAny(s, "\n\r\x1b")
			if next < 0 {
				next = len(s)
			}
			for len(m.rows) <= m.row {
				m.rows = append(m.rows, "")
			}
			m.rows[m.row] += s[:next]
			s = s[next:]
		}
	}
}

func TestBarOnATerminal(t *testing.T) {
	ptmx, tty, err := pty.Open()
	if err != nil {
		t.Skip("no pseudo-terminal here:", err)
	}
	defer ptmx.Close()
	if err := pty.Setsize(ptmx, &pty.Winsize{Rows: 24, Cols: 60}); err != nil {
		t.Fatal(err)
	}
	// What a terminal shows is gathered until the line that ends the test.
	seen := make(chan string)
	drawn := make(chan struct{})
	go func() {
		var all strings.Builder
		told := false
		in := bufio.NewReader(ptmx)
		for {
			c, err := in.ReadByte()
			if err != nil {
				break
			}
			all.WriteByte(c)
			if !told && strings.Contains(all.String(), "client 214/500") {
				told = true
				close(drawn)
			}
			if strings.Contains(all.String(), "the last line") {
				break
			}
		}
		seen <- all.String()
	}()
	width := func() int {
		w, _, err := term.GetSize(int(tty.Fd()))
		if err != nil {
			return 0
		}
		return w
	}
	s := newStory(t, Options{W: tty, Mode: "bar", Color: "always", Width: width})
	s.tell(journal.Event{Type: journal.RunStarted}, journal.Session{Blocks: 1})
	s.start("0001", "fa3-1", "fa3")
	s.ready("0001", 0)
	s.client("0001", "c1")
	select {
	case <-drawn:
	case <-time.After(20 * time.Second):
		t.Fatal("the block was never drawn")
	}
	s.ok("0001", "c1", 0)
	s.view.Close()
	if _, err := tty.WriteString("the last line\n"); err != nil {
		t.Fatal(err)
	}
	raw := <-seen
	tty.Close()
	for _, l := range strings.Split(raw, "\n") {
		if strings.Contains(l, "elapsed") && len([]rune(l)) > 60+len("\x1b[2m\x1b[0m\r") {
			t.Errorf("a block line wraps: %q", l)
		}
	}
	var m terminal
	m.feed(raw)
	if len(m.rows) != 2 || !strings.Contains(m.rows[0], "1/2 fa3 × load b1") || m.rows[1] != "the last line" {
		t.Errorf("the terminal shows at the end:\n%s", strings.Join(m.rows, "\n"))
	}
	if !strings.Contains(raw, "\x1b[32mok   \x1b[0m") {
		t.Errorf("colour was asked for: %q", raw)
	}
}
