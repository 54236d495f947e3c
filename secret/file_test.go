package secret

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

const value = "s3cr3t-value-of-20-b"

func redactor(values ...string) *Redactor {
	var r Redactor
	for _, v := range values {
		r.Add(v)
	}
	return &r
}

func TestFileIsRedactedInPlace(t *testing.T) {
	for name, filler := range map[string]string{"words": "lorem ", "lines": "lorem ipsum\n", "one line": "x"} {
		path := filepath.Join(t.TempDir(), "log")
		// The secret stands astride the end of each of the first windows, at the begin and at the end.
		text := bytes.Repeat([]byte(filler), 3*window/len(filler))
		for _, at := range []int{0, window - 7, 2*window - 1, 2*window + overlap - 5, len(text) - len(value)} {
			copy(text[at:], value)
		}
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
		old := time.Now().Add(-time.Hour).Truncate(time.Second)
		if err := os.Chtimes(path, old, old); err != nil {
			t.Fatal(err)
		}
		before, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		if changed, err := redactor(value).File(path); err != nil || !changed {
			t.Fatalf("%s: changed %v, err %v", name, changed, err)
		}
		after, err := os.Stat(path)
		if err != nil || !os.SameFile(before, after) || !after.ModTime().Equal(old) {
			t.Errorf("%s: another file, or of another time: %v, err %v", name, after.ModTime(), err)
		}
		got, err := os.ReadFile(path)
		if want := bytes.ReplaceAll(text, []byte(value), []byte(maskOf(len(value)))); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s: %d bytes, want %d; secret left: %v, err %v", name, len(got), len(want), bytes.Contains(got, []byte("s3cr3t")), err)
		}
		if changed, err := redactor(value).File(path); changed || err != nil {
			t.Errorf("%s: second pass changed %v, err %v", name, changed, err)
		}
	}
}

func TestFileKeepsItsHoles(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	const hole = 1 << 38 // nobody reads that through
	head, tail := "begin "+value+" then "+value[:12], value[7:]+" and "+value+" end"
	pad := strings.Repeat(".", 4096-len(head)) // so that the hole begins where the head ends
	for at, text := range map[int64]string{0: pad + head, hole: tail} {
		if _, err := f.WriteAt([]byte(text), at); err != nil {
			t.Fatal(err)
		}
	}
	if changed, err := redactor(value).File(path); err != nil || !changed {
		t.Fatalf("changed %v, err %v", changed, err)
	}
	read := func(at int64, n int) string {
		b := make([]byte, n)
		if _, err := f.ReadAt(b, at); err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	if got, want := read(int64(len(pad)), len(head)), "begin "+maskOf(len(value))+" then "+maskOf(12); got != want {
		t.Errorf("head %q, want %q", got, want)
	}
	if got, want := read(hole, len(tail)), maskOf(len(value)-7)+" and "+maskOf(len(value))+" end"; got != want {
		t.Errorf("tail %q, want %q", got, want)
	}
	var st unix.Stat_t
	if err := unix.Stat(path, &st); err != nil || st.Size != hole+int64(len(tail)) || st.Blocks*512 > 1<<20 {
		t.Errorf("size %d, %d bytes on disk, err %v", st.Size, st.Blocks*512, err)
	}
}

func TestFileOfAResultStaysJSON(t *testing.T) {
	path := filepath.Join(t.TempDir(), "result.jsonl")
	text := `{"duration": 1.5, "server_info": {"api_key": "unknown-to-us", "keys": {"api_key": ["a-long-one", "b"]}}, "url": "http://u:p@h/"}` + "\n"
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := redactor().File(path); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(path)
	if err != nil || !json.Valid(got) || len(got) != len(text) {
		t.Fatalf("%s, err %v", got, err)
	}
	for _, s := range []string{"unknown-to-us", "a-long-one", `"b"`, "u:p@"} {
		if strings.Contains(string(got), s) {
			t.Errorf("%s is left in %s", s, got)
		}
	}
}

func TestFileThatIsNone(t *testing.T) {
	dir := t.TempDir()
	target, link, pipe := filepath.Join(dir, "target"), filepath.Join(dir, "link"), filepath.Join(dir, "pipe")
	if err := errors.Join(os.WriteFile(target, []byte(value), 0o600), os.Symlink(target, link), unix.Mkfifo(pipe, 0o600)); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{link, pipe, dir} {
		if changed, err := redactor(value).File(path); err == nil || changed {
			t.Errorf("%s: changed %v, err %v", path, changed, err)
		}
	}
	if got, err := os.ReadFile(target); err != nil || string(got) != value {
		t.Errorf("what the link names was changed: %s, err %v", got, err)
	}
}

// FuzzFile: whatever a file holds, no known value is left in it, its length stays,
// what is redacted stays as it is, and text alone gives the same.
func FuzzFile(f *testing.F) {
	for _, s := range []string{"", "abcdef", "xx abcdefabcdef api_key='q'", "api_key=[\"a\", \"b\"]", "--api-key ab --token", "http://u:abcdef@h", "\x00\xff_key=\n", "Bearer abcdefabcdefabcdef sk-"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		path := filepath.Join(t.TempDir(), "f")
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		r := redactor("abcdef", "cdefgh")
		if _, err := r.File(path); err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(path)
		if err != nil || len(got) != len(data) {
			t.Fatalf("%d bytes, before %d, err %v", len(got), len(data), err)
		}
		if bytes.Contains(got, []byte("abcdef")) || bytes.Contains(got, []byte("cdefgh")) {
			t.Errorf("%q became %q", data, got)
		}
		if s := r.String(string(data)); strings.Contains(s, "abcdef") || strings.Contains(s, "cdefgh") {
			t.Errorf("%q became %q", data, s)
		}
		for range 4 { // a mask can bring about a form that was none; it ends
			if changed, err := r.File(path); err != nil {
				t.Fatal(err)
			} else if !changed {
				return
			}
		}
		t.Errorf("%q is never done", data)
	})
}

func BenchmarkFile(b *testing.B) {
	path := filepath.Join(b.TempDir(), "log")
	line := "[2026-11-21 01:02:03 TP0] Decode batch. #running-req: 32, #token: 12345, token usage: 0.12, gen throughput (token/s): 1234.56, #queue-req: 0\n"
	if err := os.WriteFile(path, bytes.Repeat([]byte(line), 64<<20/len(line)), 0o600); err != nil {
		b.Fatal(err)
	}
	r := redactor("one-long-secret", "another-long-secret", "hf_abcdefghijklmnopqrstuv")
	b.SetBytes(64 << 20)
	for b.Loop() {
		if _, err := r.File(path); err != nil {
			b.Fatal(err)
		}
	}
}
