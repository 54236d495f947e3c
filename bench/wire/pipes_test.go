//go:build linux

package wire

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"servematrix/bench/dataset"
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
	if c.Reading() <= 0 {
		t.Error("nobody read the answers")
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

// TestDroppedWhileWriting: while somebody writes to a connection its number stays its own.
func TestDroppedWhileWriting(t *testing.T) {
	c := client(t, "http://127.0.0.1:1", nil)
	ends, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(ends[1])
	var before, after unix.Stat_t
	if err := unix.Fstat(ends[0], &before); err != nil {
		t.Fatal(err)
	}
	p := &pipe{pipes: c.pipes, fd: ends[0], writing: true}
	p.drop()
	if err := unix.Fstat(ends[0], &after); err != nil || after.Ino != before.Ino {
		t.Fatalf("the number is another's or nobody's: %v", err)
	}
	if p.write(t.Context(), []byte("x")) {
		t.Error("a dropped connection takes more of the request")
	}
	p.written(false)
	if err := unix.Fstat(ends[0], &after); err == nil && after.Ino == before.Ino {
		t.Error("it was never closed")
	}
}

// TestAnsweredEarly: a server may refuse a long request before it has come whole, and close; or not
// read on. The answer counts, and nothing of the request gets into another's connection.
func TestAnsweredEarly(t *testing.T) {
	const long = 12 << 20
	done := make(chan struct{})
	defer close(done)
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	go func() {
		for n := 0; ; n++ {
			conn, err := ln.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				in := bufio.NewReader(conn)
				for {
					r, err := http.ReadRequest(in)
					switch {
					case errors.Is(err, io.EOF), errors.Is(err, syscall.ECONNRESET):
						return
					case err != nil:
						t.Errorf("no request: %v", err)
						return
					case r.ContentLength > long:
						_, _ = io.WriteString(conn, "HTTP/1.1 413 Too Large\r\nConnection: close\r\nContent-Length: 0\r\n\r\n")
						if n%2 == 0 {
							<-done // and nothing is read
						}
						return
					}
					if _, err := io.Copy(io.Discard, r.Body); err != nil {
						return
					}
					fmt.Fprintf(conn, "HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s", len(twoMore+ending), twoMore+ending)
				}
			}()
		}
	}()
	c := client(t, "http://"+ln.Addr().String(), func(o *Options) { o.Timeout = time.Minute })
	text := strings.Repeat("a", long)
	var wait sync.WaitGroup
	for range 8 {
		wait.Go(func() {
			for range 2 {
				r := c.Send(t.Context(), dataset.Prompt{Text: text, Output: 2}, time.Now())
				if classOf(r) != HTTP4xx {
					t.Errorf("%+v", r.Failed)
				}
				if r := send(t, c); r.Failed != nil {
					t.Errorf("%+v", r.Failed)
				}
			}
		})
	}
	wait.Wait()
}
