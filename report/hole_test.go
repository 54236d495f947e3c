package report

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestPasteOfACutOutput: the head and the tail of an output whose middle was cut out, and between them what is missing.
func TestPasteOfACutOutput(t *testing.T) {
	note := func(left int64) string { return fmt.Sprintf("[%d]", left) }
	for name, hole := range map[string]int64{"small": 1 << 20, "large": 1 << 40} {
		path := filepath.Join(t.TempDir(), "client.out")
		f, err := os.Create(path)
		if err != nil {
			t.Fatal(err)
		}
		head := strings.Repeat("head\n", 2000)
		if _, err := f.WriteString(head); err != nil {
			t.Fatal(err)
		}
		if _, err := f.WriteAt([]byte("e\ntail\n"), hole); err != nil {
			t.Fatal(err)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
		o, err := openOutput(path)
		if err != nil {
			t.Fatal(err)
		}
		got, err := o.read(note)
		o.file.Close()
		text := strings.ReplaceAll(string(got), "\x00", "")
		if err != nil || !strings.HasPrefix(text, head) || !strings.HasSuffix(text, "\ntail\n") || !strings.Contains(text, "[") || len(got) > len(head)+16<<10 {
			t.Errorf("%s: %d bytes, end %.60q, err %v", name, len(got), text[max(len(text)-60, 0):], err)
		}
	}
}
