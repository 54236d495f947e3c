//go:build !servematrix_readonly

package process

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// deathBell rings when one of some processes ends: an epoll set of pidfds,
// which the runtime's own poller waits for as it does for a socket.
type deathBell struct {
	set  *os.File
	pids []int // descriptors
}

func newDeathBell(ids []Identity) (_ *deathBell, err error) {
	fd, err := unix.EpollCreate1(unix.EPOLL_CLOEXEC)
	if err != nil {
		return nil, fmt.Errorf("create epoll set: %w", err)
	}
	b := &deathBell{}
	defer func() {
		if err != nil {
			b.close()
		}
	}()
	if err := unix.SetNonblock(fd, true); err != nil { // what NewFile takes for "can be polled"
		_ = unix.Close(fd)
		return nil, err
	}
	b.set = os.NewFile(uintptr(fd), "pidfds")
	for _, id := range ids {
		pid, err := pidfdOpen(id.PID)
		if errors.Is(err, unix.ESRCH) {
			continue // the look that follows will find it
		}
		if err != nil {
			return nil, fmt.Errorf("open pidfd of %d: %w", id.PID, err)
		}
		b.pids = append(b.pids, pid)
		if err := unix.EpollCtl(fd, unix.EPOLL_CTL_ADD, pid, &unix.EpollEvent{Events: unix.EPOLLIN, Fd: int32(pid)}); err != nil {
			return nil, fmt.Errorf("watch pidfd of %d: %w", id.PID, err)
		}
	}
	return b, nil
}

// wait returns when one has ended or ctx has; the error says that it cannot wait.
func (b *deathBell) wait(ctx context.Context) error {
	if err := b.set.SetReadDeadline(time.Time{}); err != nil {
		return err // not taken by the runtime's poller
	}
	defer context.AfterFunc(ctx, func() { _ = b.set.SetReadDeadline(time.Unix(1, 0)) })()
	raw, err := b.set.SyscallConn()
	if err != nil {
		return err
	}
	var events [1]unix.EpollEvent
	return raw.Read(func(fd uintptr) bool {
		n, err := retry(func() (int, error) { return unix.EpollWait(int(fd), events[:], 0) })
		return n > 0 || err != nil
	})
}

func (b *deathBell) close() {
	for _, fd := range b.pids {
		_ = unix.Close(fd)
	}
	_ = b.set.Close()
}
