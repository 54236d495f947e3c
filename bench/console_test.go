package bench

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"servematrix/bench/dataset"
)

// closedPipe is one of which nobody reads until it is opened.
type closedPipe struct {
	opened chan struct{}
	mu     sync.Mutex
	text   strings.Builder
}

func (c *closedPipe) Write(p []byte) (int, error) {
	<-c.opened
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.text.Write(p)
}

// All requests are sent, and the run ends, where nobody reads stderr.
func TestAStderrThatNobodyReadsHoldsNothingUp(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { stream(w, r, "USAGE"+done) }))
	defer server.Close()
	stderr := &closedPipe{opened: make(chan struct{})}
	defer close(stderr.opened)
	var stdout strings.Builder
	code := Run(t.Context(), options(func(o *Options) {
		o.Wire.BaseURL, o.Wire.Model, o.WarmupRequests = server.URL, "m", 0
		o.Dataset.NumPrompts, o.Dataset.RandomInputLen, o.Dataset.RandomOutputLen, o.Dataset.RandomRangeRatio = 10, 5, 4, 1
	}), &stdout, stderr)
	if code != 0 || !strings.Contains(stdout.String(), "Successful requests:                     10 ") {
		t.Errorf("exit code %d\n%s", code, stdout.String())
	}
}

// What was written while nobody read is there when somebody does, in its order.
func TestTheConsoleKeepsWhatNobodyReads(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		pipe := &closedPipe{opened: make(chan struct{})}
		c := &console{w: pipe}
		for _, text := range []string{"a", "b", "c"} {
			_, _ = io.WriteString(c, text)
		}
		if !c.busy() {
			t.Error("nothing waits for its reader")
		}
		close(pipe.opened)
		synctest.Wait()
		if _, _ = io.WriteString(c, "d"); pipe.text.String() != "abcd" || c.busy() {
			t.Errorf("wrote %q", pipe.text.String())
		}
	})
}

// The progress moves while no request ends.
func TestProgressIsDrawnByTheClock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		pipe := &closedPipe{opened: make(chan struct{})}
		close(pipe.opened)
		p := newProgress(&console{w: pipe}, 2)
		p.sent()
		p.sent()
		p.ended(true)
		time.Sleep(3*redrawEvery + redrawEvery/2) // of the bubble's clock
		p.finish()
		lines := strings.Split(pipe.text.String(), "\r")[1:]
		if len(lines) < 4 || !strings.Contains(lines[2], "1/2 [00:01<00:01, ") || !strings.HasSuffix(lines[2], "running=1, failed=1]") || strings.Contains(lines[len(lines)-1], "running") || !strings.HasSuffix(lines[len(lines)-1], "]\n") {
			t.Errorf("%q", lines)
		}
	})
}

// A pipe that nobody writes to is refused, not waited for.
func TestADatasetIsNoPipe(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Skip(err)
	}
	o := options(func(o *Options) { o.Dataset.Name, o.Dataset.DatasetPath = dataset.ShareGPT, path })
	if _, err := Measure(t.Context(), o); err == nil || !strings.Contains(err.Error(), "is no regular file") {
		t.Errorf("a pipe gives %v", err)
	}
}

func TestAnInterruptDoesNotWaitForADataset(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	never := make(chan struct{})
	defer close(never)
	_, err := openSet(ctx, func() (*dataset.Set, error) {
		stop()
		<-never
		return nil, nil
	})
	if !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
