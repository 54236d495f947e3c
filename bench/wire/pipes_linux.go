package wire

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"servematrix/bench/dataset"
)

// pipes sends requests over plain HTTP/1.1 with as little work as can be: one goroutine reads what
// comes over all connections, once for each time that something came, and measures it on the spot. No
// goroutine wakes for a token. With net/http, which does all that this does not (TLS, HTTP/2,
// proxies), a token costs several times as much processor time, which is the server's where both
// share a machine, and with thousands of streams is read late.
type pipes struct {
	client *Client
	dial   func(context.Context) (net.Conn, error)
	before []byte // of a request, up to the length of its body

	epoll int
	ready syscall.RawConn // epoll, to be waited for as Go waits for sockets
	file  *os.File
	buf   []byte    // what a connection brought, one at a time
	stamp []byte    // and when; nil of a unix socket
	since time.Time // what is read now could not be read then
	heads heads
	busy  atomic.Int64 // nanoseconds that the reading took

	mu   sync.Mutex
	open map[int32]*pipe
	idle []*pipe
}

// reading is how long the reading did not wait so far.
func (s *pipes) reading() time.Duration { return time.Duration(s.busy.Load()) }

// newPipes gives nil where opt needs more than plain HTTP/1.1.
func newPipes(c *Client) *pipes {
	if p, err := proxy(&http.Request{URL: c.base}); c.opt.HTTP2 || c.opt.DisableStream || c.base.Scheme != "http" || p != nil && c.opt.UnixSocket == "" || err != nil {
		return nil
	}
	epoll, err := unix.EpollCreate1(unix.EPOLL_CLOEXEC)
	if err != nil {
		return nil
	}
	if err := unix.SetNonblock(epoll, true); err != nil {
		unix.Close(epoll)
		return nil
	}
	s := &pipes{client: c, dial: dialer(c), before: requestHead(c), epoll: epoll, open: map[int32]*pipe{}, buf: make([]byte, 64<<10), file: os.NewFile(uintptr(epoll), "epoll")}
	if s.ready, err = s.file.SyscallConn(); err != nil {
		s.file.Close()
		return nil
	}
	if c.opt.UnixSocket == "" {
		s.stamp = make([]byte, stampSpace)
	}
	go s.watch()
	return s
}

func dialer(c *Client) func(context.Context) (net.Conn, error) {
	d := &net.Dialer{Timeout: 30 * time.Second}
	network, address := "tcp", net.JoinHostPort(c.base.Hostname(), cmp.Or(c.base.Port(), "80"))
	if c.opt.UnixSocket != "" {
		network, address = "unix", c.opt.UnixSocket
	}
	return func(ctx context.Context) (net.Conn, error) { return d.DialContext(ctx, network, address) }
}

// requestHead is what stands before the length of each request's body, as net/http writes it.
func requestHead(c *Client) []byte {
	var b bytes.Buffer
	to := url.URL{Path: c.base.Path + c.endpoint.path(), RawQuery: c.base.RawQuery}
	fmt.Fprintf(&b, "POST %s HTTP/1.1\r\nHost: %s\r\n", to.RequestURI(), c.base.Host)
	_ = c.header.WriteSubset(&b, map[string]bool{"Host": true}) // to memory
	b.WriteString("Content-Length: ")
	return b.Bytes()
}

// close gives all connections up and ends the reading.
func (s *pipes) close() {
	s.mu.Lock()
	all := make([]*pipe, 0, len(s.open))
	for _, p := range s.open {
		all = append(all, p)
	}
	s.mu.Unlock()
	for _, p := range all {
		p.mu.Lock()
		p.drop()
		p.mu.Unlock()
	}
	s.file.Close()
}

// exchange sends a prompt, over a new connection where that is asked for, and measures the answer into
// a. An error says that there was none.
func (s *pipes) exchange(ctx context.Context, stop func(), a *answer, prompt dataset.Prompt, fresh bool) error {
	if !fresh {
		s.mu.Lock()
		if n := len(s.idle); n > 0 {
			p := s.idle[n-1]
			s.idle = s.idle[:n-1]
			s.mu.Unlock()
			return p.exchange(ctx, stop, a, s.client.body(prompt), true)
		}
		s.mu.Unlock()
	}
	conn, err := s.dial(ctx)
	if err != nil {
		return err
	}
	p, err := s.adopt(conn)
	if err != nil {
		return err
	}
	return p.exchange(ctx, stop, a, s.client.body(prompt), false)
}

// adopt takes the socket out of conn, so that Go does not wait for it too.
func (s *pipes) adopt(conn net.Conn) (*pipe, error) {
	defer conn.Close()
	raw, err := conn.(syscall.Conn).SyscallConn()
	if err != nil {
		return nil, err
	}
	fd, failed := -1, error(nil)
	if err := raw.Control(func(theirs uintptr) { fd, failed = unix.FcntlInt(theirs, unix.F_DUPFD_CLOEXEC, 0) }); err != nil {
		return nil, err
	}
	if failed != nil {
		return nil, os.NewSyscallError("dup", failed)
	}
	if s.stamp != nil {
		stamped(fd)
	}
	p := &pipe{pipes: s, fd: fd, over: make(chan struct{}, 1)}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.open[int32(fd)] = p
	if err := unix.EpollCtl(s.epoll, unix.EPOLL_CTL_ADD, fd, &unix.EpollEvent{Events: unix.EPOLLIN, Fd: int32(fd)}); err != nil {
		delete(s.open, int32(fd))
		unix.Close(fd)
		return nil, os.NewSyscallError("epoll_ctl", err)
	}
	return p, nil
}

// watch reads what comes over all connections until file is closed. It waits for the epoll descriptor
// as Go waits for a socket, and asks it without waiting: so that no thread sleeps in a system call,
// which costs the runtime more than the call.
func (s *pipes) watch() {
	events := make([]unix.EpollEvent, 256)
	_ = s.ready.Read(func(uintptr) bool { // ends with an error, when file is closed
		for began := time.Now(); ; {
			n, err := unix.EpollWait(s.epoll, events, 0)
			if errors.Is(err, unix.EINTR) {
				continue
			}
			if err != nil || n == 0 {
				s.since = began.Add(-stampLead)
				return err != nil
			}
			for _, e := range events[:n] {
				s.mu.Lock()
				p := s.open[e.Fd]
				s.mu.Unlock()
				if p != nil {
					p.read()
				}
			}
			if n < len(events) {
				s.since = began.Add(-stampLead)
			}
			now := time.Now()
			s.busy.Add(int64(now.Sub(began)))
			began = now
		}
	})
}
