package readiness

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// holed is a log whose middle was cut out: a terabyte that nobody can read through.
func holed(t *testing.T, path, head, tail string) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for at, text := range map[int64]string{0: head, 1 << 40: tail} {
		if _, err := f.WriteAt([]byte(text), at); err != nil {
			t.Fatal(err)
		}
	}
}

func TestDiagnosePastAHole(t *testing.T) {
	path := filepath.Join(t.TempDir(), "server.err")
	holed(t, path, "first\nhalf a li", "ne\nCUDA out of memory\nlast\n")
	d, ok := Diagnose([]string{path}, []Pattern{{Class: "oom", Log: regexp.MustCompile("out of memory")}})
	// The line before the hole and the one behind it are not one, and no line is counted for it.
	if !ok || d.Class != "oom" || d.Line != 3 || d.Message != "CUDA out of memory" {
		t.Errorf("%+v", d)
	}
	if want := []string{"ne", "CUDA out of memory", "last"}; !slices.Equal(d.Tail[max(len(d.Tail)-2, 0):], want[1:]) {
		t.Errorf("tail %q", d.Tail)
	}
	if got := Tail(path, 40); strings.Contains(strings.Join(got, ""), "\x00") || !strings.HasSuffix(strings.Join(got, "|"), "CUDA out of memory|last") {
		t.Errorf("tail %q", got)
	}
}

// TestReadyLineBehindAHole: a writer that outran the reader has had its log cut.
func TestReadyLineBehindAHole(t *testing.T) {
	path := filepath.Join(t.TempDir(), "server.err")
	holed(t, path, "begin\n", rollLine+"\n")
	s := startOn(t, path, Conditions{Log: rollRE}, nil)
	if r := s.ready(); !strings.HasSuffix(r.Line, strings.TrimSpace(rollLine)) {
		t.Errorf("%+v", r)
	}
}
