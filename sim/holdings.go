package sim

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
)

// holdings is what the faults hold-… make the server hold besides its processes,
// under names like vLLM's. An orderly end gives it back; SIGKILL leaves it.
type holdings []io.Closer

// removedFile is a file that its end removes.
type removedFile struct{ *os.File }

// Close closes and removes the file.
func (f removedFile) Close() error { return errors.Join(f.File.Close(), os.Remove(f.Name())) }

// hold makes what the faults ask for.
func (s *server) hold() error {
	random := func() string {
		var b [8]byte
		_, _ = rand.Read(b[:]) // cannot fail
		return hex.EncodeToString(b[:])
	}
	for range s.faults.count("hold-shm") {
		f, err := os.OpenFile(filepath.Join("/dev/shm", "psm_"+random()), os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
		if err != nil {
			return fmt.Errorf("hold-shm: %w", err)
		}
		s.holdings = append(s.holdings, removedFile{f})
		if err := f.Truncate(1 << 20); err != nil {
			return fmt.Errorf("hold-shm: %w", err)
		}
	}
	for range s.faults.count("hold-port") {
		ln, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return fmt.Errorf("hold-port: %w", err)
		}
		s.holdings = append(s.holdings, ln)
		if s.faults.has("child-holds-port") {
			if err := s.tree.hold(s.opt, ln, s.stdout, s.stderr); err != nil {
				return err
			}
		}
	}
	if s.faults.has("hold-socket") {
		ln, err := net.Listen("unix", filepath.Join(os.TempDir(), random())) // its Close removes the path
		if err != nil {
			return fmt.Errorf("hold-socket: %w", err)
		}
		s.holdings = append(s.holdings, ln)
	}
	return nil
}

// release gives everything back.
func (h holdings) release() {
	for _, c := range h {
		_ = c.Close() // on the way out, with nobody to tell
	}
}
