package sim

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/spf13/pflag"
)

func TestFaultTable(t *testing.T) {
	fs := pflag.NewFlagSet("sim serve", pflag.ContinueOnError)
	AddFlags(fs, &Options{})
	help := fs.FlagUsages()
	seen := map[string]bool{}
	for _, f := range Faults() {
		if seen[f.Name] || f.Description == "" || !strings.Contains(" start ready running stop ", " "+f.Phase+" ") {
			t.Errorf("%+v", f)
		}
		seen[f.Name] = true
		if !strings.Contains(help, f.Usage()) || !strings.Contains(help, f.Description) {
			t.Errorf("--help does not explain %s", f.Name)
		}
		spec := f.Name
		if f.Arg == "FILE" {
			spec += "=x"
		}
		if _, err := parseFaults([]string{spec}); err != nil {
			t.Error(err)
		}
	}
	if _, err := parseFaults([]string{"ready-twise"}); err == nil || !strings.Contains(err.Error(), "ready-twice") {
		t.Errorf("a slip gives %v", err)
	}
	set, err := parseFaults([]string{"huge-line=3KiB", "die-after=4:SIGSEGV", "exit-late=150ms", "log-flood=2.5", "exit-code=TERM"})
	if err != nil {
		t.Fatal(err)
	}
	n, end, _ := parseCountEnding(set["die-after"])
	if set.size("huge-line") != 3072 || n != 4 || end.signal != syscall.SIGSEGV || set.duration("exit-late") != 150*time.Millisecond ||
		set.rate("log-flood") != 2.5 || set.ending("exit-code", ending{}).exitCode() != 143 {
		t.Errorf("read %v", set)
	}
}

func TestStartFaultsEndTheServer(t *testing.T) {
	for _, c := range []struct {
		style, fault string
		exit         int
		says         string
	}{
		{SGLang, "exit-before-ready=0", 0, "Load weight begin"},
		{SGLang, "exit-before-ready=7", 7, ""},
		{VLLM, "exit-before-ready=SEGV", 139, ""},
		{SGLang, "exit-after-ready=3", 3, "ready to roll!"},
		{VLLM, "exit-after-ready", 1, "Application startup complete."},
		{SGLang, "oom", 137, "CUDA out of memory"},
		{VLLM, "oom", 1, "Engine core initialization failed. See root cause above."},
		{SGLang, "kv-memory", 137, "Not enough memory. Please try to increase --mem-fraction-static"},
		{VLLM, "kv-memory", 1, "No available memory for the cache blocks."},
		{SGLang, "graph", 137, "Capture cuda graph failed:"},
		{SGLang, "model", 1, "is not a valid model identifier"},
		{SGLang, "bad-flag", 2, "unrecognized arguments: --no-such-flag"},
		{VLLM, "bad-flag", 2, "vllm: error: unrecognized arguments"},
		{SGLang, "host-oom", 137, "scheduler died during initialization (exit code: -9)"},
		{SGLang, "shm", 137, "Bus error"},
		{SGLang, "collective", 137, "DistBackendError"},
		{VLLM, "collective", 1, "NCCL error:"},
		{SGLang, "npu", 137, "ERR00100 PTA call acl api failed"},
	} {
		s := launch(t, Options{Style: c.style, Faults: []string{c.fault}}, false)
		code := <-s.exit
		log := s.stdout.String() + s.stderr.String()
		if code != c.exit || !strings.Contains(log, c.says) {
			t.Errorf("%s %s: exit code %d, want %d; log\n%s", c.style, c.fault, code, c.exit, log)
		}
	}
}

func TestFailOnce(t *testing.T) {
	opt := Options{Faults: []string{"fail-once=" + filepath.Join(t.TempDir(), "mark")}}
	if code := <-launch(t, opt, false).exit; code != 1 {
		t.Errorf("the first start gives %d", code)
	}
	ready(t, opt)
	opt.Faults = []string{"fail-once=/no/such/folder/mark"}
	s := launch(t, opt, false)
	if code := <-s.exit; code != 1 || !strings.Contains(s.stderr.String(), "cannot leave the mark") {
		t.Errorf("a mark that cannot be left: %d\n%s", code, s.stderr.String())
	}
}

func TestReadyLines(t *testing.T) {
	const line = "The server is fired up and ready to roll!"
	for _, c := range []struct {
		fault string
		holds func(log string) bool
	}{
		{"ready-twice", func(log string) bool { return strings.Count(log, line+"\n") == 2 }},
		{"ready-in-config", func(log string) bool {
			return strings.Count(log, line) == 2 && strings.Index(log, line) < strings.Index(log, "Load weight begin")
		}},
		{"ready-no-newline", func(log string) bool { return strings.HasSuffix(log, line) }},
		{"ready-after-cr", func(log string) bool { return strings.Contains(log, "\r[") && strings.Contains(log, line+"\n") }},
		{"ready-split=20ms", func(log string) bool { return strings.Contains(log, line+"\n") }},
		{"ready-ansi", func(log string) bool { return !strings.Contains(log, line) && strings.Contains(log, "\x1b[1;36m") }},
		{"ready-nul", func(log string) bool { return strings.Contains(log, "\x00\x00[") && strings.Contains(log, line) }},
		{"ready-invalid-utf8", func(log string) bool { return strings.Contains(log, "\xff\xfe\xc3 [") && strings.Contains(log, line) }},
		{"huge-line=300000", func(log string) bool { return strings.Contains(log, strings.Repeat("x", 300000)+"\n") }},
	} {
		s := ready(t, Options{Faults: []string{c.fault}})
		if log := s.stderr.String(); !c.holds(log) {
			t.Errorf("%s: log\n%.3000q", c.fault, log)
		}
	}
}

// writes records what was written, and when.
type writes struct {
	output
	parts []string
}

func (w *writes) Write(p []byte) (int, error) {
	w.mu.Lock()
	w.parts = append(w.parts, string(p))
	w.mu.Unlock()
	return w.output.Write(p)
}

func TestReadySplitIsSeveralWrites(t *testing.T) {
	var stderr writes
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	exit := make(chan int)
	go func() {
		exit <- Serve(ctx, Options{InProcess: true, Port: -1, Startup: -1, Faults: []string{"ready-split=1ms"}}, io.Discard, &stderr)
	}()
	eventually(t, "the line", func() bool { return strings.Contains(stderr.String(), "ready to roll!\n") })
	cancel()
	<-exit
	whole := strings.Join(stderr.parts, "\x1e")
	inOrder(t, whole, `\d\d:\d\d\] [A-Z][^\n]*\x1e[^\n]*\x1e[^\n]*roll!\n`)
}

func TestNeverReady(t *testing.T) {
	for _, style := range []string{SGLang, VLLM} {
		s := launch(t, Options{Style: style, Faults: []string{"never-ready"}}, true)
		if status := s.status("GET", "/health"); status != 503 {
			t.Errorf("%s: /health says %d", style, status)
		}
		s.stop()
		if log := s.stderr.String(); strings.Contains(log, "ready to roll") || style == VLLM && strings.Contains(log, "Application startup complete") {
			t.Errorf("%s is ready:\n%s", style, log)
		}
	}
	s := launch(t, Options{Faults: []string{"silent"}}, true)
	s.stop()
	if log := s.stdout.String() + s.stderr.String(); log != "" {
		t.Errorf("silent, but %q", log)
	}
}

func TestReadyButUnhealthy(t *testing.T) {
	s := launch(t, Options{Faults: []string{"ready-503"}}, true)
	eventually(t, "the ready line", func() bool { return strings.Contains(s.stderr.String(), "ready to roll!") })
	if status := s.status("GET", "/health"); status != 503 {
		t.Errorf("/health says %d", status)
	}

	s = launch(t, Options{Faults: []string{"http-hangs"}}, true)
	eventually(t, "the ready line", func() bool { return strings.Contains(s.stderr.String(), "ready to roll!") })
	client := http.Client{Timeout: 100 * time.Millisecond}
	var timeout net.Error
	if _, err := client.Get(s.url + "/health"); !errors.As(err, &timeout) || !timeout.Timeout() {
		t.Errorf("a hanging server gives %v", err)
	}

	for _, style := range []string{SGLang, VLLM} {
		s = launch(t, Options{Style: style, Faults: []string{"no-listen"}}, false)
		eventually(t, "the ready line", func() bool { return strings.Contains(s.stderr.String(), readyText(style)) })
		s.stop()
	}
}

func TestLogFileFaults(t *testing.T) {
	for _, fault := range []string{"log-truncate", "log-delete"} {
		path := filepath.Join(t.TempDir(), "server.log")
		log, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(context.Background())
		listens := make(chan net.Addr, 1)
		exit := make(chan int)
		go func() {
			exit <- Serve(ctx, Options{InProcess: true, Port: -1, Startup: -1, Style: VLLM, Faults: []string{fault}, OnListen: func(a net.Addr) { listens <- a }}, log, log)
		}()
		<-listens // vLLM listens after its ready line
		text, err := os.ReadFile(path)
		switch {
		case fault == "log-delete" && !os.IsNotExist(err):
			t.Errorf("the log is still there: %v", err)
		case fault == "log-truncate" && (err != nil || bytes.Contains(text, []byte("non-default args")) || !bytes.HasSuffix(text, []byte("Application startup complete.\n"))):
			t.Errorf("the log holds %q (%v)", text, err)
		}
		cancel()
		<-exit
		log.Close()
	}
}

func TestRequestFaults(t *testing.T) {
	const stream = `{"prompt":"x","max_tokens":10,"ignore_eos":true,"stream":true,"stream_options":{"include_usage":true}}`
	s := ready(t, Options{Faults: []string{"http-500=2"}})
	for i, want := range []int{200, 500, 200, 500} {
		if status, _ := s.post("/v1/completions", `{"prompt":"x"}`); status != want {
			t.Errorf("request %d: %d", i+1, status)
		}
	}
	s = ready(t, Options{Faults: []string{"truncate"}})
	if events := s.events("/v1/completions", stream); len(events) == 0 || strings.Contains(strings.Join(events, ""), "[DONE]") {
		t.Errorf("truncated: %q", events)
	}
	s = ready(t, Options{Style: VLLM, Faults: []string{"error-chunk"}})
	if events := s.events("/v1/completions", stream); len(events) < 2 || !strings.Contains(events[len(events)-2], `"error"`) || events[len(events)-1] != "[DONE]" {
		t.Errorf("error in the midst: %q", events)
	}
	s = ready(t, Options{Faults: []string{"wrong-usage"}})
	if _, answer := s.post("/v1/completions", `{"prompt":"x","max_tokens":10,"ignore_eos":true}`); answer["usage"].(map[string]any)["completion_tokens"] != 5.0 {
		t.Errorf("usage %v", answer["usage"])
	}
	s = ready(t, Options{Faults: []string{"reset"}})
	for _, body := range []string{stream, `{"prompt":"x"}`} {
		response, err := http.Post(s.url+"/v1/completions", "application/json", strings.NewReader(body))
		if err == nil {
			_, err = io.ReadAll(response.Body)
			response.Body.Close()
		}
		if !errors.Is(err, syscall.ECONNRESET) {
			t.Errorf("reset gives %v", err)
		}
	}
}

func TestDieAfter(t *testing.T) {
	s := ready(t, Options{Faults: []string{"die-after=3:9"}})
	for range 2 {
		s.post("/v1/completions", `{"prompt":"x"}`)
	}
	if response, err := http.Post(s.url+"/v1/completions", "application/json", strings.NewReader(`{"prompt":"x"}`)); err == nil {
		response.Body.Close()
		t.Errorf("the third request was answered: %s", response.Status)
	}
	if code := <-s.exit; code != 9 {
		t.Errorf("exit code %d", code)
	}
}

func TestStall(t *testing.T) {
	s := ready(t, Options{Faults: []string{"stall=2"}})
	s.post("/v1/completions", `{"prompt":"x"}`)
	client := http.Client{Timeout: 300 * time.Millisecond}
	if response, err := client.Post(s.url+"/v1/completions", "application/json", strings.NewReader(`{"prompt":"x"}`)); err == nil {
		response.Body.Close()
		t.Error("the second request was answered")
	}
	if status := s.status("GET", "/health"); status != 200 {
		t.Errorf("/health says %d", status)
	}
}

func TestLogFlood(t *testing.T) {
	s := ready(t, Options{Faults: []string{"log-flood=20"}})
	began, before := time.Now(), len(s.stderr.String())
	eventually(t, "4 MB of log", func() bool { return len(s.stderr.String()) > before+4_000_000 })
	if took := time.Since(began); took < 100*time.Millisecond {
		t.Errorf("4 MB at 20 MB/s came in %v", took)
	}
}

func TestUsageShowsTheArgument(t *testing.T) {
	for want, f := range map[string]Fault{
		"a": {Name: "a"}, "b=FILE": {Name: "b", Arg: "FILE"}, "c[=N] (default 1)": {Name: "c", Arg: "N", Default: "1"},
	} {
		if got := f.Usage(); got != want {
			t.Errorf("%s: %s", fmt.Sprint(f), got)
		}
	}
}
