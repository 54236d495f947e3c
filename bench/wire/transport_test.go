package wire

import (
	"context"
	"encoding/pem"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"servematrix/bench/dataset"
)

// heard is a server that tells what it heard.
type heard struct {
	*httptest.Server
	major         atomic.Int64 // version of HTTP
	authorization atomic.Value
}

func listen(t *testing.T, start func(*httptest.Server)) *heard {
	t.Helper()
	h := &heard{}
	h.Server = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		h.major.Store(int64(r.ProtoMajor))
		h.authorization.Store(r.Header.Get("Authorization"))
		_, _ = io.WriteString(w, twoMore)
		w.(http.Flusher).Flush()
		_, _ = io.WriteString(w, ending)
	}))
	h.Config.ErrorLog = log.New(io.Discard, "", 0) // of handshakes that shall fail
	start(h.Server)
	t.Cleanup(h.Close)
	return h
}

func send(t *testing.T, c *Client) *Record {
	t.Helper()
	return c.Send(t.Context(), dataset.Prompt{IDs: []int32{1, 2, 3}, Input: 3, Output: 2}, time.Now())
}

// certificate writes the one of a server that speaks TLS to a file.
func certificate(t *testing.T, h *heard) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: h.Certificate().Raw}), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestTransports(t *testing.T) {
	secure := listen(t, func(s *httptest.Server) { s.EnableHTTP2 = true; s.StartTLS() })
	old := listen(t, func(s *httptest.Server) { s.StartTLS() })
	clear := listen(t, func(s *httptest.Server) {
		s.Config.Protocols = new(http.Protocols)
		s.Config.Protocols.SetHTTP1(true)
		s.Config.Protocols.SetUnencryptedHTTP2(true)
		s.Start()
	})
	socket := filepath.Join(t.TempDir(), "s")
	unix := listen(t, func(s *httptest.Server) {
		ln, err := net.Listen("unix", socket)
		if err != nil {
			t.Fatal(err)
		}
		_ = s.Listener.Close()
		s.Listener = ln
		s.Start()
	})
	for name, c := range map[string]struct {
		server *heard
		change func(*Options)
		major  int64
		class  string
	}{
		"HTTP/1.1":                        {server: clear, major: 1},
		"HTTP/2 with prior knowledge":     {server: clear, change: func(o *Options) { o.HTTP2 = true }, major: 2},
		"TLS":                             {server: secure, change: func(o *Options) { o.CACert = certificate(t, secure) }, major: 1},
		"HTTP/2 over TLS":                 {server: secure, change: func(o *Options) { o.HTTP2, o.CACert = true, certificate(t, secure) }, major: 2},
		"HTTP/2 with a server without it": {server: old, change: func(o *Options) { o.HTTP2, o.Insecure = true, true }, class: Other},
		"TLS of an unknown authority":     {server: secure, class: Other},
		"TLS of any authority":            {server: secure, change: func(o *Options) { o.Insecure = true }, major: 1},
		"a socket as URL":                 {server: unix, change: func(o *Options) { o.BaseURL = "unix://" + socket }, major: 1},
		"a socket as flag":                {server: unix, change: func(o *Options) { o.BaseURL, o.UnixSocket = "", socket }, major: 1},
		"no socket":                       {server: unix, change: func(o *Options) { o.BaseURL, o.UnixSocket = "", socket+"x" }, class: Refused},
	} {
		c.server.major.Store(0)
		s := client(t, c.server.URL, func(o *Options) {
			if o.Host = "127.0.0.1"; c.change != nil {
				c.change(o)
			}
		})
		for range 2 {
			r := send(t, s)
			if class := classOf(r); class != c.class || c.server.major.Load() != c.major || r.Retries > 0 {
				t.Errorf("%s: HTTP/%d, want %d: %q, %+v", name, c.server.major.Load(), c.major, class, r.Failed)
			}
		}
	}
}

func classOf(r *Record) string {
	if r.Failed == nil {
		return ""
	}
	return r.Failed.Class
}

// TestConnectionsAreKept: what is behind [DONE] is read, so that the next request finds the
// connection.
func TestConnectionsAreKept(t *testing.T) {
	var connections atomic.Int64
	h := listen(t, func(s *httptest.Server) {
		s.Config.ConnState = func(_ net.Conn, state http.ConnState) {
			if state == http.StateNew {
				connections.Add(1)
			}
		}
		s.Start()
	})
	s := client(t, h.URL, nil)
	for range 20 {
		if r := send(t, s); r.Failed != nil || r.Retries != 0 {
			t.Errorf("%+v", r)
		}
	}
	if n := connections.Load(); n != 1 {
		t.Errorf("%d connections for requests one after another", n)
	}
}

// TestMoreStreamsThanAConnectionTakes: HTTP/2 servers bound the streams of a connection.
func TestMoreStreamsThanAConnectionTakes(t *testing.T) {
	const all, each = 60, 7
	var come sync.WaitGroup
	come.Add(all)
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		come.Done()
		come.Wait() // all are in flight at once
		_, _ = io.WriteString(w, twoMore+ending)
	}))
	server.Config.Protocols = new(http.Protocols)
	server.Config.Protocols.SetUnencryptedHTTP2(true)
	server.Config.HTTP2 = &http.HTTP2Config{MaxConcurrentStreams: each}
	server.Start()
	defer server.Close()
	s := client(t, server.URL, func(o *Options) { o.HTTP2 = true })
	var sent sync.WaitGroup
	var anew atomic.Int64
	began := time.Now()
	for range all {
		sent.Go(func() {
			r := send(t, s)
			if r.Failed != nil {
				t.Errorf("%+v", r.Failed)
			}
			anew.Add(int64(r.Retries))
		})
	}
	sent.Wait()
	if took := time.Since(began); took >= time.Second && anew.Load() == 0 { // as long net/http waits before it asks again
		t.Errorf("%v passed, and no request says that it was sent anew", took)
	}
}

// TestStreamErrorsAreFailures: a server that begins with a request and resets its HTTP/2 stream is not
// asked again.
func TestStreamErrorsAreFailures(t *testing.T) {
	var asked atomic.Int64
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		if asked.Add(1) > 1 {
			panic(http.ErrAbortHandler)
		}
		_, _ = io.WriteString(w, twoMore+ending)
	}))
	server.Config.Protocols = new(http.Protocols)
	server.Config.Protocols.SetUnencryptedHTTP2(true)
	server.Start()
	defer server.Close()
	s := client(t, server.URL, func(o *Options) { o.HTTP2, o.Timeout = true, 5*time.Second })
	for i, class := range []string{"", Reset, Reset} {
		if r := send(t, s); classOf(r) != class || r.Retries != 0 {
			t.Errorf("request %d: %+v, %+v", i, r, r.Failed)
		}
	}
	if n := asked.Load(); n != 3 {
		t.Errorf("the server was asked %d times", n)
	}
}

// TestStartIsBehindConnecting, whatever the transport.
func TestStartIsBehindConnecting(t *testing.T) {
	h := listen(t, func(s *httptest.Server) { s.Start() })
	s := client(t, h.URL, nil)
	viaNetHTTP(s)
	var connected time.Time
	dial := s.transport.DialContext
	s.transport.DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := dial(ctx, network, address)
		connected = time.Now()
		return conn, err
	}
	began := time.Now()
	r := s.Send(t.Context(), dataset.Prompt{IDs: []int32{1, 2, 3}, Input: 3, Output: 2}, began)
	if r.Failed != nil || r.Start < connected.Sub(began) {
		t.Errorf("connected after %v, start %v: %+v", connected.Sub(began), r.Start, r.Failed)
	}
}

func TestKeysComeFromTheEnvironment(t *testing.T) {
	h := listen(t, func(s *httptest.Server) { s.Start() })
	for _, c := range []struct {
		openai, key, header, url, want string
	}{
		{},
		{openai: "a", key: "b", want: "Bearer a"},
		{key: "Token b", want: "Token b"},
		{openai: "a", header: "Authorization=mine", want: "mine"},
		{url: "http://user:word@", want: "Basic dXNlcjp3b3Jk"},
	} {
		t.Setenv("OPENAI_API_KEY", c.openai)
		t.Setenv("API_KEY", c.key)
		r := send(t, client(t, h.URL, func(o *Options) {
			if c.header != "" {
				o.Headers = []string{c.header}
			}
			if c.url != "" {
				o.BaseURL = c.url + strings.TrimPrefix(h.URL, "http://")
			}
		}))
		if r.Failed != nil || h.authorization.Load() != c.want {
			t.Errorf("%+v: %q, %+v", c, h.authorization.Load(), r.Failed)
		}
	}
}

func TestLoopbackUsesNoProxy(t *testing.T) {
	t.Setenv("HTTP_PROXY", "http://192.0.2.1:3128")
	for _, target := range []string{"http://127.0.0.1:30000/", "http://localhost:1/", "http://[::1]:2/", "http://0.0.0.0:3/"} {
		r, err := http.NewRequest("GET", target, nil)
		if err != nil {
			t.Fatal(err)
		}
		if p, err := proxy(r); p != nil || err != nil {
			t.Errorf("%s goes through %v (%v)", target, p, err)
		}
	}
}
