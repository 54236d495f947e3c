package sim

import (
	"fmt"
	"net"
	"os"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

// boundSocket is a TCP socket that has its address and does not listen yet: the state in which
// vLLM holds its port while it loads, invisible to a connect and busy to a bind.
type boundSocket struct{ file *os.File }

// bind takes the port. Afterwards s.opt.Port is the real one.
func (s *server) bind() error {
	port := max(s.opt.Port, 0)
	addr, err := net.ResolveTCPAddr("tcp", net.JoinHostPort(s.opt.Host, strconv.Itoa(port)))
	if err != nil {
		return err
	}
	family := unix.AF_INET
	var sa unix.Sockaddr
	if ip4 := addr.IP.To4(); ip4 != nil {
		sa = &unix.SockaddrInet4{Port: addr.Port, Addr: [4]byte(ip4)}
	} else {
		family = unix.AF_INET6
		sa = &unix.SockaddrInet6{Port: addr.Port, Addr: [16]byte(addr.IP.To16())}
	}
	syscall.ForkLock.RLock() // not every system has SOCK_CLOEXEC
	fd, err := unix.Socket(family, unix.SOCK_STREAM, 0)
	if err == nil {
		unix.CloseOnExec(fd)
	}
	syscall.ForkLock.RUnlock()
	if err != nil {
		return os.NewSyscallError("socket", err)
	}
	err = unix.SetNonblock(fd, true)
	if err == nil {
		err = unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_REUSEADDR, 1) // as uvicorn does
	}
	if err == nil {
		err = unix.Bind(fd, sa)
	}
	if err != nil {
		_ = unix.Close(fd) // the first error is the one to tell
		return fmt.Errorf("bind %s: %w", addr, err)
	}
	s.bound = &boundSocket{file: os.NewFile(uintptr(fd), "listener")}
	if bound, err := unix.Getsockname(fd); err == nil {
		switch b := bound.(type) {
		case *unix.SockaddrInet4:
			s.opt.Port = b.Port
		case *unix.SockaddrInet6:
			s.opt.Port = b.Port
		}
	}
	return nil
}

// startListening makes the bound socket the listener.
func (s *server) startListening() error {
	defer s.bound.file.Close() // FileListener works on a copy
	if err := unix.Listen(int(s.bound.file.Fd()), 2048); err != nil {
		return os.NewSyscallError("listen", err)
	}
	ln, err := net.FileListener(s.bound.file)
	s.listener = ln
	return err
}
