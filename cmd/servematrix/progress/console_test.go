package progress

import (
	"bytes"
	"fmt"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"github.com/mattn/go-runewidth"
)

// console is a terminal as people see it: rows of cells, a scrollback, and, when it is
// resized, lines that are broken anew, as tmux and most others do it.
type console struct {
	mu            sync.Mutex
	width, height int
	lines         []consoleLine // all that was ever written; the last rows of them are visible
	row, col      int           // of the cursor, row as an index of lines
	pending       []byte        // of a rune or a sequence that is not whole
	wrapped       int           // how many times text ran over the right edge
	unknown       []string      // sequences that this terminal does not know
	drawings      int
}

type consoleLine struct {
	text    string
	columns int
	joined  bool // goes on from the line before, which was too long
}

func newConsole(width, height int) *console {
	return &console{width: width, height: height, lines: make([]consoleLine, 1)}
}

func (c *console) size() (int, int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.width, c.height
}

func (c *console) Write(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.drawings++
	in := append(c.pending, p...)
	for len(in) > 0 {
		n := c.take(in)
		if n == 0 {
			break
		}
		in = in[n:]
	}
	c.pending = bytes.Clone(in)
	return len(p), nil
}

// take consumes one character or sequence, 0 where it is not whole.
func (c *console) take(in []byte) int {
	switch {
	case in[0] == '\n': // the kernel makes \r\n of it
		c.down()
		c.col, c.lines[c.row].joined = 0, false
		return 1
	case in[0] == '\r':
		c.col = 0
		return 1
	case in[0] == 0x1b:
		end := bytes.IndexAny(in, "ABCDHJKm")
		if end < 0 {
			return 0
		}
		c.control(in[end], string(in[2:end]))
		return end + 1
	case !utf8.FullRune(in):
		return 0
	}
	r, n := utf8.DecodeRune(in)
	c.put(r)
	return n
}

func (c *console) down() {
	if c.row++; c.row == len(c.lines) {
		c.lines = append(c.lines, consoleLine{})
	}
}

func (c *console) control(what byte, number string) {
	n := 0
	fmt.Sscan(number, &n)
	line := &c.lines[c.row]
	switch {
	case what == 'A':
		c.row = max(c.row-max(n, 1), c.top()) // what has scrolled away is out of reach
	case what == 'K' && c.col == 0:
		*line = consoleLine{}
	case what == 'K' && c.col >= line.columns, what == 'm':
	case what == 'K':
		line.text, line.columns = cellsOf(line.text, c.col)
	case what == 'J' && c.col == 0:
		c.lines = append(c.lines[:c.row], consoleLine{})
	default:
		c.unknown = append(c.unknown, number+string(what))
	}
}

// put writes over what stands at the cursor.
func (c *console) put(r rune) {
	w := runewidth.RuneWidth(r)
	if c.col+w > c.width {
		c.wrapped++
		c.down()
		c.col = 0
		c.lines[c.row] = consoleLine{joined: true}
	}
	line := &c.lines[c.row]
	before, rest := line.text, ""
	if c.col < line.columns {
		text, n := cellsOf(line.text, c.col)
		before = text + strings.Repeat(" ", c.col-n) // half of a wide character is gone
		end := c.col + w
		for text, n = cellsOf(line.text, end); n < end && len(text) < len(line.text); end++ {
			text, n = cellsOf(line.text, end+1)
		}
		rest = strings.Repeat(" ", max(n-c.col-w, 0)) + line.text[len(text):]
	}
	line.text = before + string(r) + rest
	c.col += w
	line.columns = max(line.columns, c.col)
}

// cellsOf is the begin of a text that fits into so many columns.
func cellsOf(text string, width int) (string, int) {
	n := 0
	for i, r := range text {
		w := runewidth.RuneWidth(r)
		if n+w > width {
			return text[:i], n
		}
		n += w
	}
	return text, n
}

// top is the first visible row.
func (c *console) top() int { return max(len(c.lines)-c.height, 0) }

// resize breaks all lines anew; the cursor stays where it is in the text. It stands in
// the first column of the last line, as it does between two drawings.
func (c *console) resize(width, height int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	var whole []string
	for _, l := range c.lines {
		if l.joined && len(whole) > 0 {
			whole[len(whole)-1] += l.text
			continue
		}
		whole = append(whole, l.text)
	}
	c.width, c.height, c.lines = width, height, nil
	for _, text := range whole {
		for joined := false; ; joined = true {
			part, n := cellsOf(text, width)
			c.lines = append(c.lines, consoleLine{part, n, joined})
			if text = text[len(part):]; text == "" {
				break
			}
		}
	}
	c.row, c.col = len(c.lines)-1, 0
}

// text is all that was written and is not erased, the scrollback included.
func (c *console) text() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	var out []string
	for _, l := range c.lines {
		out = append(out, strings.TrimRight(l.text, " "))
	}
	return out
}

// rules counts the blocks that can be seen, or remains of them.
func (c *console) rules() (n int) {
	for _, l := range c.text() {
		if strings.HasPrefix(l, "──") {
			n++
		}
	}
	return n
}

func TestConsole(t *testing.T) {
	c := newConsole(10, 3)
	fmt.Fprint(c, "0123456789ab\nx\ny\n")
	if got := strings.Join(c.text(), "|"); got != "0123456789|ab|x|y|" || c.wrapped != 1 {
		t.Fatalf("%q, wrapped %d", got, c.wrapped)
	}
	fmt.Fprint(c, "\x1b[9Anew\x1b[K") // not above the three visible rows
	if got := strings.Join(c.text(), "|"); got != "0123456789|ab|new|y|" {
		t.Fatalf("%q", got)
	}
	fmt.Fprint(c, "\r\x1b[J")
	c.resize(5, 3)
	if got := strings.Join(c.text(), "|"); got != "01234|56789|ab|" {
		t.Fatalf("%q", got)
	}
}
