package bench

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"servematrix/bench/wire"
)

// unpacked reads a file of requests, whole, as its name says.
func unpacked(t *testing.T, path string) (lines []request) {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var r io.Reader = file
	switch filepath.Ext(path) {
	case ".gz":
		r, err = gzip.NewReader(file)
	case ".zst":
		r, err = zstd.NewReader(file)
	}
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(r)
	if err != nil {
		t.Fatalf("%s is not whole: %v", path, err)
	}
	for scan := bufio.NewScanner(bytes.NewReader(text)); scan.Scan(); {
		var one request
		if err := json.Unmarshal(scan.Bytes(), &one); err != nil {
			t.Fatalf("%q: %v", scan.Text(), err)
		}
		lines = append(lines, one)
	}
	return lines
}

func TestOutputRequests(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { stream(w, r, "USAGE"+done) }))
	defer server.Close()
	for _, name := range []string{"new/r.jsonl", "r.jsonl.gz", "r.jsonl.zst"} {
		path := filepath.Join(t.TempDir(), name)
		s, err := quick(t, server.URL, func(o *Options) { o.OutputRequests, o.Load.RequestRate = path, 1000 })
		if err != nil || s.unwritten != nil {
			t.Fatal(err, s.unwritten)
		}
		lines := unpacked(t, path)
		if len(lines) != 10 {
			t.Fatalf("%s: %d lines", name, len(lines))
		}
		for _, r := range lines {
			if r.Due == nil || *r.Due > r.Start || r.TTFT == nil || r.TPOT == nil || *r.E2E < *r.TTFT || len(r.ITL) != 3 || r.Input != 5 || r.Output != 4 || r.Chunks != 4 || r.Class != "" {
				t.Errorf("%s: %+v", name, r)
			}
		}
	}
}

func TestFailedRequestsAreWritten(t *testing.T) {
	path := filepath.Join(t.TempDir(), "r.jsonl")
	if _, err := quick(t, closedPort(t), func(o *Options) { o.OutputRequests = path }); err != nil {
		t.Fatal(err)
	}
	for _, r := range unpacked(t, path) {
		if r.Class != wire.Refused || r.Error == "" || r.TTFT != nil || r.E2E != nil || r.Due != nil {
			t.Errorf("%+v", r)
		}
	}
}

// An interrupt leaves a file of whole lines with the end that its compression asks for.
func TestInterruptedFileIsWhole(t *testing.T) {
	var ended int
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if ended++; ended == 5 {
			_, _ = io.Copy(io.Discard, r.Body) // so that the server notices that the client has gone
			cancel()
			<-r.Context().Done()
			return
		}
		stream(w, r, "USAGE"+done)
	}))
	defer server.Close()
	path := filepath.Join(t.TempDir(), "r.jsonl.zst")
	opt := options(func(o *Options) {
		o.Wire.BaseURL, o.Wire.Model, o.Dataset.NumPrompts, o.Dataset.RandomInputLen, o.Dataset.RandomOutputLen = server.URL, "m", 100, 5, 4
		o.Load.MaxConcurrency, o.WarmupRequests, o.OutputRequests, o.Dataset.RandomRangeRatio = 1, 0, path, 1
	})
	var stdout, stderr strings.Builder
	if code := Run(ctx, opt, &stdout, &stderr); code != exitInterrupted || !strings.Contains(stdout.String(), "Partial:") {
		t.Errorf("exit code %d\n%s%s", code, stdout.String(), stderr.String())
	}
	if lines := unpacked(t, path); len(lines) != 4 {
		t.Errorf("%d lines of 4 requests that had ended", len(lines))
	}
}

func TestFileOfRequestsThatCannotBeWritten(t *testing.T) {
	if _, err := quick(t, closedPort(t), func(o *Options) { o.OutputRequests = t.TempDir() }); err == nil || !strings.Contains(err.Error(), "--output-requests") {
		t.Errorf("a folder in its place gives %v", err)
	}
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Skip("there is no device that is always full")
	}
	s, err := quick(t, closedPort(t), func(o *Options) { o.OutputRequests = "/dev/full" })
	if err != nil || s.unwritten == nil || s.Metrics.Value("failed") != 10 {
		t.Errorf("%+v, %v", s, err)
	}
}
