package wire

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

func TestAcceptLength(t *testing.T) {
	const info = `{"internal_states": [{"avg_spec_accept_length": 2.75, "x": 1}], "version": "0.5.9"}`
	for name, c := range map[string]struct {
		backend, path, answer string
		want                  float64
	}{
		"native":                {"sglang", "/get_server_info", info, 2.75},
		"completions":           {"sglang-oai", "/get_server_info", info, 2.75},
		"chat":                  {"sglang-oai-chat", "/get_server_info", info, 2.75},
		"the newer path":        {"sglang", "/server_info", info, 2.75},
		"another engine":        {"vllm", "/get_server_info", info, 0},
		"a router":              {"sglang", "/get_server_info", `{"prefill": [{}], "decode": [` + info + `]}`, 2.75},
		"no speculation":        {"sglang", "/get_server_info", `{"internal_states": [{"avg_spec_accept_length": null}]}`, 0},
		"none so far":           {"sglang", "/get_server_info", `{"internal_states": [{"avg_spec_accept_length": 0}]}`, 0},
		"no states":             {"sglang", "/get_server_info", `{"internal_states": []}`, 0},
		"no JSON":               {"sglang", "/get_server_info", `oh`, 0},
		"nothing of it":         {"sglang", "/", "", 0},
		"more than can be read": {"sglang", "/get_server_info", `{"x": "` + strings.Repeat("x", 8<<20) + `", ` + info[1:], 0},
	} {
		t.Run(name, func(t *testing.T) {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.Method != http.MethodGet || r.URL.Path != c.path {
					http.NotFound(w, r)
					return
				}
				_, _ = io.WriteString(w, c.answer)
			}))
			defer server.Close()
			client := New(Options{Backend: c.backend, BaseURL: server.URL, Timeout: time.Minute})
			defer client.Close()
			if got, ok := client.AcceptLength(t.Context()); got != c.want || ok != (c.want > 0) {
				t.Errorf("%v, %v; want %v", got, ok, c.want)
			}
			server.Close()
			if got, ok := client.AcceptLength(t.Context()); ok {
				t.Errorf("%v from a server that has gone", got)
			}
		})
	}
}

// TestFlushIsBounded: a server that never answers does not hold the run.
func TestFlushIsBounded(t *testing.T) {
	c := client(t, broken(t, wait), func(o *Options) { o.Timeout = 50 * time.Millisecond })
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second) // that the test ends
	defer cancel()
	if err := c.Flush(ctx); !errors.Is(err, context.DeadlineExceeded) || ctx.Err() != nil {
		t.Errorf("%v, %v", err, ctx.Err())
	}
}

// TestListOfModelsIsBounded: one without end does not fill the memory.
func TestListOfModelsIsBounded(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, err := w.Write([]byte(`{"data":[{"id":"m"}`))
		for model := []byte(`,{"id":"another model of many"}`); err == nil; {
			_, err = w.Write(model)
		}
	}))
	defer server.Close()
	c := client(t, server.URL, func(o *Options) { o.Model, o.Timeout = "", 10*time.Second })
	if name, err := c.AskModel(t.Context()); err == nil || !strings.Contains(err.Error(), io.ErrUnexpectedEOF.Error()) {
		t.Errorf("%q, %v", name, err)
	}
}
