package live

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"net/http/cookiejar"
	"strings"
	"testing"
	"time"
)

// quick is the pace of tests: what is waited for comes at once, what is not never comes.
var quick = pace{header: time.Minute, patience: time.Minute, heartbeat: time.Minute, idle: time.Minute, linger: time.Millisecond, breath: time.Millisecond, parting: time.Minute}

// patience bounds every wait of a test; a machine under load is slow, not wrong.
const patience = time.Minute

// served is a server at work, and a browser that was not let in yet.
type served struct {
	*Server
	t      *testing.T
	client *http.Client
	base   string
	end    func() error // ends it and gives what Serve gave
}

func serve(t *testing.T, r *run, p pace) *served {
	t.Helper()
	l, err := Listen(0)
	if err != nil {
		t.Fatal(err)
	}
	return serveOn(t, r, p, l)
}

func serveOn(t *testing.T, r *run, p pace, l net.Listener) *served {
	s := &served{Server: newServer(r.folder, l, p), t: t, base: "http://" + l.Addr().String(), client: browser(t)}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- s.Serve(ctx) }()
	s.end = func() error {
		cancel()
		select {
		case err := <-done:
			done <- err
			return err
		case <-time.After(patience):
			t.Fatal("the server does not end")
			return nil
		}
	}
	t.Cleanup(func() {
		s.client.CloseIdleConnections()
		if err := s.end(); err != nil {
			t.Errorf("Serve gave %v", err)
		}
	})
	return s
}

// browser keeps cookies and shows redirects.
func browser(t *testing.T) *http.Client {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	return &http.Client{Jar: jar, Transport: &http.Transport{}, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
}

// enter lets the browser in.
func (s *served) enter() *served {
	s.t.Helper()
	if a := s.get(s.client, s.Link()); a.StatusCode != http.StatusSeeOther {
		s.t.Fatalf("the link gave %s", a.Status)
	}
	return s
}

type answer struct {
	*http.Response
	text string
}

func (s *served) do(c *http.Client, method, url string, header ...string) answer {
	s.t.Helper()
	req, err := http.NewRequestWithContext(s.t.Context(), method, url, nil)
	if err != nil {
		s.t.Fatal(err)
	}
	for i := 0; i < len(header); i += 2 {
		if req.Header.Set(header[i], header[i+1]); header[i] == "Host" {
			req.Host = header[i+1]
		}
	}
	res, err := c.Do(req)
	if err != nil {
		s.t.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return answer{res, string(text)}
}

func (s *served) get(c *http.Client, url string, header ...string) answer {
	s.t.Helper()
	return s.do(c, http.MethodGet, url, header...)
}

// listening is a page's stream.
type listening struct {
	t     *testing.T
	body  io.ReadCloser
	lines *bufio.Scanner
}

func (s *served) listen(query string, header ...string) *listening {
	s.t.Helper()
	req, err := http.NewRequestWithContext(s.t.Context(), http.MethodGet, s.base+"/events"+query, nil)
	if err != nil {
		s.t.Fatal(err)
	}
	for i := 0; i < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	res, err := s.client.Do(req)
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { res.Body.Close() })
	if res.StatusCode != http.StatusOK || res.Header.Get("Content-Type") != "text/event-stream" {
		s.t.Fatalf("the stream is %s, %s", res.Status, res.Header.Get("Content-Type"))
	}
	return &listening{t: s.t, body: res.Body, lines: bufio.NewScanner(res.Body)}
}

// next gives the next message: its lines, joined; "" is the end of the stream.
func (l *listening) next() string {
	l.t.Helper()
	var b []string
	for l.lines.Scan() {
		if l.lines.Text() == "" {
			return strings.Join(b, "|")
		}
		b = append(b, l.lines.Text())
	}
	return ""
}

// until reads up to a message that begins so, and gives it.
func (l *listening) until(start string) string {
	l.t.Helper()
	for m := l.next(); m != ""; m = l.next() {
		if strings.HasPrefix(m, start) {
			return m
		}
	}
	l.t.Fatalf("the stream ended before %q", start)
	return ""
}

// soon waits for something to hold.
func soon(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); !holds(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("never: %s", what)
		}
	}
}
