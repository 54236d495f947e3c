package process

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"time"

	"golang.org/x/sys/unix"
)

// Kinds of an Object.
const (
	ObjectShm    = "shm"    // POSIX shared memory: a file directly in /dev/shm
	ObjectFile   = "file"   // a file in the folder for temporary ones that is mapped as shared memory
	ObjectSocket = "socket" // a unix socket's place in the file system
	ObjectSysV   = "sysv"   // System V shared memory
)

// Object is something with a name on this host that a tree made and that can
// outlive it. Device, inode and birth together name it for good: a later one
// under the same name is another.
type Object struct {
	Kind string `json:"kind"` // `shm` (in /dev/shm), `sysv`, `file` (mapped, in the folder for temporary files) or `socket`
	// Path is the file; for System V memory "shmid N".
	Path string `json:"path"`
	Dev  uint64 `json:"dev,omitempty"` // device number of the file system
	Ino  uint64 `json:"ino"`           // inode; of System V memory its id
	// Born is the birth time, the last change of the inode where the file system keeps no birth time.
	Born  time.Time `json:"born"`
	Bytes int64     `json:"bytes,omitempty"` // its size
}

// String is the path.
func (o Object) String() string { return o.Path }

// objectID is what tells an object from any other.
type objectID struct {
	kind     string
	dev, ino uint64
	born     int64
}

func (o Object) id() objectID { return objectID{o.Kind, o.Dev, o.Ino, o.Born.UnixNano()} }

// same says whether both are one and the same object.
func (o Object) same(other Object) bool { return o.id() == other.id() }

// objectAt looks at a path, which is not followed when it is a link. uid is its owner.
func objectAt(kind, path string) (o Object, uid int, ok bool) {
	st, err := statPath(path)
	if err != nil {
		return Object{}, 0, false
	}
	return objectOf(kind, path, st)
}

// fileState is what the kernel says of a file.
type fileState struct {
	dev, ino uint64
	mode     uint32
	uid      int
	bytes    int64
	born     time.Time // the last change of the inode where the file system keeps no birth time
}

func objectOf(kind, path string, st fileState) (o Object, uid int, ok bool) {
	want := uint32(unix.S_IFREG)
	if kind == ObjectSocket {
		want = unix.S_IFSOCK
	}
	return Object{Kind: kind, Path: path, Dev: st.dev, Ino: st.ino, Born: st.born, Bytes: st.bytes}, st.uid, st.mode&unix.S_IFMT == want
}

// There says whether this very object is still there.
func (o Object) There() bool {
	if o.Kind == ObjectSysV {
		return slices.ContainsFunc(sysVSegments(), func(s sysVSegment) bool { return s.object().same(o) })
	}
	now, _, ok := objectAt(o.Kind, o.Path)
	return ok && now.same(o)
}

// ErrInUse says that a living process has the object open or mapped.
var ErrInUse = errors.New("in use")

// Remove takes the object away when it is this very one and nobody uses it. It
// gives false when there was nothing to take away any more. The error wraps
// ErrInUse when somebody has it open or mapped; Users names them.
func (o Object) Remove() (removed bool, err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("remove %s: %w", o.Path, err)
		}
	}()
	switch {
	case !o.There():
		return false, nil
	case o.Kind == ObjectSysV:
		return o.removeSysV()
	case o.Kind == ObjectSocket:
		return o.removeSocket()
	}
	return o.removeFile()
}

// removeFile holds a write lease while it unlinks: the kernel grants one only on
// a file that nobody else has open or mapped, in whatever container or by
// whatever user, and lets nobody open it meanwhile.
func (o Object) removeFile() (bool, error) {
	fd, err := o.lease()
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	defer unix.Close(fd)
	if err := unix.Unlink(o.Path); err != nil {
		return false, err
	}
	return true, nil
}

// lease opens the file and takes a write lease, without which nothing is removed.
func (o Object) lease() (int, error) {
	fd, err := unix.Open(o.Path, unix.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if err != nil {
		return -1, err
	}
	if err := o.leaseOn(fd); err != nil {
		unix.Close(fd)
		return -1, err
	}
	return fd, nil
}

func (o Object) leaseOn(fd int) error {
	st, err := statFD(fd)
	if err != nil {
		return err
	}
	if now, _, ok := objectOf(o.Kind, o.Path, st); !ok || !now.same(o) {
		return fs.ErrNotExist
	}
	err = writeLease(fd)
	switch {
	case err == nil:
		return nil
	case errors.Is(err, unix.EAGAIN), len(o.Users()) > 0:
		return ErrInUse
	}
	// That nobody is seen with it proves nothing: others may be in another container.
	return fmt.Errorf("whether somebody uses it cannot be known: no lease on it: %w", err)
}

// InUse says whether somebody has it open or mapped. What cannot be asked counts as used.
func (o Object) InUse() bool {
	switch o.Kind {
	case ObjectSysV:
		return slices.ContainsFunc(sysVSegments(), func(s sysVSegment) bool { return s.object().same(o) && s.attached > 0 })
	case ObjectSocket:
		return slices.ContainsFunc(unixSockets(), func(s unixSocket) bool { return s.path == o.Path })
	}
	fd, err := o.lease()
	if err != nil {
		return !errors.Is(err, fs.ErrNotExist)
	}
	unix.Close(fd)
	return false
}

// removeSocket unlinks a socket to which nothing is bound any more.
func (o Object) removeSocket() (bool, error) {
	if o.InUse() {
		return false, ErrInUse
	}
	if err := unix.Unlink(o.Path); err != nil {
		return false, err
	}
	return true, nil
}

// Users names the processes that have the object open or mapped, as far as
// this user may see them.
func (o Object) Users() []Survivor {
	t, err := scan()
	if err != nil {
		return nil
	}
	self := os.Getpid()
	var users []Survivor
	for _, p := range living(t.procs) {
		if p.pid != self && o.usedBy(p.pid) {
			users = append(users, p.survivor())
		}
	}
	return users
}

func (o Object) usedBy(pid int) bool {
	var used bool
	w := newWanted()
	mark := func() { used = true }
	switch o.Kind {
	case ObjectSysV:
		return false // the kernel counts them and does not name them
	case ObjectSocket:
		for _, s := range unixSockets() {
			if s.path == o.Path {
				w.sockets[s.inode] = mark
			}
		}
	default:
		w.file(o, true, mark)
	}
	w.open(pid, false)
	w.mapped(pid, false)
	return used
}
