package process

import (
	"errors"
	"syscall"

	"golang.org/x/sys/unix"
)

// send delivers a signal to exactly this process or to nobody. A pidfd pins
// the process, then the start time proves that it is the one that was meant:
// between the two no reuse of the pid can slip in. Kernels before 5.3 and some
// sandboxes have no pidfd; there the window between look and signal remains.
// The error is ESRCH when the process is gone and EPERM when it is not ours to
// signal.
func send(id Identity, sig syscall.Signal) error {
	if id.PID <= 1 {
		return unix.EPERM // pid 0 and below mean whole groups, pid 1 the machine
	}
	fd, err := pidfdOpen(id.PID)
	if err == nil {
		defer unix.Close(fd)
	} else if errors.Is(err, unix.ESRCH) {
		return err
	}
	p, statErr := readProc(id.PID)
	if statErr != nil || p.identity() != id {
		return unix.ESRCH
	}
	if err == nil {
		err = pidfdSignal(fd, sig)
		if !errors.Is(err, unix.ENOSYS) {
			return err
		}
	}
	return unix.Kill(id.PID, sig)
}

// sendAwake delivers a signal and makes sure that a stopped process (state T)
// wakes to see it. SIGCONT does nothing to one that runs.
func sendAwake(id Identity, sig syscall.Signal) error {
	err := send(id, sig)
	if err == nil {
		_ = send(id, unix.SIGCONT)
	}
	return err
}

// SignalName is "SIGTERM", or "signal 45" for one without a name.
func SignalName(sig syscall.Signal) string {
	if name := unix.SignalName(sig); name != "" {
		return name
	}
	return "signal " + itoa(int(sig))
}
