package readiness

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var (
	rollLine = "[2026-11-21 03:58:22] The server is fired up and ready to roll!"
	rollRE   = regexp.MustCompile(`^(?:\[[^\]]*\]\s*)?The server is fired up and ready to roll!$`)
	failures = []Pattern{
		{Class: "oom", Log: regexp.MustCompile(`CUDA out of memory`)},
		{Class: "port_busy", Log: regexp.MustCompile(`error while attempting to bind on address`), Fatal: true},
		{Class: "start_failed", Log: regexp.MustCompile(`Received sigquit from a child process`)},
	}
)

// long is a limit that no passing test reaches.
const long = 20 * time.Second

type outcome struct {
	ready Ready
	err   error
}

// server is a log that a test writes and a Wait that reads it.
type server struct {
	t      *testing.T
	log    *os.File
	exit   chan struct{}
	result chan outcome
}

// start begins to wait on a new, empty log.
func start(t *testing.T, c Conditions, change func(*Target)) *server {
	t.Helper()
	path := filepath.Join(t.TempDir(), "server.log")
	return startOn(t, path, c, change)
}

func startOn(t *testing.T, path string, c Conditions, change func(*Target)) *server {
	t.Helper()
	log, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_RDWR, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { log.Close() })
	s := &server{t: t, log: log, exit: make(chan struct{}), result: make(chan outcome, 1)}
	if c.Timeout == 0 {
		c.Timeout = long
	}
	if c.Failures == nil {
		c.Failures = failures
	}
	target := Target{Logs: []string{path}, Exited: s.exit}
	if change != nil {
		change(&target)
	}
	go func() {
		r, err := Wait(t.Context(), c, target)
		s.result <- outcome{r, err}
	}()
	return s
}

func (s *server) write(text string) *server {
	s.t.Helper()
	if _, err := s.log.WriteString(text); err != nil {
		s.t.Fatal(err)
	}
	return s
}

// pending fails the test when Wait has returned; it gives Wait time to make
// the mistake, and a pass does not depend on the time.
func (s *server) pending() *server {
	s.t.Helper()
	select {
	case o := <-s.result:
		s.t.Fatalf("Wait returned early: %+v", o)
	case <-time.After(60 * time.Millisecond):
	}
	return s
}

func (s *server) ready() Ready {
	s.t.Helper()
	o := <-s.result
	if o.err != nil {
		s.t.Fatalf("not ready: %v", o.err)
	}
	return o.ready
}

func (s *server) failure(class string) *Failure {
	s.t.Helper()
	o := <-s.result
	var f *Failure
	if !errors.As(o.err, &f) {
		s.t.Fatalf("want a failure, got %+v", o)
	}
	if f.Class != class {
		s.t.Fatalf("class %q (%v), want %q", f.Class, f, class)
	}
	return f
}

func TestReadyLine(t *testing.T) {
	for name, write := range map[string][]string{
		"whole line":           {rollLine + "\n"},
		"CRLF":                 {rollLine + "\r\n"},
		"no newline":           {rollLine},
		"after a progress bar": {"Loading:  10%|#  | 1/10 [00:01\rLoading: 100%|###| 10/10 [00:09\r" + rollLine + "\r"},
		"split over writes":    {rollLine[:30], rollLine[30:60], rollLine[60:], "\n"},
		"colours":              {"\x1b[32m" + rollLine[:22] + "\x1b[0m" + rollLine[22:] + "\x1b[K\n"},
		"window title before":  {"\x1b]0;title\x07" + rollLine + "\n"},
		"NUL":                  {"\x00\x00" + rollLine + "\x00\n"},
		"invalid UTF-8 before": {"\xff\xfe\xc3(\n" + rollLine + "\n"},
		"printed twice":        {rollLine + "\n" + rollLine + "\n"},
		"many lines before":    {strings.Repeat("noise\n", 100_000) + rollLine + "\n"},
	} {
		t.Run(name, func(t *testing.T) {
			s := start(t, Conditions{Log: rollRE}, nil)
			for _, part := range write {
				s.write(part)
			}
			r := s.ready()
			if r.Line != rollLine || !slices.Equal(r.By, []string{"log"}) || r.At.IsZero() {
				t.Errorf("got %+v", r)
			}
		})
	}
}

func TestReadyLineNumberAndFile(t *testing.T) {
	dir := t.TempDir()
	out, err := filepath.Join(dir, "out.log"), filepath.Join(dir, "err.log")
	s := startOn(t, err, Conditions{Log: rollRE}, func(target *Target) { target.Logs = []string{out, err} })
	s.write("one\ntwo\r\nbar 1\rbar 2\rbar 3\n" + rollLine + "\n")
	if r := s.ready(); r.LineNo != 4 || r.File != err {
		t.Errorf("got %s:%d, want %s:4", r.File, r.LineNo, err)
	}
}

func TestLogAppearsLate(t *testing.T) {
	path := filepath.Join(t.TempDir(), "later.log")
	s := start(t, Conditions{Log: rollRE}, func(target *Target) { target.Logs = []string{path} })
	s.pending()
	if err := os.WriteFile(path, []byte(rollLine+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s.ready()
}

func TestNotReady(t *testing.T) {
	echo := "server_args=ServerArgs(model='tiny', note='The server is fired up and ready to roll!', port=30000)\n"
	for name, text := range map[string]string{
		"line never":                       "Load weight begin.\n",
		"inside the configuration echo":    echo,
		"echo that ends with it":           "argv: --note The server is fired up and ready to roll!\n",
		"half a line":                      rollLine[:40],
		"half a configuration echo (torn)": echo[:strings.Index(echo, "', port")],
	} {
		t.Run(name, func(t *testing.T) {
			s := start(t, Conditions{Log: rollRE, Timeout: 80 * time.Millisecond}, nil)
			f := s.write(text).failure(ReadyTimeout)
			if !strings.Contains(f.Message, "no log line matched") || len(f.Tail) != 1 {
				t.Errorf("got %+v", f)
			}
		})
	}
}

func TestCount(t *testing.T) {
	s := start(t, Conditions{Log: rollRE, Count: 2}, nil)
	s.write(rollLine).pending() // tested as an unfinished line, and must not count again when it ends
	s.write("\n").pending()
	s.write(rollLine + "\n").ready()
}

func TestStaleLogOfAnEarlierAttempt(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "server.log.1"), []byte(rollLine+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s := startOn(t, filepath.Join(dir, "server.log"), Conditions{Log: rollRE}, nil)
	s.pending().write(rollLine + "\n").ready()
}

func TestLogTruncated(t *testing.T) {
	s := start(t, Conditions{Log: rollRE}, nil)
	s.write(strings.Repeat("a line of the old log\n", 1000)).pending()
	if err := s.log.Truncate(0); err != nil {
		t.Fatal(err)
	}
	s.write("first\n" + rollLine + "\n")
	if r := s.ready(); r.LineNo != 2 {
		t.Errorf("line %d, want 2", r.LineNo)
	}
}

func TestLogDeleted(t *testing.T) {
	s := start(t, Conditions{Log: rollRE}, nil)
	s.write("one\n").pending()
	if err := os.Remove(s.log.Name()); err != nil {
		t.Fatal(err)
	}
	s.write(rollLine + "\n").ready() // the server still writes to the file it has open
}

func TestLogReplaced(t *testing.T) {
	s := start(t, Conditions{Log: rollRE}, nil)
	s.write("one\n").pending()
	fresh := s.log.Name() + ".new"
	if err := os.WriteFile(fresh, []byte(rollLine+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(fresh, s.log.Name()); err != nil {
		t.Fatal(err)
	}
	if r := s.ready(); r.LineNo != 1 {
		t.Errorf("line %d, want 1", r.LineNo)
	}
}

func TestHugeLine(t *testing.T) {
	if testing.Short() {
		t.Skip("writes 100 MiB")
	}
	s := start(t, Conditions{Log: rollRE}, nil)
	chunk := strings.Repeat("x", 1<<20)
	for range 100 {
		s.write(chunk)
	}
	s.write("\n" + rollLine + "\n")
	if r := s.ready(); r.LineNo != 2 {
		t.Errorf("line %d, want 2", r.LineNo)
	}
}

func TestExit(t *testing.T) {
	for name, c := range map[string]struct {
		text, class, message string
		line                 int
	}{
		"silently":              {"", "start_failed", "the server ended before it was ready", 0},
		"with a cause":          {"a\nb\ntorch.OutOfMemoryError: CUDA out of memory. Tried\nz\n", "oom", "torch.OutOfMemoryError: CUDA out of memory. Tried", 3},
		"cause after effect":    {"Received sigquit from a child process\nCUDA out of memory\n", "oom", "CUDA out of memory", 2},
		"right after its line":  {rollLine + "\n", "start_failed", "the server ended before it was ready", 0},
		"cause without newline": {"\x1b[31mCUDA out of memory", "oom", "CUDA out of memory", 1},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, "server.log")
			if err := os.WriteFile(path, []byte(c.text), 0o600); err != nil {
				t.Fatal(err)
			}
			s := startOn(t, path, Conditions{Log: rollRE, TCP: "127.0.0.1:1"}, nil)
			close(s.exit)
			f := s.failure(c.class)
			if f.Message != c.message || f.Line != c.line || f.Err == nil {
				t.Errorf("got %+v", f)
			}
		})
	}
}

func TestCauseWrittenAfterExit(t *testing.T) {
	s := start(t, Conditions{Log: rollRE}, nil)
	s.write("Received sigquit from a child process\n").pending()
	close(s.exit)
	s.write("CUDA out of memory\n")
	s.failure("oom")
}

func TestFatalLineEndsTheWaitAtOnce(t *testing.T) {
	s := start(t, Conditions{Log: rollRE}, nil)
	s.write("ok\nERROR: [Errno 98] error while attempting to bind on address ('127.0.0.1', 30000)\n")
	f := s.failure("port_busy")
	if f.Line != 2 || len(f.Tail) != 2 {
		t.Errorf("got %+v", f)
	}
}

func TestOtherPatternsOnlyClassify(t *testing.T) {
	s := start(t, Conditions{Log: rollRE}, nil)
	s.write("CUDA out of memory, trying a smaller batch\n").pending()
	s.write(rollLine + "\n").ready()
}

func TestDeadlineKeepsItsNameUnlessTheLogKnowsBetter(t *testing.T) {
	for text, class := range map[string]string{
		"nothing\n": ReadyTimeout,
		"Received sigquit from a child process\n": ReadyTimeout,
		"CUDA out of memory\n":                    "oom",
	} {
		s := start(t, Conditions{Log: rollRE, Timeout: 80 * time.Millisecond}, nil)
		f := s.write(text).failure(class)
		if !strings.Contains(f.Err.Error(), "not ready after 80ms") {
			t.Errorf("got %v", f.Err)
		}
	}
}

func TestSilence(t *testing.T) {
	s := start(t, Conditions{Log: rollRE, Silence: 100 * time.Millisecond}, nil)
	begin := time.Now()
	for range 10 { // output every 30 ms keeps the wait alive past the limit
		s.write("still loading\n")
		select {
		case o := <-s.result:
			t.Fatalf("ended although the log grew: %+v", o)
		case <-time.After(30 * time.Millisecond):
		}
	}
	f := s.failure(Silent)
	if took := time.Since(begin); took < 370*time.Millisecond {
		t.Errorf("ended after %v", took)
	}
	if len(f.Tail) != 10 {
		t.Errorf("tail has %d lines", len(f.Tail))
	}
}

func TestCancel(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	why := errors.New("the user pressed Ctrl-C")
	cancel(why)
	_, err := Wait(ctx, Conditions{Log: rollRE}, Target{})
	var f *Failure
	if !errors.Is(err, why) || errors.As(err, &f) {
		t.Errorf("got %v", err)
	}
}

func TestNothingAsked(t *testing.T) {
	if _, err := Wait(t.Context(), Conditions{}, Target{}); err == nil {
		t.Error("no error")
	}
}

// web answers with what handler says; it counts requests.
func web(t *testing.T, handler func(n int64, w http.ResponseWriter, r *http.Request)) (*httptest.Server, *atomic.Int64) {
	var n atomic.Int64
	ts := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { handler(n.Add(1), w, r) }))
	t.Cleanup(ts.Close)
	return ts, &n
}

func TestHTTP(t *testing.T) {
	ts, n := web(t, func(n int64, w http.ResponseWriter, _ *http.Request) {
		if n < 4 {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	})
	s := start(t, Conditions{Log: rollRE, HTTP: ts.URL + "/health"}, nil)
	s.pending()
	if got := n.Load(); got != 0 {
		t.Fatalf("asked %d times before the line", got)
	}
	s.write(rollLine + "\n")
	if r := s.ready(); !slices.Equal(r.By, []string{"log", "http"}) || n.Load() != 4 {
		t.Errorf("by %v after %d requests", r.By, n.Load())
	}
}

func TestHTTPThreshold(t *testing.T) {
	ts, n := web(t, func(n int64, w http.ResponseWriter, _ *http.Request) {
		if n == 3 {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	})
	s := start(t, Conditions{HTTP: ts.URL, HTTPThreshold: 3}, nil)
	s.ready()
	if got := n.Load(); got != 6 { // ok ok 503 ok ok ok
		t.Errorf("%d requests", got)
	}
}

func TestReadyLineThen503(t *testing.T) {
	ts, _ := web(t, func(_ int64, w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusServiceUnavailable) })
	s := start(t, Conditions{Log: rollRE, HTTP: ts.URL + "/health", Timeout: 200 * time.Millisecond}, nil)
	f := s.write(rollLine + "\n").failure(ReadyTimeout)
	if !strings.Contains(f.Message, "503") {
		t.Errorf("message %q does not tell the status", f.Message)
	}
}

func TestRedirectIsNoAnswer(t *testing.T) {
	ts, _ := web(t, func(_ int64, w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/login" {
			http.Redirect(w, r, "/login", http.StatusFound)
		}
	})
	s := start(t, Conditions{HTTP: ts.URL + "/health", Timeout: 150 * time.Millisecond}, nil)
	if f := s.failure(ReadyTimeout); !strings.Contains(f.Message, "302") {
		t.Errorf("message %q", f.Message)
	}
}

func TestHangingHTTPDoesNotHideTheExit(t *testing.T) {
	hang := make(chan struct{})
	asked := make(chan struct{}, 100)
	ts, _ := web(t, func(int64, http.ResponseWriter, *http.Request) {
		asked <- struct{}{}
		<-hang
	})
	defer close(hang)
	s := start(t, Conditions{HTTP: ts.URL}, nil)
	<-asked
	begin := time.Now()
	close(s.exit)
	s.failure(StartFailed)
	if took := time.Since(begin); took > probeLimit/2 {
		t.Errorf("the exit was seen after %v", took)
	}
}

func TestProxyIsNotUsed(t *testing.T) {
	proxy, n := web(t, func(int64, http.ResponseWriter, *http.Request) {})
	t.Setenv("HTTP_PROXY", proxy.URL)
	t.Setenv("http_proxy", proxy.URL)
	s := start(t, Conditions{HTTP: "http://servematrix.invalid/health", Timeout: 100 * time.Millisecond}, nil)
	s.failure(ReadyTimeout)
	if n.Load() != 0 {
		t.Error("the proxy was asked")
	}
}

func TestTCP(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := l.Addr().String()
	l.Close()
	s := start(t, Conditions{TCP: addr}, nil)
	s.pending()
	if l, err = net.Listen("tcp", addr); err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if r := s.ready(); !slices.Equal(r.By, []string{"tcp"}) {
		t.Errorf("by %v", r.By)
	}
}

func TestListenerOfAStranger(t *testing.T) {
	s := start(t, Conditions{Log: rollRE}, func(target *Target) {
		target.Owns = func() error { return errors.New("port 30000 is held by pid 77 (sglang)") }
	})
	f := s.write(rollLine + "\n").failure(PortBusy)
	if diff := cmp.Diff("port 30000 is held by pid 77 (sglang)", f.Message); diff != "" {
		t.Error(diff)
	}
}

func TestListensAMomentAfterItsLine(t *testing.T) {
	var asked atomic.Int64
	s := start(t, Conditions{Log: rollRE}, func(target *Target) {
		target.Owns = func() error {
			if asked.Add(1) < 5 {
				return fmt.Errorf("port 30000: %w", ErrNotListening)
			}
			return nil
		}
	})
	s.write(rollLine + "\n").ready()
	if asked.Load() != 5 {
		t.Errorf("asked %d times", asked.Load())
	}
}

func TestDeadAfterItsLine(t *testing.T) {
	s := start(t, Conditions{Log: rollRE}, func(target *Target) {
		target.Exited, target.Alive = nil, func() bool { return false }
	})
	s.write(rollLine + "\n").failure(StartFailed)
}

func TestNothingReadsTheLogAfterReady(t *testing.T) {
	s := start(t, Conditions{Log: rollRE}, nil)
	s.write(rollLine + "\n").ready()
	fds, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Skip("no /proc here")
	}
	for _, fd := range fds {
		name, err := os.Readlink("/proc/self/fd/" + fd.Name())
		if err != nil {
			continue
		}
		if name == s.log.Name() && fd.Name() != fmt.Sprint(s.log.Fd()) {
			t.Errorf("descriptor %s still reads %s", fd.Name(), name)
		}
	}
}
