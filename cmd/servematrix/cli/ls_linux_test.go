package cli

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// TestLsNamesWhatItCannotRead: a run of another user is listed with the reason, not left out.
func TestLsNamesWhatItCannotRead(t *testing.T) {
	dir := t.TempDir()
	if err := os.Chmod(filepath.Dir(dir), 0o755); err != nil {
		t.Fatal(err)
	}
	run := filepath.Join(dir, "runs", "night-20260102T030405Z")
	if err := os.MkdirAll(run, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(run, 0); err != nil {
		t.Fatal(err)
	}
	if os.Geteuid() == 0 { // who may look everywhere: this thread does so as somebody else
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		if _, err := unix.SetfsuidRetUid(65534); err != nil {
			t.Fatal(err)
		}
		defer unix.SetfsuidRetUid(0)
	}
	var out strings.Builder
	if err := ls(Env{Dir: dir, Stdout: &out}, "runs", false, "text"); err != nil {
		t.Fatal(err)
	}
	if s := out.String(); !strings.Contains(s, "runs/night-20260102T030405Z") || !strings.Contains(s, "permission denied") {
		t.Errorf("%q", s)
	}
}
