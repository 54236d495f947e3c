package live

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"
)

// pipes is a listener without buffers: what is written waits until it is read.
type pipes struct {
	conns  chan net.Conn
	closed chan struct{}
	once   sync.Once
}

func newPipes() *pipes { return &pipes{conns: make(chan net.Conn), closed: make(chan struct{})} }

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error   { p.once.Do(func() { close(p.closed) }); return nil }
func (p *pipes) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 1} }

// watched tells when the server closed it.
type watched struct {
	net.Conn
	gone chan struct{}
	once sync.Once
}

func (w *watched) Close() error { w.once.Do(func() { close(w.gone) }); return w.Conn.Close() }

// ask connects, sends a request and reads nothing.
func (p *pipes) ask(t *testing.T, s *served, path string) (mine net.Conn, gone chan struct{}) {
	t.Helper()
	mine, theirs := net.Pipe()
	w := &watched{Conn: theirs, gone: make(chan struct{})}
	p.conns <- w
	if _, err := fmt.Fprintf(mine, "GET %s HTTP/1.1\r\nHost: localhost\r\nCookie: %s\r\n\r\n", path, s.key.cookie()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { mine.Close() })
	return mine, w.gone
}

// Who does not read is cut off: pages, streams, and who sends no request at all.
func TestSlowReadersAreCutOff(t *testing.T) {
	p := quick
	p.patience, p.heartbeat, p.header = 50*time.Millisecond, 10*time.Millisecond, 50*time.Millisecond
	l := newPipes()
	s := serveOn(t, newRun(t, 1), p, l)
	cut := map[string]chan struct{}{}
	for _, path := range []string{"/", "/main", "/events", "/nothing"} {
		_, cut[path] = l.ask(t, s, path)
	}
	silent, theirs := net.Pipe()
	defer silent.Close()
	w := &watched{Conn: theirs, gone: make(chan struct{})}
	l.conns <- w
	cut["no request"] = w.gone
	for what, gone := range cut {
		select {
		case <-gone:
		case <-time.After(patience):
			t.Errorf("who asks for %s and does not read is never cut off", what)
		}
	}
	soon(t, "their streams are counted no more", func() bool { return s.streams.Load() == 0 })
}

// Who does not read holds up nobody else.
func TestSlowReadersBlockNobody(t *testing.T) {
	l := newPipes()
	r := newRun(t, 2)
	s := serveOn(t, r, quick, l)
	for _, path := range []string{"/", "/main", "/events"} {
		l.ask(t, s, path)
	}
	c := &http.Client{Transport: &http.Transport{DisableKeepAlives: true, DialContext: func(context.Context, string, string) (net.Conn, error) {
		mine, theirs := net.Pipe()
		l.conns <- theirs
		return mine, nil
	}}}
	r.sample()
	for _, path := range []string{"/", "/main"} {
		if a := s.get(c, "http://localhost"+path, "Cookie", s.key.cookie().String()); a.StatusCode != http.StatusOK || !strings.Contains(a.text, "watched") && path == "/" {
			t.Errorf("beside readers that hang %s is %s", path, a.Status)
		}
	}
	req, err := http.NewRequest(http.MethodGet, "http://localhost/events", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Cookie", s.key.cookie().String())
	res, err := c.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if _, err := io.ReadFull(res.Body, make([]byte, 30)); err != nil {
		t.Errorf("beside readers that hang the stream gives %v", err)
	}
}

func TestConnectionsAreBounded(t *testing.T) {
	inner, err := Listen(0)
	if err != nil {
		t.Fatal(err)
	}
	l := &limited{Listener: inner, most: 2}
	defer l.Close()
	taken := make(chan net.Conn, 8)
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				close(taken)
				return
			}
			taken <- c
		}
	}()
	dial := func() net.Conn {
		c, err := net.Dial("tcp", inner.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { c.Close() })
		return c
	}
	dial()
	first := <-taken
	dial()
	second := <-taken
	if _, err := dial().Read(make([]byte, 1)); err == nil {
		t.Error("a third connection is served")
	}
	first.Close()
	first.Close() // counts once
	dial()
	third := <-taken
	if _, err := dial().Read(make([]byte, 1)); err == nil {
		t.Error("a connection beyond the limit is served after one was closed twice")
	}
	second.Close()
	third.Close()
}
