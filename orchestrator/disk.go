package orchestrator

import (
	"errors"
	"fmt"
	"slices"

	"golang.org/x/sys/unix"

	"servematrix/logfile"
	"servematrix/result"
)

// What the journal, the samples and the reports of a run take: about 20 KiB a
// sample. Five times that stays free for them, and never less than leastReserve.
const (
	bytesPerRecord = 20 << 10
	reserveFactor  = 5
)

// leastReserve is a variable for tests on small disks.
var leastReserve int64 = 64 << 20

// reserve is how much of the disk must stay free for the records of so many samples.
func reserve(samples int) int64 {
	return max(leastReserve, reserveFactor*bytesPerRecord*int64(samples))
}

// DiskError says that a run ended because its folder cannot be written any more.
type DiskError struct {
	What string // what is wrong with the disk, for people
	Full bool   // more room is what helps
	Err  error  // the system's, if a write failed already
}

// Error says so.
func (e *DiskError) Error() string { return e.What }

// Unwrap gives the system's error.
func (e *DiskError) Unwrap() error { return e.Err }

// AsDiskError gives the *DiskError in err, or makes one of a system's error that
// says that a file system takes nothing more. nil: err is another one.
func AsDiskError(err error) *DiskError {
	if e, ok := errors.AsType[*DiskError](err); ok {
		return e
	}
	is := func(codes ...error) bool {
		return slices.ContainsFunc(codes, func(code error) bool { return errors.Is(err, code) })
	}
	switch {
	case is(unix.ENOSPC, unix.EDQUOT):
		return &DiskError{"the disk is full: " + err.Error(), true, err}
	case is(unix.EROFS, unix.EIO, unix.ESTALE):
		return &DiskError{"the run folder cannot be written: " + err.Error(), false, err}
	}
	return nil
}

// diskError names what a full or broken disk has made fail.
func diskError(err error) error {
	if e := AsDiskError(err); e != nil {
		return e
	}
	return err
}

// statfs is a variable for the tests only.
var statfs = unix.Statfs

// disk is the file system that a run folder is on.
type disk struct {
	dir     string
	reserve int64
}

// look gives a *DiskError when the records of the run will soon have no room, or
// cannot be written.
func (d disk) look() error {
	var st unix.Statfs_t
	switch err := statfs(d.dir, &st); {
	case errors.Is(err, unix.ENOENT):
		return &DiskError{fmt.Sprintf("the run folder %s is not there any more", d.dir), false, err}
	case err != nil:
		return nil // what cannot be asked can still be written
	case readOnly(st):
		return &DiskError{fmt.Sprintf("the file system of %s has become read-only", d.dir), false, unix.EROFS}
	}
	if free := free(st); free < d.reserve && st.Blocks > 0 { // without blocks it does not tell
		return &DiskError{What: fmt.Sprintf("the disk is nearly full: %s are left on the file system of %s, and %s stay reserved for the journal and the reports",
			logfile.Size(free), d.dir, logfile.Size(d.reserve)), Full: true}
	}
	return nil
}

func free(st unix.Statfs_t) int64 { return int64(st.Bavail) * int64(st.Bsize) }

// blameDisk gives a failure to the disk where it is full: most that fails then
// fails because of it.
func (l *launch) blameDisk(s *result.Sample) {
	f := s.Failure
	if f == nil || notItsFault(f.Class) {
		return
	}
	if err := l.keeper.disk.look(); err != nil {
		f.Class, f.Message = "disk_full", fmt.Sprintf("%v; it showed as %s: %s", err, f.Class, f.Message)
	}
}
