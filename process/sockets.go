package process

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"net/netip"
	"os"
	"os/user"
	"slices"
	"strconv"
	"strings"
)

// States of a TCP socket in /proc/net/tcp (include/net/tcp_states.h).
const (
	tcpFinWait1 = 0x04
	tcpFinWait2 = 0x05
	tcpTimeWait = 0x06
	tcpLastAck  = 0x09
	tcpListen   = 0x0A
	tcpClosing  = 0x0B
	// tcpBoundInactive is none of the table: the kernel knows it only as a question.
	tcpBoundInactive = 13
)

// socket is one line of /proc/net/tcp or tcp6.
type socket struct {
	local netip.AddrPort
	state uint64
	uid   uint64
	inode uint64 // 0: no process holds it any more
}

// closing is a connection that no process holds and that the kernel keeps for
// a while after its end.
func (s socket) closing() bool {
	switch s.state {
	case tcpFinWait1, tcpFinWait2, tcpTimeWait, tcpLastAck, tcpClosing:
		return s.inode == 0
	}
	return false
}

// anyPort asks sockets for all ports.
const anyPort = -1

// sockets reads all TCP sockets with that local port in this network
// namespace.
func sockets(port int) ([]socket, error) {
	var found []socket
	for _, path := range []string{"/proc/net/tcp", "/proc/net/tcp6"} {
		f, err := os.Open(path)
		if errors.Is(err, fs.ErrNotExist) {
			continue // no IPv6 on this host
		}
		if err != nil {
			return nil, err
		}
		lines := bufio.NewScanner(f)
		for lines.Scan() {
			if s, ok := parseSocket(lines.Bytes(), port); ok {
				found = append(found, s)
			}
		}
		err = lines.Err()
		_ = f.Close()
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", path, err)
		}
	}
	return found, nil
}

// listeners gives the sockets that listen on a port.
func listeners(port int) ([]socket, error) {
	all, err := allListeners()
	return slices.DeleteFunc(all, func(s socket) bool { return int(s.local.Port()) != port }), err
}

// allListeners gives all TCP sockets that listen. It stands between a ready
// server and its client, so it asks the kernel's diagnosis first.
func allListeners() ([]socket, error) {
	all, complete := diagnose(tcpListen)
	if !complete {
		var err error
		if all, err = sockets(anyPort); err != nil {
			return nil, err
		}
	}
	return slices.DeleteFunc(all, func(s socket) bool { return s.state != tcpListen }), nil
}

// parseSocket reads "sl local rem st queues timer retrnsmt uid timeout inode";
// addresses are hexadecimal words in the machine's byte order.
func parseSocket(line []byte, port int) (socket, bool) {
	fields := bytes.Fields(line)
	if len(fields) < 10 {
		return socket{}, false
	}
	address, portHex, ok := bytes.Cut(fields[1], []byte{':'})
	if !ok {
		return socket{}, false
	}
	p, err := strconv.ParseUint(string(portHex), 16, 16)
	if err != nil || port != anyPort && int(p) != port {
		return socket{}, false
	}
	raw := make([]byte, hex.DecodedLen(len(address)))
	if _, err := hex.Decode(raw, address); err != nil || len(raw)%4 != 0 {
		return socket{}, false
	}
	for word := raw; len(word) > 0; word = word[4:] {
		binary.BigEndian.PutUint32(word, binary.NativeEndian.Uint32(word))
	}
	ip, ok := netip.AddrFromSlice(raw)
	if !ok {
		return socket{}, false
	}
	s := socket{local: netip.AddrPortFrom(ip, uint16(p))}
	var bad [3]error
	s.state, bad[0] = strconv.ParseUint(string(fields[3]), 16, 8)
	s.uid, bad[1] = strconv.ParseUint(string(fields[7]), 10, 32)
	s.inode, bad[2] = strconv.ParseUint(string(fields[9]), 10, 64)
	return s, bad == [3]error{}
}

// conflicts says whether a socket bound to one address keeps another from the
// other: equal addresses do, and a wildcard does with its own family; an IPv6
// wildcard usually takes IPv4 too.
func conflicts(a, b netip.Addr) bool {
	a, b = a.Unmap(), b.Unmap()
	switch {
	case a == b:
		return true
	case a.IsUnspecified():
		return a.Is6() || b.Is4()
	case b.IsUnspecified():
		return b.Is6() || a.Is4()
	}
	return false
}

// Holder is who holds a port, as far as it can be seen.
type Holder struct {
	// PID is 0 when the process belongs to another user and only root could
	// name it.
	PID     int    `json:"pid,omitempty"`
	Comm    string `json:"comm,omitempty"`
	Cmdline string `json:"cmdline,omitempty"`
	// User is the owner of the socket.
	User string `json:"user,omitempty"`
	// Addr is the address it is bound to.
	Addr string `json:"addr"`
	// Inode is the socket's: two holders of one port one after the other differ in it.
	Inode uint64 `json:"-"`

	nobody bool
}

// Ending says that no process holds the socket, though we could see it: the one
// that did is ending, and the kernel frees its memory before it closes its files.
func (h *Holder) Ending() bool { return h.nobody }

// String is "pid 123 (python3 -m vllm …), user bob, on 0.0.0.0:8000".
func (h *Holder) String() string {
	var b strings.Builder
	switch {
	case h.PID == 0:
		b.WriteString("a process that only root can name")
	case h.Cmdline != "":
		fmt.Fprintf(&b, "pid %d (%s)", h.PID, h.Cmdline)
	default:
		fmt.Fprintf(&b, "pid %d (%s)", h.PID, h.Comm)
	}
	if h.User != "" {
		fmt.Fprintf(&b, ", user %s", h.User)
	}
	return b.String() + ", on " + h.Addr
}

// holder names the process behind a socket.
func holder(s socket) *Holder {
	h := &Holder{Addr: s.local.String(), Inode: s.inode, User: strconv.FormatUint(s.uid, 10)}
	if u, err := user.LookupId(h.User); err == nil {
		h.User = u.Username
	}
	if t, err := scan(); err == nil {
		for _, p := range t.procs {
			if holds(p.pid, map[uint64]bool{s.inode: true}) {
				h.PID, h.Comm, h.Cmdline = p.pid, p.comm, cmdline(p.pid)
				return h
			}
		}
	}
	euid := os.Geteuid()
	h.nobody = euid == 0 || uint64(euid) == s.uid
	return h
}

// holds says whether one of the sockets is open in a process. One that we may
// not look into holds none, as far as we can tell.
func holds(pid int, inodes map[uint64]bool) bool {
	folder := fmt.Sprintf("/proc/%d/fd", pid)
	dir, err := os.Open(folder)
	if err != nil {
		return false
	}
	defer dir.Close()
	names, _ := dir.Readdirnames(-1)
	for _, name := range names {
		link, err := os.Readlink(folder + "/" + name)
		if err != nil {
			continue
		}
		number, ok := strings.CutPrefix(link, "socket:[")
		if !ok {
			continue
		}
		if inode, err := strconv.ParseUint(strings.TrimSuffix(number, "]"), 10, 64); err == nil && inodes[inode] {
			return true
		}
	}
	return false
}

// OwnsListener says whether a socket that listens on the port is held by this
// tree. holder is somebody else who listens on that port too, or instead: on
// another address, or shared by SO_REUSEPORT; nil when there is none. While
// nobody listens both are empty.
func (p *Process) OwnsListener(port int) (owned bool, other *Holder, err error) {
	all, err := listeners(port)
	if err != nil {
		return false, nil, fmt.Errorf("find who listens on port %d: %w", port, err)
	}
	unseen := map[uint64]bool{}
	byInode := map[uint64]socket{}
	for _, s := range all {
		unseen[s.inode], byInode[s.inode] = true, s
	}
	if len(unseen) == 0 {
		return false, nil, nil
	}
	look := func(pid int) {
		for inode := range unseen {
			if holds(pid, map[uint64]bool{inode: true}) {
				owned = true
				delete(unseen, inode)
			}
		}
	}
	if p.id.Alive() {
		look(p.id.PID) // mostly the leader listens itself, and a ready server's client waits for this answer
	}
	if len(unseen) > 0 {
		for _, id := range p.Tree() {
			look(id.PID)
		}
	}
	for inode := range unseen {
		return owned, holder(byInode[inode]), nil
	}
	return owned, nil, nil
}

// Listens says whether anybody listens on a port of this network namespace, at
// any address. It costs one question to the kernel for its listening sockets.
func Listens(port int) (bool, error) {
	all, err := listeners(port)
	if err != nil {
		return false, fmt.Errorf("find who listens on port %d: %w", port, err)
	}
	return len(all) > 0, nil
}
