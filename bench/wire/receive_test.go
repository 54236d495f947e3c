//go:build linux

package wire

import (
	"net"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// TestLateReads: what lay in the kernel is said to have come when it came.
func TestLateReads(t *testing.T) {
	const late = 20 * time.Millisecond
	fd, peer := connected(t)
	stamped(fd)
	b, stamp := make([]byte, 100), make([]byte, stampSpace)
	// The kernel begins with its stamps some time after the first socket has asked for them.
	for end := time.Now().Add(10 * time.Second); ; {
		began := time.Now()
		if _, err := peer.Write([]byte("token")); err != nil {
			t.Fatal(err)
		}
		if _, err := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, -1); err != nil {
			continue
		}
		there := time.Now()
		time.Sleep(late)
		n, at, err := receive(fd, b, stamp, began)
		if err != nil || string(b[:n]) != "token" {
			t.Fatalf("%q, %v", b[:max(n, 0)], err)
		}
		if at.Before(there.Add(late/4)) && !at.Before(began) {
			break
		}
		if time.Now().After(end) {
			t.Fatalf("written %v, there %v, said to have come %v", began, there, at)
		}
	}
}

// TestStampsThatCannotBe: the kernel's clock may be set between its stamp and the read, and what lay
// behind a lost segment could not be read when it came.
func TestStampsThatCannotBe(t *testing.T) {
	now := time.Now()
	after := now.Add(-time.Second)
	for name, c := range map[string]struct {
		ago  time.Duration // the stamp, before the wall clock's now
		want time.Time
	}{
		"just now":               {0, now},
		"a while ago":            {300 * time.Millisecond, now.Add(-300 * time.Millisecond)},
		"when it was sent":       {time.Second, after},
		"before it was sent":     {time.Second + 1, now},
		"the clock went back":    {-time.Hour, now},
		"the clock went on":      {time.Hour, now},
		"in the next nanosecond": {-1, now},
	} {
		if at := believed(time.Unix(0, now.UnixNano()).Add(-c.ago), after, now); !at.Equal(c.want) || at.Sub(after) != c.want.Sub(after) {
			t.Errorf("%s: %v before now, want %v", name, now.Sub(at), now.Sub(c.want))
		}
	}
}

// TestNoOpenFilesAreTaken: what a peer of a unix socket sends beside its answer is left behind.
func TestNoOpenFilesAreTaken(t *testing.T) {
	ends, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(ends[0])
	var pipe [2]int
	if err := unix.Pipe2(pipe[:], unix.O_CLOEXEC|unix.O_NONBLOCK); err != nil {
		t.Fatal(err)
	}
	defer unix.Close(pipe[0])
	if err := unix.Sendmsg(ends[1], []byte("token"), unix.UnixRights(pipe[1]), nil, 0); err != nil {
		t.Fatal(err)
	}
	unix.Close(ends[1])
	unix.Close(pipe[1])
	s := client(t, "unix:///run/engine.sock", nil).pipes
	if n, _, err := receive(ends[0], make([]byte, 100), s.stamp, time.Time{}); n != 5 || err != nil {
		t.Fatalf("%d bytes, %v", n, err)
	}
	if n, err := unix.Read(pipe[0], make([]byte, 1)); n != 0 || err != nil { // EAGAIN where somebody holds its other end
		t.Errorf("the other end of the pipe is still open: %d, %v", n, err)
	}
}

// TestUnstamped: of a socket whose kernel says nothing bytes come when they are read.
func TestUnstamped(t *testing.T) {
	ends, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(ends[0])
	defer unix.Close(ends[1])
	stamped(ends[0])
	if _, err := unix.Write(ends[1], []byte("token")); err != nil {
		t.Fatal(err)
	}
	before := time.Now()
	n, at, err := receive(ends[0], make([]byte, 100), make([]byte, stampSpace), time.Time{})
	if n != 5 || err != nil || at.Before(before) || at.After(time.Now()) {
		t.Errorf("%d bytes at %v, %v", n, at, err)
	}
}

// connected gives a socket as the client reads it, and the connection that writes to it.
func connected(t *testing.T) (fd int, peer net.Conn) {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	conn, err := net.Dial("tcp", ln.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	if peer, err = ln.Accept(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { peer.Close() })
	raw, err := conn.(syscall.Conn).SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	if err := raw.Control(func(theirs uintptr) { fd = int(theirs) }); err != nil {
		t.Fatal(err)
	}
	return fd, peer
}
