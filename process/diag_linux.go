//go:build !servematrix_readonly

package process

import (
	"encoding/binary"
	"net/netip"
	"time"

	"golang.org/x/sys/unix"
)

// The kernel's socket diagnosis lists sockets by state, without a walk through
// all connections of the host as /proc/net/tcp makes (10 ms on a big machine).
// See include/uapi/linux/inet_diag.h and sock_diag(7).
const (
	diagRequestLen = 56
	diagMessageLen = 72
)

// diagnose gives the TCP sockets of this network namespace in one state, of both
// families. complete is false when the kernel cannot tell all.
func diagnose(state byte) (found []socket, complete bool) {
	fd, err := unix.Socket(unix.AF_NETLINK, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, unix.NETLINK_SOCK_DIAG)
	if err != nil {
		return nil, false
	}
	defer unix.Close(fd)
	wait := unix.NsecToTimeval(int64(time.Second)) // a sandbox may swallow the request
	if unix.SetsockoptTimeval(fd, unix.SOL_SOCKET, unix.SO_RCVTIMEO, &wait) != nil {
		return nil, false
	}
	for _, family := range []byte{unix.AF_INET, unix.AF_INET6} {
		if unix.Sendto(fd, diagRequest(family, state), 0, &unix.SockaddrNetlink{Family: unix.AF_NETLINK}) != nil {
			return found, false
		}
		more, all := diagAnswers(fd, state)
		found = append(found, more...)
		if !all {
			return found, false
		}
	}
	return found, true
}

// diagRequest asks for all TCP sockets of a family in one state.
func diagRequest(family, state byte) []byte {
	b := make([]byte, unix.NLMSG_HDRLEN+diagRequestLen)
	native := binary.NativeEndian
	native.PutUint32(b[0:], uint32(len(b)))
	native.PutUint16(b[4:], unix.SOCK_DIAG_BY_FAMILY)
	native.PutUint16(b[6:], unix.NLM_F_REQUEST|unix.NLM_F_DUMP)
	request := b[unix.NLMSG_HDRLEN:]
	request[0], request[1] = family, unix.IPPROTO_TCP
	native.PutUint32(request[4:], 1<<state)
	return b
}

// diagAnswers reads until the end of one dump.
func diagAnswers(fd int, state byte) (found []socket, complete bool) {
	buf := make([]byte, 64<<10)
	for {
		n, err := retry(func() (int, error) { n, _, err := unix.Recvfrom(fd, buf, 0); return n, err })
		if err != nil || n < unix.NLMSG_HDRLEN {
			return found, false
		}
		for b := buf[:n]; len(b) >= unix.NLMSG_HDRLEN; {
			length := int(binary.NativeEndian.Uint32(b))
			if length < unix.NLMSG_HDRLEN || length > len(b) {
				return found, false
			}
			switch binary.NativeEndian.Uint16(b[4:]) {
			case unix.NLMSG_DONE:
				return found, true
			case unix.NLMSG_ERROR:
				return found, false
			case unix.SOCK_DIAG_BY_FAMILY:
				if s, ok := parseDiag(b[unix.NLMSG_HDRLEN:length], state); ok {
					found = append(found, s)
				}
			}
			b = b[min((length+3)&^3, len(b)):]
		}
	}
}

// parseDiag reads a struct inet_diag_msg that answers a question for state; the
// message's own is CLOSE for "bound, inactive", which the kernel knows only as a question.
func parseDiag(b []byte, state byte) (socket, bool) {
	if len(b) < diagMessageLen {
		return socket{}, false
	}
	port := binary.BigEndian.Uint16(b[4:])
	ip := netip.AddrFrom4([4]byte(b[8:12]))
	if b[0] == unix.AF_INET6 {
		ip = netip.AddrFrom16([16]byte(b[8:24]))
	}
	return socket{
		local: netip.AddrPortFrom(ip, port),
		state: uint64(state),
		uid:   uint64(binary.NativeEndian.Uint32(b[64:])),
		inode: uint64(binary.NativeEndian.Uint32(b[68:])),
	}, true
}
