package result

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"servematrix/engine"
)

// What lies behind the bound of a file may be its summary, so nothing of such a file is taken.
func TestATableBeyondTheBoundIsRefused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "result.csv")
	rows := "a\n1\n" + strings.Repeat(strings.Repeat(" ", 1<<20-1)+"\n", maxFile>>20)
	for _, c := range []struct {
		size int
		says string
	}{{maxFile, ""}, {maxFile + 1, "it is larger than 64 MiB"}} {
		if err := os.WriteFile(path, []byte(rows[:c.size]), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := readTree(path, &engine.Layout{}, nil)
		switch {
		case c.says == "" && err != nil:
			t.Errorf("%d bytes: %v", c.size, err)
		case c.says != "" && (err == nil || !strings.Contains(err.Error(), c.says)):
			t.Errorf("%d bytes: %v, want %q", c.size, err, c.says)
		}
	}
}
