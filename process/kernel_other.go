//go:build !linux || servematrix_readonly

package process

import (
	"context"
	"errors"
	"os"
	"syscall"
)

// Where run folders are only read, nothing is started, signalled or removed:
// what Linux's kernel would do is refused. See kernel_linux.go.

const (
	openPath      = 0
	errBadLibrary = syscall.ENOTBLK // none that an exec gives
)

var errNeedsLinux = errors.Join(errors.New("this needs Linux"), errors.ErrUnsupported)

func becomeSubreaper() error                      { return errNeedsLinux }
func canSubreap() bool                            { return false }
func pidfdOpen(int) (int, error)                  { return -1, errNeedsLinux }
func pidfdSignal(int, syscall.Signal) error       { return errNeedsLinux }
func awaitAnyExit() error                         { return errNeedsLinux }
func isChild(int) bool                            { return false }
func forkInto(*syscall.SysProcAttr, int)          {}
func closeAllOnExec(uint) error                   { return errNeedsLinux }
func memoryFile(string) (*os.File, error)         { return nil, errNeedsLinux }
func writeLease(int) error                        { return errNeedsLinux }
func statPath(string) (fileState, error)          { return fileState{}, errNeedsLinux }
func statFD(int) (fileState, error)               { return fileState{}, errNeedsLinux }
func diagnose(byte) ([]socket, bool)              { return nil, false }
func newDeathBell([]Identity) (*deathBell, error) { return nil, errNeedsLinux }

type deathBell struct{}

func (*deathBell) wait(context.Context) error { return errNeedsLinux }
func (*deathBell) close()                     {}
