package process

import (
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"golang.org/x/sys/unix"
)

// InitMain makes the first process of a container do what a first process has
// to: it runs this program once more, as its child, passes signals on, reaps every
// orphan that comes home, and ends with the child's exit code. It never returns in
// process 1, and does nothing in any other. Call it in main, after GuardMain.
//
// Without it, who is the first process and supervises too could not tell the
// orphans of a killed guard from those that somebody else left in the container
// (docker exec), and would end these with them.
func InitMain() {
	if os.Getpid() == 1 {
		os.Exit(beFirst())
	}
}

// passed are the signals that the child is to see. A stop or a change of the
// window reaches it from the terminal, whose foreground it is.
var passed = []os.Signal{unix.SIGHUP, unix.SIGINT, unix.SIGQUIT, unix.SIGTERM, unix.SIGUSR1, unix.SIGUSR2, unix.SIGCONT}

func beFirst() int {
	signals := make(chan os.Signal, 16)
	signal.Notify(signals, passed...) // before the child lives: none is lost
	attr := &os.ProcAttr{Env: os.Environ(), Files: []*os.File{os.Stdin, os.Stdout, os.Stderr}, Sys: &syscall.SysProcAttr{}}
	if _, err := unix.IoctlGetInt(unix.Stdin, unix.TIOCGPGRP); err == nil {
		attr.Sys.Foreground, attr.Sys.Ctty = true, unix.Stdin // Ctrl-C is for the child alone
	}
	child, err := os.StartProcess("/proc/self/exe", os.Args, attr)
	if err != nil {
		fmt.Fprintf(os.Stderr, "servematrix: as the first process of a container: %v\n", err)
		return 1
	}
	go func() {
		for s := range signals {
			_ = child.Signal(s)
		}
	}()
	for {
		var ws syscall.WaitStatus
		pid, err := retry(func() (int, error) { return syscall.Wait4(-1, &ws, 0, nil) })
		switch {
		case err != nil:
			return 1 // no child, not even the one: cannot be
		case pid != child.Pid:
		case ws.Signaled():
			return 128 + int(ws.Signal())
		default:
			return ws.ExitStatus()
		}
	}
}
