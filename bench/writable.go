package bench

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// writable tells, before anything is sent, whether the file that a flag names can be written, and
// makes its folder. What a file holds stays, and where none was none is left. Pipes are refused, for
// opening one waits for its reader; what lies in /dev is not.
func writable(flag, path string) error {
	if path == "" {
		return nil
	}
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() && !strings.HasPrefix(path, "/dev/") {
		return fmt.Errorf("cannot write %s: %s: is no regular file", flag, path)
	}
	_, before := os.Lstat(path)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return fmt.Errorf("cannot write %s: %w", flag, err)
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return fmt.Errorf("cannot write %s: %w", flag, err)
	}
	if errors.Is(before, fs.ErrNotExist) {
		_ = os.Remove(path) // an empty one tells nothing
	}
	return f.Close()
}
