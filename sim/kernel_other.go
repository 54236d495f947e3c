//go:build !linux || servematrix_readonly

package sim

import (
	"os"
	"os/signal"
	"syscall"
	"time"
)

func nanosleep(d time.Duration) { time.Sleep(d) }

// dieBy ends this process by a signal, as far as the Go runtime lets it. See kernel_linux.go.
func dieBy(sig syscall.Signal) {
	signal.Reset(sig)
	_ = syscall.Kill(os.Getpid(), sig)
	time.Sleep(time.Second) // a signal that ends us does so within this time
}
