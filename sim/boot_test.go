package sim

import (
	"encoding/json"
	"errors"
	"net"
	"regexp"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// inOrder checks that the patterns match text one after another.
func inOrder(t *testing.T, text string, patterns ...string) {
	t.Helper()
	rest := text
	for _, p := range patterns {
		at := regexp.MustCompile(p).FindStringIndex(rest)
		if at == nil {
			t.Fatalf("%q does not follow in\n%s", p, text)
		}
		rest = rest[at[1]:]
	}
}

func TestStartUpLogs(t *testing.T) {
	s := ready(t, Options{})
	inOrder(t, s.stderr.String(), `^servematrix sim: this is servematrix's simulated server`, `\[\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\] server_args=ServerArgs\(`,
		`Load weight begin`, `Load weight end`, `KV Cache is allocated`, `INFO:     Application startup complete\.\n`, `INFO:     Uvicorn running on http://127.0.0.1:\d+ `,
		`Prefill batch, #new-seq: 1`, `\] The server is fired up and ready to roll!\n`)
	inOrder(t, s.stdout.String(), `"GET /model_info HTTP/1.1" 200 OK`, `"POST /generate HTTP/1.1" 200 OK`, `"GET /health HTTP/1.1" (200 OK|503 Service Unavailable)`)

	s = ready(t, Options{Style: VLLM})
	inOrder(t, s.stdout.String(), `\(APIServer pid=\d+\) INFO \d\d-\d\d \d\d:\d\d:\d\d \[.*\] non-default args:`, `\(EngineCore pid=\d+\).*Initializing a V1 LLM engine`,
		`GPU KV cache size: 262,144 tokens`, `Starting vLLM server on http://127.0.0.1:\d+\n`, `Route: /v1/completions, Methods: POST`, `\nINFO:     127.0.0.1:\d+ - "GET /health HTTP/1.1" 200 OK`)
	inOrder(t, s.stderr.String(), `^servematrix sim:`, `INFO:     Started server process \[\d+\]\n`, `INFO:     Waiting for application startup.\n`, `INFO:     Application startup complete\.\n`)
}

func TestStopWaitsForAnswersOrAbortsThem(t *testing.T) {
	s := ready(t, Options{})
	done := make(chan []string, 1)
	go func() {
		done <- s.events("/v1/completions", `{"prompt":"x","max_tokens":60,"ignore_eos":true,"stream":true}`)
	}()
	eventually(t, "a running request", func() bool {
		_, info := s.do("GET", "/metrics", "")
		return strings.Contains(string(info), `num_running_reqs{model_name="simulated"} 1`)
	})
	if code := s.stop(); code != 0 {
		t.Errorf("exit code %d", code)
	}
	if events := <-done; events[len(events)-1] != "[DONE]" {
		t.Errorf("SGLang's orderly stop cut an answer short after %d events", len(events))
	}

	s = ready(t, Options{Style: VLLM})
	end := s.busy()
	if code := s.stop(); code != 0 { // would take minutes if it waited
		t.Errorf("exit code %d", code)
	}
	end()
	inOrder(t, s.stdout.String(), `\[shutdown\] API server: shutdown triggered`)
}

func TestPortTaken(t *testing.T) {
	first := ready(t, Options{})
	_, port, _ := net.SplitHostPort(strings.TrimPrefix(first.url, "http://"))
	for style, want := range map[string]string{SGLang: "error while attempting to bind on address", VLLM: "OSError: [Errno 98] Address already in use"} {
		var n int
		if err := json.Unmarshal([]byte(port), &n); err != nil {
			t.Fatal(err)
		}
		second := launch(t, Options{Style: style, Port: n}, false)
		if code := <-second.exit; code != 1 || !strings.Contains(second.stderr.String(), want) {
			t.Errorf("%s: exit code %d\n%s", style, code, second.stderr.String())
		}
	}
}

func TestVLLMHoldsItsPortWhileLoading(t *testing.T) {
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := free.Addr().(*net.TCPAddr)
	free.Close()
	s := launch(t, Options{Style: VLLM, Port: addr.Port, Startup: time.Hour}, false)
	eventually(t, "the start of loading", func() bool { return strings.Contains(s.stdout.String(), "non-default args") })
	if conn, err := net.Dial("tcp", addr.String()); err == nil {
		conn.Close()
		t.Error("it accepts connections while loading")
	}
	// Go's Listen sets SO_REUSEADDR, with which a bind beside such a socket succeeds; without it not.
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(fd)
	if err := unix.Bind(fd, &unix.SockaddrInet4{Port: addr.Port, Addr: [4]byte{127, 0, 0, 1}}); !errors.Is(err, unix.EADDRINUSE) {
		t.Errorf("a plain bind gives %v", err)
	}
	s.stop()
}

func TestOptionsAreChecked(t *testing.T) {
	for _, opt := range []Options{
		{Style: "llama"}, {Port: 70000}, {Noise: -1}, {Noise: 2}, {Drift: -0.1}, {Drift: 2}, {DriftPeriod: -1}, {PrefillRate: -1}, {MaxRunningRequests: -1},
		{Faults: []string{"no-such"}}, {Faults: []string{"stall=x"}}, {Faults: []string{"silent=1"}}, {Faults: []string{"fail-once"}},
		{Faults: []string{"die-after=1:NOSIG"}}, {Faults: []string{"log-flood=0"}}, {Faults: []string{"huge-line=9GiB"}}, {Faults: []string{"exit-late=soon"}},
		{Faults: []string{"exit-code=256"}},
	} {
		s := launch(t, opt, false)
		if code := <-s.exit; code != 2 || s.stderr.String() == "" {
			t.Errorf("%+v: exit code %d, %q", opt, code, s.stderr.String())
		}
	}
}
