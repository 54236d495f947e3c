package bench

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
)

// deliveredTo names the server that this binary measures in place of testing, and the output file.
const deliveredTo, deliveredIn = "SERVEMATRIX_TEST_SERVER", "SERVEMATRIX_TEST_FILE"

// Nobody reads stdout, from before the first request on: the load is sent all the same, and the file
// written. Without a file the result is lost, and the exit code says so.
func TestAClosedStdoutLosesNothing(t *testing.T) {
	if url := os.Getenv(deliveredTo); url != "" {
		os.Exit(Run(t.Context(), options(func(o *Options) {
			o.Wire.BaseURL, o.Wire.Model, o.DisableTQDM, o.OutputFile = url, "m", true, os.Getenv(deliveredIn)
			o.Dataset.NumPrompts, o.Dataset.RandomInputLen, o.Dataset.RandomOutputLen, o.Dataset.RandomRangeRatio = 3, 5, 4, 1
		}), os.Stdout, os.Stderr))
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { stream(w, r, "USAGE"+done) }))
	defer server.Close()
	path := filepath.Join(t.TempDir(), "p1.jsonl")
	for _, c := range []struct {
		file, says string
		code       int
	}{
		{path, "cannot print the result, which stands in " + path + ": ", 0},
		{"", "servematrix bench: cannot print the result: ", 1},
	} {
		read, write, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		read.Close()
		var stderr bytes.Buffer
		cmd := exec.Command(os.Args[0], "-test.run=^TestAClosedStdoutLosesNothing$")
		cmd.Env = append(os.Environ(), deliveredTo+"="+server.URL, deliveredIn+"="+c.file)
		cmd.Stdout, cmd.Stderr = write, &stderr
		err = cmd.Run()
		write.Close()
		if code := cmd.ProcessState.ExitCode(); code != c.code || !strings.Contains(stderr.String(), c.says) {
			t.Errorf("%v, want exit code %d and %q: %s", err, c.code, c.says, stderr.String())
		}
	}
	var line struct{ Completed int }
	if data, err := os.ReadFile(path); err != nil || json.Unmarshal(data, &line) != nil || line.Completed != 3 {
		t.Errorf("%v, %s", err, data)
	}
}

func TestFewRequestsServed(t *testing.T) {
	for _, c := range []struct {
		served int64
		says   string
	}{{2, "servematrix bench: only 2 of 6 requests were served: the numbers are of these\n"}, {3, ""}, {6, ""}} {
		var asked atomic.Int64
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if asked.Add(1) > c.served {
				http.Error(w, "gone", http.StatusInternalServerError)
				return
			}
			stream(w, r, "USAGE"+done)
		}))
		var stdout, stderr bytes.Buffer
		code := Run(t.Context(), options(func(o *Options) {
			o.Wire.BaseURL, o.Wire.Model, o.DisableTQDM, o.WarmupRequests, o.Load.MaxConcurrency = server.URL, "m", true, 0, 1
			o.Dataset.NumPrompts, o.Dataset.RandomInputLen, o.Dataset.RandomOutputLen, o.Dataset.RandomRangeRatio = 6, 5, 4, 1
		}), &stdout, &stderr)
		server.Close()
		if code != 0 || !strings.HasSuffix(stderr.String(), c.says) || c.says == "" && strings.Contains(stderr.String(), "were served") {
			t.Errorf("%d served: exit code %d, %s", c.served, code, stderr.String())
		}
	}
}
