package process

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"golang.org/x/sys/unix"
)

// TestNoRemovalWithoutALease: what nobody can be asked about may be in use in another container.
func TestNoRemovalWithoutALease(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("needs a file of another user that may be opened")
	}
	path := filepath.Join(t.TempDir(), "segment")
	if err := os.WriteFile(path, []byte("x"), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.Chown(path, 1, 1); err != nil {
		t.Fatal(err)
	}
	o, _, ok := objectAt(ObjectFile, path)
	if !ok {
		t.Fatal("no object")
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	restore := dropCapability(t, unix.CAP_LEASE)
	removed, err := o.Remove()
	used := o.InUse()
	restore()
	if removed || err == nil || errors.Is(err, ErrInUse) || !errors.Is(err, unix.EACCES) || !used {
		t.Errorf("removed %v, in use %v: %v", removed, used, err)
	}
	if removed, err := o.Remove(); !removed || err != nil {
		t.Errorf("with the capability: %v, %v", removed, err)
	}
}

// dropCapability takes a capability from this thread alone.
func dropCapability(t *testing.T, c uint) (restore func()) {
	t.Helper()
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var before [2]unix.CapUserData
	if err := unix.Capget(&header, &before[0]); err != nil {
		t.Fatal(err)
	}
	after := before
	after[c/32].Effective &^= 1 << (c % 32)
	if err := unix.Capset(&header, &after[0]); err != nil {
		t.Fatal(err)
	}
	return func() {
		if err := unix.Capset(&header, &before[0]); err != nil {
			t.Error(err)
		}
	}
}
