package sim

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"
)

// output is a log that can be read while it is written.
type output struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.b.Write(p)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.b.String()
}

// instance is a server that runs within the test.
type instance struct {
	t              *testing.T
	url            string
	stdout, stderr output
	cancel         context.CancelFunc
	exit           chan int
}

// launch starts a server in-process on a free port. With listens it waits until it does.
func launch(t *testing.T, opt Options, listens bool) *instance {
	t.Helper()
	opt.InProcess = true
	if opt.Port == 0 {
		opt.Port = -1
	}
	if opt.Startup == 0 {
		opt.Startup = -1
	}
	opt.StopPoll = 5 * time.Millisecond
	addr := make(chan net.Addr, 1)
	opt.OnListen = func(a net.Addr) { addr <- a }
	ctx, cancel := context.WithCancel(context.Background())
	s := &instance{t: t, cancel: cancel, exit: make(chan int, 1)}
	go func() { s.exit <- Serve(ctx, opt, &s.stdout, &s.stderr) }()
	t.Cleanup(cancel)
	if listens {
		select {
		case a := <-addr:
			s.url = "http://" + a.String()
		case code := <-s.exit:
			t.Fatalf("the server exited %d:\n%s", code, s.stderr.String())
		}
	}
	return s
}

// ready launches a server and waits until it is healthy.
func ready(t *testing.T, opt Options) *instance {
	t.Helper()
	s := launch(t, opt, true)
	eventually(t, "health", func() bool { return s.status("GET", "/health") == 200 })
	return s
}

func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(20 * time.Second); !holds(); time.Sleep(2 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("in vain: %s", what)
		}
	}
}

func (s *instance) stop() int {
	s.cancel()
	return <-s.exit
}

func (s *instance) do(method, path, body string) (*http.Response, []byte) {
	s.t.Helper()
	request, err := http.NewRequest(method, s.url+path, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		s.t.Fatal(err)
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return response, answer
}

func (s *instance) status(method, path string) int {
	s.t.Helper()
	response, _ := s.do(method, path, "")
	return response.StatusCode
}

// post sends a generation request and decodes the answer.
func (s *instance) post(path, body string) (int, map[string]any) {
	s.t.Helper()
	response, answer := s.do("POST", path, body)
	var decoded map[string]any
	if err := json.Unmarshal(answer, &decoded); err != nil {
		s.t.Fatalf("%s: %v: %s", path, err, answer)
	}
	return response.StatusCode, decoded
}

// events sends a request and gives the data of the events.
func (s *instance) events(path, body string) []string {
	s.t.Helper()
	_, answer := s.do("POST", path, body)
	var list []string
	for line := bufio.NewScanner(bytes.NewReader(answer)); line.Scan(); {
		if data, ok := strings.CutPrefix(line.Text(), "data: "); ok {
			list = append(list, data)
		}
	}
	return list
}

// busy keeps a request running until the returned function is called.
func (s *instance) busy() (end func()) {
	s.t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	request, err := http.NewRequestWithContext(ctx, "POST", s.url+"/v1/completions", strings.NewReader(`{"prompt":"x","max_tokens":30000,"ignore_eos":true,"stream":true}`))
	if err != nil {
		s.t.Fatal(err)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		s.t.Fatal(err)
	}
	if _, err := response.Body.Read(make([]byte, 1)); err != nil {
		s.t.Fatal(err)
	}
	return func() { cancel(); _ = response.Body.Close() }
}
