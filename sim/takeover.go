package sim

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"runtime"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// serve is the life of a process that takes the place of a server: the child of fork-and-exit,
// and for zombie-main the server itself under its own pid. It does not return.
func (spec workerSpec) serve() {
	ctx, cancel := context.WithCancel(context.Background())
	if spec.TTL > 0 {
		ctx, cancel = context.WithTimeout(ctx, spec.TTL)
	}
	defer cancel()
	opt := *spec.Serve
	end := make(chan struct{})
	opt.endMain = func() { close(end) }
	go func() { os.Exit(Serve(ctx, opt, os.Stdout, os.Stderr)) }()
	<-end
	endMainThread()
}

// A worker's main goroutine stays on the thread that the process began with, so that serve can end just that one.
func init() {
	if isWorker() {
		runtime.LockOSThread()
	}
}

// endMainThread ends the thread that the process began with, on which it has to be called, and leaves the others
// running. Until the last of them ends, /proc shows a zombie, and a wait for the process does not return.
func endMainThread() {
	// Not RawSyscall: the scheduler must see that this thread no longer runs Go code.
	_, _, _ = syscall.Syscall(syscall.SYS_EXIT, 0, 0, 0)
}

// daemonize starts the server in another process and leaves it to itself.
func daemonize(opt Options, ttl time.Duration, stdout, stderr io.Writer) error {
	rest := opt.without("fork-and-exit")
	spec := workerSpec{Title: os.Args[0], Serve: &rest, TTL: ttl}
	_, err := spec.start(stdout, stderr, nil)
	return err
}

// reexec replaces this process by one whose first thread is free to end. It returns only on error.
func reexec(opt Options) error {
	self, err := os.Executable()
	if err != nil {
		return fmt.Errorf("cannot find the own binary: %w", err)
	}
	line, err := json.Marshal(workerSpec{Serve: &opt})
	if err != nil {
		return err
	}
	read, write, err := os.Pipe()
	if err != nil {
		return err
	}
	if _, err := write.Write(append(line, '\n')); err != nil { // fits into the pipe's buffer
		return err
	}
	if err := unix.Dup2(int(read.Fd()), 0); err != nil {
		return fmt.Errorf("cannot pass the options on: %w", err)
	}
	return syscall.Exec(self, []string{os.Args[0], workerArg}, os.Environ())
}
