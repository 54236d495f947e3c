//go:build linux

package wire

import (
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
)

func TestConnectionsAreKeptAndEnded(t *testing.T) {
	var connected atomic.Int64
	h := listen(t, func(s *httptest.Server) {
		s.Config.ConnState = func(_ net.Conn, state http.ConnState) {
			if state == http.StateNew {
				connected.Add(1)
			}
		}
		s.Start()
	})
	c := client(t, h.URL, nil)
	if c.pipes == nil {
		t.Fatal("plain HTTP goes by net/http")
	}
	const streams, rounds = 20, 5
	var wait sync.WaitGroup
	for range streams {
		wait.Go(func() {
			for range rounds {
				if r := send(t, c); r.Failed != nil || r.Chunks != 2 {
					t.Errorf("%d chunks, %+v", r.Chunks, r.Failed)
				}
			}
		})
	}
	wait.Wait()
	if n := connected.Load(); n > streams {
		t.Errorf("%d connections for %d streams", n, streams)
	}
	c.Close()
	c.pipes.mu.Lock()
	defer c.pipes.mu.Unlock()
	if len(c.pipes.open) > 0 || len(c.pipes.idle) > 0 {
		t.Errorf("%d connections open and %d kept after the end", len(c.pipes.open), len(c.pipes.idle))
	}
}

func TestOnlyPlainHTTPGoesByPipes(t *testing.T) {
	for name, change := range map[string]func(*Options){
		"TLS":          func(o *Options) { o.BaseURL = "https://127.0.0.1:1" },
		"HTTP/2":       func(o *Options) { o.HTTP2 = true },
		"not streamed": func(o *Options) { o.DisableStream = true },
	} {
		if client(t, "http://127.0.0.1:1", change).pipes != nil {
			t.Errorf("%s goes by pipes", name)
		}
	}
}
