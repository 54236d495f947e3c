package readiness

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

type numbered struct {
	Line string
	No   int
}

// split cuts data given in parts of at most step bytes.
func split(data []byte, limit, step int) []numbered {
	var got []numbered
	s := splitter{limit: limit, emit: func(line []byte, no int) { got = append(got, numbered{string(line), no}) }}
	for len(data) > 0 {
		n := min(step, len(data))
		s.write(data[:n])
		data = data[n:]
	}
	s.end(nil)
	return got
}

func TestSplit(t *testing.T) {
	in := "one\n\ntwo\r\n 10%\r 20%\rthree\nlast"
	want := []numbered{{"one", 1}, {"two", 3}, {" 10%", 4}, {" 20%", 4}, {"three", 4}, {"last", 5}}
	for step := 1; step <= len(in); step++ {
		if diff := cmp.Diff(want, split([]byte(in), lineCap, step)); diff != "" {
			t.Fatalf("in parts of %d: %s", step, diff)
		}
	}
}

func TestSplitCapsALine(t *testing.T) {
	in := "head" + strings.Repeat("x", 1000) + "tail\nnext"
	for _, step := range []int{1, 3, 7, len(in)} {
		got := split([]byte(in), 8, step)
		want := []numbered{{"head" + gap + "tail", 1}, {"next", 2}}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("in parts of %d: %s", step, diff)
		}
	}
	if got := split([]byte("12345678\n123456789"), 8, 100); got[0].Line != "12345678" || got[1].Line != "1234"+gap+"6789" {
		t.Errorf("at the cap: %+v", got)
	}
}

func TestSplitMemoryIsBounded(t *testing.T) {
	s := splitter{limit: lineCap, emit: func([]byte, int) {}}
	chunk := bytes.Repeat([]byte("x"), 64<<10)
	s.write(bytes.Repeat(chunk, 32)) // the buffers are made
	if n := testing.AllocsPerRun(100, func() { s.write(chunk) }); n != 0 {
		t.Errorf("%v allocations for each further part of a long line", n)
	}
	if len(s.head)+len(s.tail) > lineCap {
		t.Errorf("keeps %d bytes", len(s.head)+len(s.tail))
	}
}

// FuzzSplit holds the splitter against the obvious way to split, which keeps
// everything in memory, whatever the parts in which the data comes.
func FuzzSplit(f *testing.F) {
	for _, s := range []string{"", "a\nb", "a\r\nb\r", "\n\n\r\r", "0123456789abcdef\nxyz", "\x1b[0m\x00\xff\n", strings.Repeat("ab", 40) + "\r\n"} {
		f.Add([]byte(s), uint8(3), uint8(6))
	}
	f.Fuzz(func(t *testing.T, data []byte, step, limit uint8) {
		half := int(limit)/2 + 1
		var want []numbered
		for i, line := range strings.Split(string(data), "\n") {
			for _, part := range strings.Split(line, "\r") {
				if len(part) > 2*half {
					part = part[:half] + gap + part[len(part)-half:]
				}
				if part != "" {
					want = append(want, numbered{part, i + 1})
				}
			}
		}
		got := split(data, 2*half, int(step)+1)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("parts of %d, cap %d: %s", int(step)+1, 2*half, diff)
		}
	})
}

func FuzzClean(f *testing.F) {
	for _, s := range []string{"", "\x1b", "\x1b[", "\x1b]0;t\x07x", "\x1b]8;;u\x1b\\x", "a\x00b\xff", "\x1b(Bx", "\x1b[1;31mred\x1b[0m"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		whole := string(data)
		out := text(clean(data), 50)
		if strings.ContainsAny(out, "\x00\x1b") && !strings.HasSuffix(whole, "\x1b") {
			t.Errorf("%q still holds control bytes", out)
		}
		if n := len([]rune(out)); n > 50 {
			t.Errorf("%d characters", n)
		}
		if again := string(clean([]byte(out))); again != strings.TrimSpace(out) {
			t.Errorf("cleaning twice changes %q to %q", out, again)
		}
	})
}

func TestClean(t *testing.T) {
	for in, want := range map[string]string{
		"  plain \t":                             "plain",
		"\x1b[32mgreen\x1b[0m":                   "green",
		"\x1b]8;;http://x\x1b\\link\x1b]8;;\x07": "link",
		"\x1b(Bcharset":                          "charset",
		"a\x00b":                                 "ab",
		"torn \x1b[3":                            "torn",
		"torn \x1b":                              "torn",
	} {
		if got := string(clean([]byte(in))); got != want {
			t.Errorf("clean(%q) = %q, want %q", in, got, want)
		}
	}
	if got := text([]byte("a\xffb"), 10); got != "a\uFFFDb" {
		t.Errorf("invalid UTF-8: %q", got)
	}
	if got := text([]byte(fmt.Sprintf("%0100d", 7)), 20); len([]rune(got)) != 20 || !strings.HasSuffix(got, "07") {
		t.Errorf("shortened to %q", got)
	}
}
