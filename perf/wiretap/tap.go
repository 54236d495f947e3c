package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"time"
)

// request is one that a client sent to generate tokens.
type request struct {
	at      time.Time
	path    string
	body    map[string]any
	header  http.Header
	flights int // requests under way, this one among them
}

// tap is a server that notes what it is asked.
type tap struct {
	server  *httptest.Server
	started time.Time

	mu          sync.Mutex
	requests    []request
	others      map[string]int // requests that generate nothing, by method and path
	flights     int
	connections map[net.Conn]bool
}

func newTap() *tap {
	t := &tap{others: map[string]int{}, connections: map[net.Conn]bool{}}
	t.server = httptest.NewUnstartedServer(t)
	t.server.Config.ConnState = func(c net.Conn, s http.ConnState) {
		if s == http.StateActive {
			t.mu.Lock()
			t.connections[c] = true
			t.mu.Unlock()
		}
	}
	t.server.Start()
	return t
}

func (t *tap) url() string { return t.server.URL }
func (t *tap) close()      { t.server.Close() }

// ServeHTTP answers as an engine would that makes a token a millisecond.
func (t *tap) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	at := time.Now()
	data, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	if r.Method != http.MethodPost || !strings.HasSuffix(r.URL.Path, "completions") && r.URL.Path != "/generate" {
		t.other(w, r)
		return
	}
	var body map[string]any
	if err := json.Unmarshal(data, &body); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	t.mu.Lock()
	t.flights++
	t.requests = append(t.requests, request{at, r.URL.Path, body, r.Header, t.flights})
	t.mu.Unlock()
	answer(w, r.URL.Path, asked(body))
	t.mu.Lock()
	t.flights--
	t.mu.Unlock()
}

// asked is how many tokens a request asks for.
func asked(body map[string]any) int {
	if inner, ok := body["sampling_params"].(map[string]any); ok {
		body = inner
	}
	for _, name := range []string{"max_tokens", "max_completion_tokens", "max_new_tokens"} {
		if n, ok := body[name].(float64); ok {
			return int(n)
		}
	}
	return 0
}

// answer streams n tokens.
func answer(w http.ResponseWriter, path string, n int) {
	w.Header().Set("Content-Type", "text/event-stream")
	event := func(v any) {
		text, _ := json.Marshal(v)
		fmt.Fprintf(w, "data: %s\n\n", text)
		w.(http.Flusher).Flush()
	}
	for i := 1; i <= n; i++ {
		time.Sleep(time.Millisecond)
		choice := map[string]any{"index": 0, "text": " a", "delta": map[string]any{"content": " a"}, "finish_reason": nil}
		if i == n {
			choice["finish_reason"] = "length"
		}
		if path == "/generate" {
			event(map[string]any{"text": strings.Repeat(" a", i), "meta_info": map[string]any{"prompt_tokens": 128, "completion_tokens": i, "finish_reason": choice["finish_reason"]}})
			continue
		}
		event(map[string]any{"id": "x", "object": "text_completion", "model": "tiny", "choices": []any{choice}, "usage": map[string]any{"prompt_tokens": 128, "completion_tokens": i, "total_tokens": 128 + i}})
	}
	fmt.Fprint(w, "data: [DONE]\n\n")
}

// other answers what is no generation.
func (t *tap) other(w http.ResponseWriter, r *http.Request) {
	t.mu.Lock()
	t.others[r.Method+" "+r.URL.Path]++
	t.mu.Unlock()
	w.Header().Set("Content-Type", "application/json")
	switch r.URL.Path {
	case "/v1/models":
		fmt.Fprint(w, `{"object":"list","data":[{"id":"tiny","object":"model"}]}`)
	case "/get_server_info":
		fmt.Fprint(w, `{"internal_states":[{}]}`)
	case "/health", "/flush_cache":
	default:
		http.NotFound(w, r)
	}
}
