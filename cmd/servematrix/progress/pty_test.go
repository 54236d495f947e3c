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
	size := func() (int, int) {
		w, h, err := term.GetSize(int(tty.Fd()))
		if err != nil {
			return 0, 0
		}
		return w, h
	}
	s := newStory(t, Options{W: tty, Mode: "bar", Color: "always", Size: size})
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
	c := newConsole(60, 24)
	if _, err := c.Write([]byte(raw)); err != nil {
		t.Fatal(err)
	}
	if want := "00:00:00 ok    1/2 fa3 × load b1"; c.wrapped > 0 || c.rules() > 0 || !strings.Contains(strings.Join(c.text(), "\n"), "1/2 fa3 × load b1") || !strings.HasSuffix(raw, "the last line") {
		t.Errorf("%s: %d lines wrap; the terminal shows at the end:\n%s", want, c.wrapped, strings.Join(c.text(), "\n"))
	}
	if !strings.Contains(raw, "\x1b[32mok   \x1b[0m") {
		t.Errorf("colour was asked for: %q", raw)
	}
}
