package report

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

func TestPlainFileIsReadToItsEnd(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	want := strings.Repeat("0123456789", 1000)
	if err := os.WriteFile(path, []byte(want), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, room := range []int{0, 1, 4096, len(want), 2 * len(want)} {
		f, err := openPlain(path)
		if err != nil {
			t.Fatal(err)
		}
		got, err := f.readInto(make([]byte, 0, room))
		f.close()
		if err != nil || string(got) != want {
			t.Errorf("room for %d: %d bytes, %v", room, len(got), err)
		}
	}
}

// What cannot be read ahead says why, and nothing waits for the other end of a pipe.
func TestOutputAheadOfWhatIsNoPlainFile(t *testing.T) {
	dir := t.TempDir()
	pipe, sparse := filepath.Join(dir, "pipe"), filepath.Join(dir, "sparse")
	if err := unix.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(sparse, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(sparse, aheadMost); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]error{dir: errNotRegular, pipe: errNotRegular, sparse: errLater, filepath.Join(dir, "none"): fs.ErrNotExist} {
		if o := outputAhead(path); !errors.Is(o.err, want) {
			t.Errorf("%s: %v, want %v", path, o.err, want)
		}
	}
}

// A command that came before is written as it was then; what is no command is an error.
func TestCommandLines(t *testing.T) {
	var c commandLines
	for range 2 {
		if line, err := c.of([]byte(`["A"]`), []byte(`{"B":"x y"}`), []byte(`["run","--flag=\u00e9"]`)); err != nil || line != `env -u A B='x y' run --flag=é` {
			t.Errorf("%q, %v", line, err)
		}
		if line, err := c.of(nil, nil, []byte(`["run"]`)); err != nil || line != "run" {
			t.Errorf("%q, %v", line, err)
		}
		if _, err := c.of(nil, nil, []byte(`[1]`)); !errors.Is(err, errUnfit) {
			t.Errorf("err = %v", err)
		}
	}
	if len(c.known) != 2 {
		t.Errorf("%d lines are kept", len(c.known))
	}
}
