package server

import (
	"errors"
	"fmt"
	"net"
	"os"
	"runtime"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Options are the pace.
type Options struct {
	// First is the time from a request's arrival to its first token, Token that to each further one.
	First, Token time.Duration
	// Keep is of how many requests the truth is kept.
	Keep int
}

// loop is the server: one thread waits for requests and for the time of the next token.
type loop struct {
	opt    Options
	epoll  int
	listen int
	conns  map[int32]*conn
	ledger ledger
	// Streams wait in the order in which they are due: as the pace is the same for all, each new
	// one belongs at the end of one of two queues.
	firsts, nexts queue
	events        []unix.EpollEvent
	in, oob       []byte
}

// conn is a connection, and the stream that goes over it.
type conn struct {
	fd      int
	in      []byte // of a request that has not come whole
	out     []byte // that the socket did not take at once
	scratch []byte
	asked   asked
	kind    kind
	busy    bool // a stream goes over it
	gone    bool
	sent    int   // tokens
	due     int64 // when the next one is
	request Request
}

// Serve answers on l, which it takes over, until stop is closed.
func Serve(l *net.TCPListener, opt Options, stop <-chan struct{}) error {
	file, err := l.File()
	if err != nil {
		return err
	}
	defer file.Close()
	epoll, err := unix.EpollCreate1(unix.EPOLL_CLOEXEC)
	if err != nil {
		return fmt.Errorf("epoll: %w", err)
	}
	defer unix.Close(epoll)
	s := &loop{opt: opt, epoll: epoll, listen: int(file.Fd()), conns: map[int32]*conn{}, events: make([]unix.EpollEvent, 512), in: make([]byte, 256<<10), oob: make([]byte, 64)}
	s.ledger.keep = opt.Keep
	// The sockets of accepted connections take this over. A kernel that cannot do it leaves the
	// server with its own clock.
	_ = unix.SetsockoptInt(s.listen, unix.SOL_SOCKET, unix.SO_TIMESTAMPNS, 1)
	if err := unix.SetNonblock(s.listen, true); err != nil {
		return err
	}
	if err := s.watch(s.listen, unix.EPOLL_CTL_ADD, unix.EPOLLIN); err != nil {
		return err
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	_ = unix.Prctl(unix.PR_SET_TIMERSLACK, 1, 0, 0, 0) // or each wait lasts 50 µs longer
	for {
		select {
		case <-stop:
			return nil
		default:
		}
		if err := s.turn(); err != nil {
			return err
		}
	}
}

// turn sends what is due, then waits for something to do: at most 100 ms, so that stop is seen.
func (s *loop) turn() error {
	wait := 100 * time.Millisecond
	for {
		c, q := s.soonest()
		if c == nil {
			break
		}
		if left := c.due - Now(); left > 0 {
			wait = min(wait, time.Duration(left))
			break
		}
		q.pop()
		if !c.gone {
			s.token(c)
		}
	}
	n, err := epollWait(s.epoll, s.events, wait)
	if errors.Is(err, unix.EINTR) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("epoll: %w", err)
	}
	for _, e := range s.events[:n] {
		if int(e.Fd) == s.listen {
			if err := s.accept(); err != nil {
				return err
			}
			continue
		}
		c := s.conns[e.Fd]
		if c == nil {
			continue
		}
		if e.Events&unix.EPOLLOUT != 0 {
			s.write(c, nil)
		}
		if e.Events&(unix.EPOLLIN|unix.EPOLLHUP|unix.EPOLLERR) != 0 {
			s.read(c)
		}
	}
	return nil
}

// epollWait waits with the clock's resolution; epoll_wait(2) knows only milliseconds.
func epollWait(fd int, events []unix.EpollEvent, wait time.Duration) (int, error) {
	timeout := unix.NsecToTimespec(int64(wait))
	n, _, errno := unix.Syscall6(unix.SYS_EPOLL_PWAIT2, uintptr(fd), uintptr(unsafe.Pointer(&events[0])), uintptr(len(events)), uintptr(unsafe.Pointer(&timeout)), 0, 0)
	if errno != 0 {
		return 0, errno
	}
	return int(n), nil
}

func (s *loop) watch(fd, op int, events uint32) error {
	if err := unix.EpollCtl(s.epoll, op, fd, &unix.EpollEvent{Events: events, Fd: int32(fd)}); err != nil {
		return fmt.Errorf("epoll: %w", err)
	}
	return nil
}

func (s *loop) accept() error {
	for {
		fd, _, err := unix.Accept4(s.listen, unix.SOCK_NONBLOCK|unix.SOCK_CLOEXEC)
		switch {
		case errors.Is(err, unix.EAGAIN):
			return nil
		case errors.Is(err, unix.ECONNABORTED):
			continue
		case err != nil:
			return fmt.Errorf("accept: %w", err)
		}
		if err := unix.SetsockoptInt(fd, unix.IPPROTO_TCP, unix.TCP_NODELAY, 1); err != nil {
			return os.NewSyscallError("setsockopt", err)
		}
		if err := s.watch(fd, unix.EPOLL_CTL_ADD, unix.EPOLLIN); err != nil {
			return err
		}
		s.conns[int32(fd)] = &conn{fd: fd}
	}
}

// read takes what came, and answers each whole request in it.
func (s *loop) read(c *conn) {
	n, oobn, _, _, err := unix.Recvmsg(c.fd, s.in, s.oob, 0)
	if errors.Is(err, unix.EAGAIN) {
		return
	}
	if err != nil || n == 0 {
		s.drop(c)
		return
	}
	arrived, now := stamp(s.oob[:oobn])
	if s.ledger.FirstByte == 0 {
		s.ledger.FirstByte = arrived
	}
	c.in = append(c.in, s.in[:n]...)
	s.next(c, arrived, now)
}

// next answers the whole requests that have come: one at a time.
func (s *loop) next(c *conn, arrived, now int64) {
	for !c.busy && !c.gone && len(c.in) > 0 {
		r, whole, valid := parse(c.in)
		if !valid {
			s.drop(c)
		}
		if !valid || !whole {
			return
		}
		s.answer(c, r, arrived, now)
		c.in = append(c.in[:0], c.in[r.size:]...)
	}
}

// stamp gives when bytes arrived, as the kernel's stamp beside them says, and the time now.
func stamp(oob []byte) (arrived, now int64) {
	clock := time.Now()
	now = origin + int64(clock.Sub(start))
	arrived = now
	messages, err := unix.ParseSocketControlMessage(oob)
	if err != nil {
		return arrived, now
	}
	for _, m := range messages {
		if m.Header.Level == unix.SOL_SOCKET && m.Header.Type == unix.SCM_TIMESTAMPNS && len(m.Data) >= int(unsafe.Sizeof(unix.Timespec{})) {
			wall := (*unix.Timespec)(unsafe.Pointer(&m.Data[0])).Nano()
			arrived = min(now, now-(clock.UnixNano()-wall))
		}
	}
	return arrived, now
}

func (s *loop) answer(c *conn, r request, arrived, now int64) {
	k, generates := kinds[r.path]
	switch {
	case generates && r.method == "POST":
		s.begin(c, k, ask(r.body), arrived, now)
	case r.path == "/truth":
		s.write(c, plain(200, string(s.ledger.json())))
	case r.path == "/truth/clear":
		s.ledger.clear()
		s.write(c, plain(200, "{}"))
	default:
		s.write(c, small(r.path))
	}
}

// begin begins an answer: its head goes at once, as with real servers.
func (s *loop) begin(c *conn, k kind, a asked, arrived, now int64) {
	c.busy, c.kind, c.asked, c.sent = true, k, a, 0
	c.request = Request{Arrived: arrived, Read: now, Written: make([]int64, 0, a.tokens)}
	c.due = arrived + int64(s.opt.First)
	s.ledger.opened()
	if !a.stream {
		c.due += int64(a.tokens-1) * int64(s.opt.Token)
		s.nexts.pushInOrder(c)
		return
	}
	s.write(c, []byte(streamHead))
	s.firsts.pushInOrder(c)
}

// token sends the next token of a stream, or an answer that comes in one piece.
func (s *loop) token(c *conn) {
	last := true
	if c.asked.stream {
		c.scratch = c.asked.appendToken(c.scratch[:0], c.kind, c.sent)
		last = c.sent == c.asked.tokens-1
	} else {
		c.scratch = c.asked.whole(c.kind)
	}
	s.write(c, c.scratch)
	c.request.Written = append(c.request.Written, Now())
	c.sent++
	if c.gone {
		return
	}
	if !last {
		c.due += int64(s.opt.Token)
		s.nexts.pushInOrder(c)
		return
	}
	c.busy = false
	s.ledger.closed(&c.request, true)
	if len(c.in) > 0 {
		now := Now()
		s.next(c, now, now)
	}
}

// write sends b, behind what the socket did not take before.
func (s *loop) write(c *conn, b []byte) {
	waited := len(c.out) > 0
	if waited {
		c.out = append(c.out, b...)
		b = c.out
	}
	n, err := unix.Write(c.fd, b)
	if err != nil && !errors.Is(err, unix.EAGAIN) {
		s.drop(c)
		return
	}
	rest := b[max(n, 0):]
	c.out = append(c.out[:0], rest...)
	if waits := len(rest) > 0; waits != waited {
		events := uint32(unix.EPOLLIN)
		if waits {
			events |= unix.EPOLLOUT
		}
		if s.watch(c.fd, unix.EPOLL_CTL_MOD, events) != nil {
			s.drop(c)
		}
	}
}

// drop gives a connection up.
func (s *loop) drop(c *conn) {
	if c.gone {
		return
	}
	c.gone = true
	if c.busy {
		s.ledger.closed(&c.request, false)
	}
	delete(s.conns, int32(c.fd))
	unix.Close(c.fd)
}

// soonest gives the stream that is due next, and the queue whose head it is.
func (s *loop) soonest() (*conn, *queue) {
	a, b := s.firsts.head(), s.nexts.head()
	if a == nil || b != nil && b.due < a.due {
		return b, &s.nexts
	}
	return a, &s.firsts
}
