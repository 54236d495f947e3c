//go:build !servematrix_readonly

package process

import (
	"math"
	"os"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// What only Linux's kernel has, a function each. kernel_other.go has them for
// systems on which run folders are only read.

const (
	openPath      = unix.O_PATH
	errBadLibrary = unix.ELIBBAD
)

func becomeSubreaper() error { return unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) }

func canSubreap() bool {
	var is int32
	return unix.Prctl(unix.PR_GET_CHILD_SUBREAPER, uintptr(unsafe.Pointer(&is)), 0, 0, 0) == nil
}

func pidfdOpen(pid int) (fd int, err error) { return unix.PidfdOpen(pid, 0) }

func pidfdSignal(fd int, sig syscall.Signal) error { return unix.PidfdSendSignal(fd, sig, nil, 0) }

// awaitAnyExit blocks until a child has ended, and does not reap it.
func awaitAnyExit() error {
	return unix.Waitid(unix.P_ALL, 0, nil, unix.WEXITED|unix.WNOWAIT, nil)
}

// isChild tells whether pid is a child that was not reaped yet.
func isChild(pid int) bool {
	return unix.Waitid(unix.P_PID, pid, nil, unix.WEXITED|unix.WNOHANG|unix.WNOWAIT, nil) == nil
}

// forkInto makes a fork begin its life in a cgroup; -1 takes that back.
func forkInto(attr *syscall.SysProcAttr, cgroup int) {
	attr.UseCgroupFD, attr.CgroupFD = cgroup >= 0, max(cgroup, 0)
}

// closeAllOnExec marks every descriptor from first on.
func closeAllOnExec(first uint) error {
	return unix.CloseRange(first, math.MaxUint32, unix.CLOSE_RANGE_CLOEXEC)
}

// memoryFile is a file without a name.
func memoryFile(name string) (*os.File, error) {
	fd, err := unix.MemfdCreate(name, unix.MFD_CLOEXEC)
	if err != nil {
		return nil, err
	}
	return os.NewFile(uintptr(fd), name), nil
}

// writeLease takes a lease that the kernel grants only on a file that nobody
// else has open or mapped. See F_SETLEASE in fcntl(2).
func writeLease(fd int) error {
	_, err := unix.FcntlInt(uintptr(fd), unix.F_SETLEASE, unix.F_WRLCK)
	return err
}

// statPath looks at a path, which is not followed when it is a link.
func statPath(path string) (fileState, error) {
	return statx(unix.AT_FDCWD, path, unix.AT_SYMLINK_NOFOLLOW)
}

// statFD looks at an open file.
func statFD(fd int) (fileState, error) { return statx(fd, "", unix.AT_EMPTY_PATH) }

func statx(dir int, path string, flags int) (fileState, error) {
	var st unix.Statx_t
	if err := unix.Statx(dir, path, flags, unix.STATX_BASIC_STATS|unix.STATX_BTIME, &st); err != nil {
		return fileState{}, err
	}
	born := st.Ctime
	if st.Mask&unix.STATX_BTIME != 0 {
		born = st.Btime
	}
	return fileState{
		dev: unix.Mkdev(st.Dev_major, st.Dev_minor), ino: st.Ino, mode: uint32(st.Mode), uid: int(st.Uid), bytes: int64(st.Size),
		born: time.Unix(born.Sec, int64(born.Nsec)).UTC(),
	}, nil
}
