package logfile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// places are folders on the file systems at hand: that of temporary files, and
// one in memory.
func places(t *testing.T) map[string]string {
	t.Helper()
	out := map[string]string{"disk": t.TempDir()}
	if dir, err := os.MkdirTemp("/dev/shm", "logfile-"); err == nil {
		t.Cleanup(func() { os.RemoveAll(dir) })
		out["memory"] = dir
	}
	return out
}

// canPunch skips where the file system cannot cut.
func canPunch(t *testing.T, dir string) {
	t.Helper()
	f, err := os.Create(filepath.Join(dir, "probe"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := punch(int(f.Fd()), 0, 4096); errors.Is(err, unix.EOPNOTSUPP) {
		t.Skipf("%s is on a file system without holes", dir)
	}
}

// onDisk is what a file takes, in bytes.
func onDisk(t *testing.T, path string) int64 {
	t.Helper()
	var st unix.Stat_t
	if err := unix.Stat(path, &st); err != nil {
		t.Fatal(err)
	}
	return st.Blocks * 512
}

// appender is the writer of a log, as a server is.
func appender(t testing.TB, path string) *os.File {
	t.Helper()
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

// lines writes numbered lines of 64 bytes.
func lines(t testing.TB, w io.Writer, from, n int) {
	t.Helper()
	var b bytes.Buffer
	for i := range n {
		fmt.Fprintf(&b, "%-63d\n", from+i)
	}
	if _, err := w.Write(b.Bytes()); err != nil {
		t.Fatal(err)
	}
}

func text(t *testing.T, path string, mark func(int64) string) string {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	out, err := io.ReadAll(Past(f, mark))
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

func TestCapKeepsHeadAndTail(t *testing.T) {
	const limit = 2 << 20
	for name, dir := range places(t) {
		t.Run(name, func(t *testing.T) {
			canPunch(t, dir)
			path := filepath.Join(dir, "log")
			w := appender(t, path)
			c, err := NewCap(path, limit)
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			const round = 4000 // lines, 250 KiB
			for i := range 100 {
				lines(t, w, i*round, round)
				if err := c.Look(); err != nil {
					t.Fatal(err)
				}
				if used := onDisk(t, path); used > limit+64<<10 { // the file system's own blocks are counted too
					t.Fatalf("after %d lines %d bytes on disk", (i+1)*round, used)
				}
			}
			info, err := os.Stat(path)
			if err != nil || info.Size() != 100*round*64 {
				t.Fatalf("size %v, err %v", info, err)
			}
			got := text(t, path, func(n int64) string { return fmt.Sprintf("\n[%d]\n", n) })
			head, tail, ok := strings.Cut(got, fmt.Sprintf("\n[%d]\n", c.Cut()))
			if !ok || !strings.HasPrefix(head, "0 ") || len(head) != limit/8 || strings.Contains(head+tail, "\x00") {
				t.Fatalf("cut %d bytes; the head has %d, the whole %d", c.Cut(), len(head), len(got))
			}
			if len(tail) < limit/2 || !strings.HasSuffix(tail, fmt.Sprintf("%-63d\n", 100*round-1)) || int64(len(head)+len(tail))+c.Cut() != info.Size() {
				t.Errorf("the tail has %d bytes, head %d, cut %d of %d", len(tail), len(head), c.Cut(), info.Size())
			}
		})
	}
}

func TestCapOfALogThatIsTamperedWith(t *testing.T) {
	dir := t.TempDir()
	canPunch(t, dir)
	path := filepath.Join(dir, "log")
	w := appender(t, path)
	c, err := NewCap(path, Smallest)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	const lots = 3 << 20 / 64
	step := func(what string) {
		t.Helper()
		lines(t, w, 0, lots)
		if err := c.Look(); err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		var st unix.Stat_t
		if err := unix.Fstat(int(w.Fd()), &st); err != nil || st.Blocks*512 > Smallest+64<<10 {
			t.Errorf("%s: %d bytes on disk, err %v", what, st.Blocks*512, err)
		}
	}
	step("as it is")
	if err := w.Truncate(0); err != nil {
		t.Fatal(err)
	}
	step("emptied and filled again")
	other := filepath.Join(dir, "other")
	lines(t, appender(t, other), 0, lots)
	before := onDisk(t, other)
	if err := os.Rename(other, path); err != nil {
		t.Fatal(err)
	}
	step("replaced")
	if now := onDisk(t, path); now != before {
		t.Errorf("another file was cut: %d bytes on disk, before %d", now, before)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	step("deleted")
	if err := os.Symlink("/dev/null", path); err != nil {
		t.Fatal(err)
	}
	if _, err := NewCap(path, Smallest); !errors.Is(err, unix.ELOOP) {
		t.Errorf("a link was opened: %v", err)
	}
}

func TestCapSaysWhereItCannotBe(t *testing.T) {
	f, err := os.Open("/proc/self/status") // what has no blocks to give back
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	c := &Cap{file: f, limit: -1, align: 4096}
	if err := c.punch(0, 4096); err == nil {
		t.Error("a file that cannot be cut was cut")
	}
}

// part is some bytes of a log, or a hole.
type part struct {
	text string
	hole int64
}

func logOf(t testing.TB, parts ...part) *os.File {
	t.Helper()
	f, err := os.Create(filepath.Join(t.TempDir(), "log"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	at := int64(0)
	for _, p := range parts {
		if _, err := f.WriteAt([]byte(p.text), at); err != nil {
			t.Fatal(err)
		}
		at += int64(len(p.text)) + p.hole
		if err := f.Truncate(at); err != nil {
			t.Fatal(err)
		}
	}
	return f
}

func TestReaderPassesOverHoles(t *testing.T) {
	const large = 1 << 40 // nobody reads that through
	nul := func(n int) string { return strings.Repeat("\x00", n) }
	for name, tc := range map[string]struct {
		parts []part
		want  string
	}{
		"none":           {[]part{{text: "a\nb"}}, "a\nb"},
		"empty":          {nil, ""},
		"middle":         {[]part{{"head", large}, {text: "tail"}}, fmt.Sprintf("head[%d]tail", large)},
		"two":            {[]part{{"a", 1 << 20}, {"b", 2 << 20}, {text: "c"}}, fmt.Sprintf("a[%d]b[%d]c", 1<<20, 2<<20)},
		"first":          {[]part{{hole: 1 << 20}, {text: "x"}}, fmt.Sprintf("[%d]x", 1<<20)},
		"last":           {[]part{{"x", large}}, fmt.Sprintf("x[%d]", large)},
		"only":           {[]part{{hole: large}}, fmt.Sprintf("[%d]", large)},
		"NULs printed":   {[]part{{text: "a\x00b" + nul(300) + "c" + nul(nothing-1)}}, "a\x00b" + nul(300) + "c" + nul(nothing-1)},
		"a copy":         {[]part{{text: "a" + nul(200_000) + "b"}}, "a[200000]b"},
		"begins with it": {[]part{{text: nul(nothing) + "b"}}, fmt.Sprintf("[%d]b", nothing)},
	} {
		f := logOf(t, tc.parts...)
		got, err := io.ReadAll(Past(f, func(n int64) string { return fmt.Sprintf("[%d]", n) }))
		if err != nil || string(got) != tc.want {
			t.Errorf("%s: %.80q (%d bytes), want %.80q, err %v", name, got, len(got), tc.want, err)
		}
	}
}

func TestReaderEndsWhereItsFileEnded(t *testing.T) {
	f := logOf(t, part{text: "before"})
	r, err := NewReader(f, 2, Words)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteAt([]byte(" and after"), 6); err != nil {
		t.Fatal(err)
	}
	if got, err := io.ReadAll(r); err != nil || string(got) != "fore" || r.End() != 6 {
		t.Errorf("%q, end %d, err %v", got, r.End(), err)
	}
	r, err = NewReader(f, 0, Words)
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Truncate(3); err != nil {
		t.Fatal(err)
	}
	if got, err := io.ReadAll(r); err != nil || string(got) != "bef" {
		t.Errorf("cut off under the reader: %q, err %v", got, err)
	}
}

func TestNewest(t *testing.T) {
	for want, parts := range map[int64][]part{
		0:       {{text: "whole"}},
		1 << 20: {{"a", 1<<20 - 1}, {text: "b"}},
		3 << 20: {{"a", 1<<20 - 1}, {"b", 2<<20 - 1}, {"c", 1 << 22}},
	} {
		got, err := Newest(logOf(t, parts...))
		if err != nil || got > want || want-got >= 64<<10 { // a block can begin before
			t.Errorf("%v: %d, want %d, err %v", parts, got, want, err)
		}
	}
}

func TestSize(t *testing.T) {
	for n, want := range map[int64]string{0: "0 bytes", 1023: "1023 bytes", 1 << 10: "1.0 KiB", 1288490189: "1.2 GiB", 5 << 40: "5.0 TiB"} {
		if got := Size(n); got != want {
			t.Errorf("%d: %s, want %s", n, got, want)
		}
	}
}

// FuzzReader holds the Reader against the obvious way: all in memory, long runs
// of NUL bytes replaced.
func FuzzReader(f *testing.F) {
	for _, seed := range []string{"", "a", "a\x01b", "\x05\x03x\x02", "\x01\x01\x01", "abc\x04\x04def"} {
		f.Add([]byte(seed), uint16(7))
	}
	f.Fuzz(func(t *testing.T, data []byte, step uint16) {
		// Bytes under 6 stand for runs of NUL bytes of several lengths around the limits.
		var whole []byte
		for _, c := range data[:min(len(data), 64)] {
			if c < 6 {
				whole = append(whole, make([]byte, []int{1, 255, nothing - 1, nothing, 70_000, 300_000}[c])...)
			} else {
				whole = append(whole, c)
			}
		}
		var want []byte
		for rest := whole; len(rest) > 0; {
			run := len(rest) - len(bytes.TrimLeft(rest, "\x00"))
			switch {
			case run >= nothing:
				want = fmt.Appendf(want, "[%d]", run)
			case run > 0:
				want = append(want, rest[:run]...)
			default:
				run = 1
				want = append(want, rest[0])
			}
			rest = rest[run:]
		}
		r := Past(logOf(t, part{text: string(whole)}), func(n int64) string { return fmt.Sprintf("[%d]", n) })
		var got []byte
		for buf := make([]byte, int(step)+1); ; {
			n, err := r.Read(buf)
			got = append(got, buf[:n]...)
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%d bytes, want %d", len(got), len(want))
		}
	})
}
