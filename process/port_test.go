package process

import (
	"encoding/binary"
	"fmt"
	"net"
	"net/netip"
	"os"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

func freePort(t testing.TB) int {
	t.Helper()
	port, err := FreePort()
	if err != nil {
		t.Fatal(err)
	}
	return port
}

func probePort(t *testing.T, host string, port int) PortState {
	t.Helper()
	s, err := ProbePort(host, port)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func listen(t *testing.T, addr string) net.Listener {
	t.Helper()
	l, err := net.Listen("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	return l
}

// bound is a socket as vLLM has it while it loads: SO_REUSEADDR, bound, not
// listening.
func bound(t *testing.T, host string, port int) {
	t.Helper()
	fd, err := boundSocket(netip.AddrPortFrom(netip.MustParseAddr(host), uint16(port)), true)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = unix.Close(fd) })
}

// timeWait leaves a connection on the port in TIME_WAIT: the side that closes
// first keeps it, here the server.
func timeWait(t *testing.T, port int) {
	t.Helper()
	l := listen(t, fmt.Sprintf("127.0.0.1:%d", port))
	client, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	server, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	_ = server.Close()
	if _, err := client.Read(make([]byte, 1)); err == nil {
		t.Fatal("the server's end is still open")
	}
	_ = client.Close()
	_ = l.Close()
	all, err := sockets(port)
	if err != nil || len(all) != 1 || !all[0].closing() {
		t.Fatalf("no connection in TIME_WAIT: %+v, %v", all, err)
	}
}

// seesBound says whether this kernel lists sockets that only are bound.
func seesBound(t *testing.T) bool {
	t.Helper()
	port := freePort(t)
	bound(t, "127.0.0.1", port)
	_, ok := boundOnly(netip.AddrPortFrom(netip.MustParseAddr("127.0.0.1"), uint16(port)))
	return ok
}

func TestProbePort(t *testing.T) {
	for _, host := range []string{"127.0.0.1", "", "0.0.0.0", "localhost", "::1", "::"} {
		t.Run("free/"+host, func(t *testing.T) {
			if s := probePort(t, host, freePort(t)); !s.Free || s.Listening || s.Holder != nil {
				t.Errorf("%+v", s)
			}
		})
	}
	listeners := []struct {
		held, host string
		busy       bool
	}{
		{"127.0.0.1", "127.0.0.1", true},
		{"127.0.0.1", "", true},
		{"127.0.0.1", "localhost", true},
		{"0.0.0.0", "127.0.0.1", true},
		{"[::]", "127.0.0.1", true}, // Go's listener on :: takes IPv4 too
		{"[::1]", "", true},
		{"[::1]", "127.0.0.1", false},
		{"127.0.0.2", "127.0.0.1", false},
		{"127.0.0.2", "0.0.0.0", true},
	}
	for _, tt := range listeners {
		t.Run(fmt.Sprintf("listener on %s seen from %q", tt.held, tt.host), func(t *testing.T) {
			port := freePort(t)
			listen(t, fmt.Sprintf("%s:%d", tt.held, port))
			s := probePort(t, tt.host, port)
			if s.Free == tt.busy || s.Listening != tt.busy {
				t.Errorf("%+v", s)
			}
			if tt.busy && (s.Holder == nil || s.Holder.PID != os.Getpid() || !strings.Contains(s.Holder.String(), fmt.Sprintf("pid %d (", os.Getpid()))) {
				t.Errorf("holder %v", s.Holder)
			}
		})
	}
	t.Run("bound, not listening", func(t *testing.T) {
		port := freePort(t)
		bound(t, "127.0.0.1", port)
		for _, host := range []string{"127.0.0.1", ""} {
			s := probePort(t, host, port)
			if s.Free || s.Listening || !strings.Contains(s.Reason, "does not listen yet") {
				t.Errorf("%q: %+v", host, s)
			}
			if seesBound(t) && (s.Holder == nil || s.Holder.PID != os.Getpid()) {
				t.Errorf("%q: holder %v", host, s.Holder)
			}
		}
	})
	t.Run("TIME_WAIT", func(t *testing.T) {
		port := freePort(t)
		timeWait(t, port)
		for _, host := range []string{"127.0.0.1", ""} {
			if s := probePort(t, host, port); !s.Free || !strings.Contains(s.Reason, "TIME_WAIT") {
				t.Errorf("%q: %+v", host, s)
			}
		}
		if bind(netip.MustParseAddrPort(fmt.Sprintf("127.0.0.1:%d", port)), false) == nil {
			t.Error("a plain bind works: the case was not made")
		}
	})
	t.Run("bound behind TIME_WAIT", func(t *testing.T) {
		if !seesBound(t) {
			t.Skip("this kernel does not list bound sockets (before Linux 6.8)")
		}
		port := freePort(t)
		timeWait(t, port)
		bound(t, "127.0.0.1", port)
		if s := probePort(t, "127.0.0.1", port); s.Free || s.Holder == nil {
			t.Errorf("%+v", s)
		}
	})
	t.Run("connections without a listener", func(t *testing.T) {
		port := freePort(t)
		l := listen(t, fmt.Sprintf("127.0.0.1:%d", port))
		client, err := net.Dial("tcp", l.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer client.Close()
		server, err := l.Accept()
		if err != nil {
			t.Fatal(err)
		}
		defer server.Close()
		_ = l.Close()
		if s := probePort(t, "127.0.0.1", port); s.Free || s.Listening || s.Holder == nil || s.Holder.PID != os.Getpid() {
			t.Errorf("%+v", s)
		}
	})
	for _, tt := range []struct {
		host string
		port int
	}{{"127.0.0.1", 0}, {"127.0.0.1", 65536}, {"192.0.2.1", 30000}, {"no.such.host.invalid", 30000}} {
		t.Run(fmt.Sprint("error/", tt.host, ":", tt.port), func(t *testing.T) {
			if s, err := ProbePort(tt.host, tt.port); err == nil {
				t.Errorf("%+v", s)
			}
		})
	}
}

// TestOwnsListener: a stale server on the port is not ours, whoever answers.
func TestOwnsListener(t *testing.T) {
	w, stranger := newWorld(t), newWorld(t)
	port := freePort(t)
	child := w.start(w.spec(fmt.Sprintf("spawn setsid+double+null listen %d,here,block", port), "here", "block"))
	other := stranger.start(stranger.spec("here", "block"))
	w.here(2)
	stranger.here(1)
	if owned, holder, err := child.OwnsListener(port); err != nil || !owned || holder != nil {
		t.Errorf("own tree: %v, %v, %v", owned, holder, err)
	}
	owned, holder, err := other.OwnsListener(port)
	if err != nil || owned || holder == nil || !strings.Contains(holder.Cmdline, w.marker) {
		t.Errorf("another tree: %v, %v, %v", owned, holder, err)
	}
	s := probePort(t, "127.0.0.1", port)
	if s.Holder == nil || holder == nil || s.Holder.PID != holder.PID {
		t.Errorf("probe names %v, want %v", s.Holder, holder)
	}
	listen(t, fmt.Sprintf("127.0.0.2:%d", port))
	if owned, holder, err := child.OwnsListener(port); err != nil || !owned || holder == nil || holder.PID != os.Getpid() {
		t.Errorf("beside a stranger: %v, %v, %v", owned, holder, err)
	}
	if owned, holder, err := child.OwnsListener(freePort(t)); err != nil || owned || holder != nil {
		t.Errorf("nobody listens: %v, %v, %v", owned, holder, err)
	}
}

func TestParseSocket(t *testing.T) {
	if binary.NativeEndian.Uint16([]byte{1, 0}) == 1 { // the lines below are little-endian
		for line, want := range map[string]string{
			"   0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 12345 1 0000000000000000 100 0 0 10 0":             "127.0.0.1:8080",
			"   1: 00000000000000000000000001000000:1F90 00000000000000000000000000000000:0000 0A 00000000:00000000 00:00000000 00000000 1000 0 12345 1 x": "[::1]:8080",
		} {
			s, ok := parseSocket([]byte(line), 8080)
			if !ok || s.local.String() != want || s.state != tcpListen || s.uid != 1000 || s.inode != 12345 {
				t.Errorf("%s: %+v, %v", want, s, ok)
			}
		}
	}
	for _, line := range []string{"", "  sl  local_address rem_address   st tx_queue", "0: 0100007F:1F91 0:0 0A 0:0 0:0 0 0 0 1"} {
		if s, ok := parseSocket([]byte(line), 8080); ok {
			t.Errorf("%q: %+v", line, s)
		}
	}
}
