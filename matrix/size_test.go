package matrix

import (
	"fmt"
	"strings"
	"testing"
)

func TestLogLimit(t *testing.T) {
	for text, want := range map[string]string{
		"512MiB": "512MiB", "2GiB": "2GiB", "0": "0", "1.5GiB": "1536MiB", "3 MiB": "3MiB", "1048577B": "1048577B", "2048KiB": "2MiB", "2TiB": "2TiB",
		"2":     `needs a unit: 2 of what?`,
		"-1":    `must be a size, not "-1"`,
		"2GB":   `must be a size, not "2GB"`,
		"big":   `must be a size, not "big"`,
		"1KiB":  "must be 0 (none) or at least 1MiB, not 1KiB",
		"-1GiB": "cannot be -1GiB",
		"1e99B": "cannot be 1e99B",
		"NaNB":  "cannot be NaNB",
		"[1]":   "must be a single value",
	} {
		p, problems := Parse("s.yaml", []byte("version: 1\nserver: {command: run}\nclient: {command: bench}\nrun: {log_limit: "+text+"}\n"), testOptions)
		if p == nil {
			if got := problems.Error(); !strings.Contains(got, want) || !strings.HasPrefix(got, "s.yaml:4:18") {
				t.Errorf("%s: %v, want %s", text, got, want)
			}
			continue
		}
		written := p.Run.LogLimit.String()
		var again Size
		if err := again.UnmarshalText([]byte(written)); written != want || err != nil || again != p.Run.LogLimit {
			t.Errorf("%s: written %s, want %s; read again %d, err %v", text, written, want, again, err)
		}
	}
	var s Size
	if err := s.UnmarshalText([]byte("much")); err == nil || fmt.Sprint(err) != `"much": it must be a size, not "much"` {
		t.Error(err)
	}
}
