package progress

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// How far a client is, by what it has printed so far.
func TestClientsOwnProgress(t *testing.T) {
	lineEach := signs{state: tqdm, request: regexp.MustCompile(`^request \d+ done`), asked: 8}
	for name, c := range map[string]struct {
		by       signs
		out, err string
		want     string
	}{
		"nothing yet":                    {signs{state: tqdm, asked: 500}, "", "", ""},
		"bar of requests":                {signs{state: tqdm, asked: 500}, "", "\r  0%|  | 0/500 [00:00<?, ?it/s]\r 43%|██ | 214/500 [00:20<00:26,  9.9it/s]", "214/500 req"},
		"bar of something else":          {signs{state: tqdm, asked: 500}, "", " 50%|█ | 1/2 [00:00<?, ?it/s]\n", "1/2"},
		"bar without a profile":          {signs{state: tqdm}, "", " 50%|█ | 1/2 [00:00<?, ?it/s]\nwarning: slow\n", "1/2"},
		"by the profile, on stdout":      {signs{state: regexp.MustCompile(`^\s*Run (\d+)/(\d+) \(`)}, "  Run 1/5 (batch size 8)...\n  Run 3/5 (batch size 8)...\n", "Run 9/9 of nothing\n", "3/5"},
		"long output behind a bar":       {signs{state: tqdm}, "", " 50%|█ | 1/2 [00:00<?, ?it/s]\n" + strings.Repeat("x", tailBytes), ""},
		"one line a request":             {lineEach, "starting\nrequest 1 done\nrequest 2 done in 3 s\nrequest 3 do", "request 7 done\n", "3/8 req"},
		"one line a request, none asked": {signs{request: lineEach.request}, "request 1 done\n", "", "1 req"},
		"a client that tells nothing":    {signs{}, "50%| | 1/2 [\n", "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			for file, text := range map[string]string{"client.out": c.out, "client.err": c.err} {
				if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			var w clientOutput
			if got := w.look(time.Unix(100, 0), dir, c.by); got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}

// Lines are counted once each, however a file grows; another attempt begins at none.
func TestRequestsAreCountedOnce(t *testing.T) {
	by := signs{request: regexp.MustCompile(`done$`)}
	var w clientOutput
	first, second := t.TempDir(), t.TempDir()
	now := time.Unix(100, 0)
	for i, c := range []struct {
		dir, add, want string
	}{
		{first, "a done\nb do", "1 req"}, {first, "ne\nc done\n", "3 req"}, {first, "", "3 req"}, {second, "", ""}, {second, "x done\n", "1 req"},
	} {
		f, err := os.OpenFile(filepath.Join(c.dir, "client.out"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.WriteString(c.add); err != nil {
			t.Fatal(err)
		}
		f.Close()
		now = now.Add(lookEvery)
		if got := w.look(now, c.dir, by); got != c.want {
			t.Errorf("look %d: %q, want %q", i, got, c.want)
		}
	}
}
