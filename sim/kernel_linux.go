//go:build !servematrix_readonly

package sim

import (
	"os"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// nanosleep sleeps without the Go runtime's timers; it may return early.
func nanosleep(d time.Duration) {
	ts := unix.NsecToTimespec(int64(d))
	if err := unix.Nanosleep(&ts, nil); err != nil && err != unix.EINTR {
		time.Sleep(d)
	}
}

// dieBy ends this process by a signal, as the kernel does it: the Go runtime would turn SIGABRT,
// SIGSEGV and their kind into a dump of goroutines and exit code 2, so its handler is taken away
// first. No core is written. It returns only for a signal that ends no process.
func dieBy(sig syscall.Signal) {
	_ = unix.Setrlimit(unix.RLIMIT_CORE, &unix.Rlimit{}) // at worst a core file
	// The kernel's struct sigaction, all zero: SIG_DFL, no flags, no restorer, an empty mask.
	var byDefault [4]uint64
	_, _, _ = unix.RawSyscall6(unix.SYS_RT_SIGACTION, uintptr(sig), uintptr(unsafe.Pointer(&byDefault)), 0, 8, 0, 0) // fails for SIGKILL, which needs no reset
	_ = syscall.Kill(os.Getpid(), sig)
	time.Sleep(time.Second) // a signal that ends us does so within this time
}
