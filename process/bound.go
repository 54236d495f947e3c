package process

import "net/netip"

// boundOnly looks for a socket that is bound in the way of at without
// listening: it stands in no /proc/net table, and is all that can be seen of one
// behind connections in TIME_WAIT. The kernel's socket diagnosis has listed such
// sockets since Linux 6.8. ok is false when there is none or the kernel cannot tell.
func boundOnly(at netip.AddrPort) (s socket, ok bool) {
	found, _ := diagnose(tcpBoundInactive)
	for _, s := range found {
		if s.local.Port() == at.Port() && conflicts(s.local.Addr(), at.Addr()) {
			return s, true
		}
	}
	return socket{}, false
}
