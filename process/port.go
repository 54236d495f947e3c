package process

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// PortState is what ProbePort found.
type PortState struct {
	// Free: a server can bind the port now.
	Free bool `json:"free"`
	// Listening: somebody accepts connections on it.
	Listening bool `json:"listening"`
	// Holder is who has it, where that can be known.
	Holder *Holder `json:"holder,omitempty"`
	// Reason says in words how this was concluded.
	Reason string `json:"reason"`
}

// ProbePort says whether a server could bind host:port now, without ever
// listening itself. host is an address or a name of this host; "", "0.0.0.0"
// and "::" are the wildcard, which clashes with a holder on any address.
//
// No single probe can tell. A plain bind that works proves that the port is
// free. One that fails may fail because of a listener, of old connections in
// TIME_WAIT (which servers, binding with SO_REUSEADDR, do not mind), or of a
// process that has bound and does not listen yet (which a bind with
// SO_REUSEADDR, before the listen, would not notice: vLLM loads for minutes in
// this state).
//
// The error is for what cannot be probed at all: a host that is not this one,
// a port out of range, one below 1024 without the right to it.
func ProbePort(host string, port int) (PortState, error) {
	if port < 1 || port > 65535 {
		return PortState{}, fmt.Errorf("probe port %d: not in 1..65535", port)
	}
	addrs, err := localAddrs(host)
	if err != nil {
		return PortState{}, fmt.Errorf("probe port %d: %w", port, err)
	}
	state := PortState{Free: true, Reason: "a plain bind works"}
	probed := 0
	for _, addr := range addrs {
		s, err := probe(netip.AddrPortFrom(addr, uint16(port)))
		if noFamily(err) && len(addrs) > 1 {
			continue // a host without IPv6
		}
		if err != nil {
			return PortState{}, fmt.Errorf("probe %s: %w", netip.AddrPortFrom(addr, uint16(port)), err)
		}
		probed++
		if !s.Free {
			return s, nil
		}
		if probed == 1 || s.Reason != "a plain bind works" {
			state = s
		}
	}
	if probed == 0 {
		return PortState{}, fmt.Errorf("probe port %d: none of the addresses of %q is of this host", port, host)
	}
	return state, nil
}

func noFamily(err error) bool {
	return errors.Is(err, unix.EAFNOSUPPORT) || errors.Is(err, unix.EADDRNOTAVAIL)
}

// localAddrs are the addresses to try for a host.
func localAddrs(host string) ([]netip.Addr, error) {
	switch host {
	case "", "0.0.0.0", "::", "*":
		return []netip.Addr{netip.IPv4Unspecified(), netip.IPv6Unspecified()}, nil
	case "localhost":
		return []netip.Addr{netip.AddrFrom4([4]byte{127, 0, 0, 1}), netip.IPv6Loopback()}, nil
	}
	if addr, err := netip.ParseAddr(host); err == nil {
		return []netip.Addr{addr}, nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	return net.DefaultResolver.LookupNetIP(ctx, "ip", host)
}

// probe decides for one address; see ProbePort.
func probe(at netip.AddrPort) (PortState, error) {
	err := bind(at, false)
	if err == nil {
		return PortState{Free: true, Reason: "a plain bind works"}, nil
	}
	if !errors.Is(err, unix.EADDRINUSE) {
		return PortState{}, err
	}
	all, err := sockets(int(at.Port()))
	if err != nil {
		return PortState{}, err
	}
	closing := 0
	for _, s := range all {
		if !conflicts(s.local.Addr(), at.Addr()) {
			continue
		}
		if s.state == tcpListen {
			return PortState{Listening: true, Holder: holder(s), Reason: "somebody listens on it"}, nil
		}
		if s.closing() {
			closing++
		}
	}
	if s, ok := boundOnly(at); ok {
		return PortState{Holder: holder(s), Reason: "bound by a process that does not listen yet"}, nil
	}
	if closing > 0 && bind(at, true) == nil {
		return PortState{Free: true, Reason: fmt.Sprintf("only %d old connections still close (TIME_WAIT)", closing)}, nil
	}
	for _, s := range all { // connected from or accepted on it by a process that lives
		if s.inode != 0 && conflicts(s.local.Addr(), at.Addr()) {
			return PortState{Holder: holder(s), Reason: "a process has connections on it"}, nil
		}
	}
	return PortState{Reason: "bound by a process that does not listen yet"}, nil
}

// bind tries the address and lets it go at once. It does not listen: a client
// that waits for its server must not reach a probe.
func bind(at netip.AddrPort, reuse bool) error {
	fd, err := boundSocket(at, reuse)
	if err == nil {
		err = unix.Close(fd)
	}
	return err
}

func boundSocket(at netip.AddrPort, reuse bool) (int, error) {
	family := unix.AF_INET6
	var sa unix.Sockaddr = &unix.SockaddrInet6{Port: int(at.Port()), Addr: at.Addr().As16()}
	if at.Addr().Is4() {
		family = unix.AF_INET
		sa = &unix.SockaddrInet4{Port: int(at.Port()), Addr: at.Addr().As4()}
	}
	syscall.ForkLock.RLock() // not every system has SOCK_CLOEXEC
	fd, err := unix.Socket(family, unix.SOCK_STREAM, 0)
	if err == nil {
		unix.CloseOnExec(fd)
	}
	syscall.ForkLock.RUnlock()
	if err != nil {
		return -1, err
	}
	if family == unix.AF_INET6 { // IPv4 is probed by itself
		err = unix.SetsockoptInt(fd, unix.IPPROTO_IPV6, unix.IPV6_V6ONLY, 1)
	}
	if err == nil && reuse {
		err = unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_REUSEADDR, 1)
	}
	if err == nil {
		err = unix.Bind(fd, sa)
	}
	if err != nil {
		_ = unix.Close(fd)
		return -1, err
	}
	return fd, nil
}

// FreePort picks a port that is free now on all addresses. It is the
// kernel's choice; another program may take it before a server binds it.
func FreePort() (int, error) {
	loopback := netip.AddrPortFrom(netip.AddrFrom4([4]byte{127, 0, 0, 1}), 0)
	var last PortState
	for range 16 {
		port, err := pickPort(loopback)
		if err != nil {
			return 0, fmt.Errorf("find a free port: %w", err)
		}
		if last, err = ProbePort("", port); err == nil && last.Free {
			return port, nil
		}
	}
	return 0, fmt.Errorf("find a free port: 16 proposals of the kernel were taken; the last one: %s", last.Reason)
}

func pickPort(at netip.AddrPort) (int, error) {
	fd, err := boundSocket(at, false)
	if err != nil {
		return 0, err
	}
	defer unix.Close(fd)
	sa, err := unix.Getsockname(fd)
	if err != nil {
		return 0, err
	}
	v4, ok := sa.(*unix.SockaddrInet4)
	if !ok {
		return 0, unix.EAFNOSUPPORT
	}
	return v4.Port, nil
}
