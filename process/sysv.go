package process

import (
	"bufio"
	"bytes"
	"os"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

// sysVSegment is one line of /proc/sysvipc/shm.
type sysVSegment struct {
	id, creator, attached int
	uid                   int
	bytes                 int64
	changed               int64 // ctime in seconds: its birth, unless somebody changed its owner or mode
}

func (s sysVSegment) object() Object {
	return Object{Kind: ObjectSysV, Path: "shmid " + strconv.Itoa(s.id), Ino: uint64(s.id), Born: time.Unix(s.changed, 0).UTC(), Bytes: s.bytes}
}

// sysVSegments lists System V shared memory; there is none where the kernel has no System V IPC.
func sysVSegments() (found []sysVSegment) {
	f, err := os.Open("/proc/sysvipc/shm")
	if err != nil {
		return nil
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		// key shmid perms size cpid lpid nattch uid gid cuid cgid atime dtime ctime rss swap
		fields := bytes.Fields(lines.Bytes())
		if len(fields) < 14 {
			continue
		}
		numbers := [...]int{1, 4, 6, 7, 3, 13}
		var n [len(numbers)]int
		ok := true
		for i, field := range numbers {
			var good bool
			n[i], good = atoi(fields[field])
			ok = ok && good
		}
		if ok { // not the heading
			found = append(found, sysVSegment{id: n[0], creator: n[1], attached: n[2], uid: n[3], bytes: int64(n[4]), changed: int64(n[5])})
		}
	}
	return found
}

// removeSysV marks a segment that nobody is attached to for removal.
func (o Object) removeSysV() (bool, error) {
	if o.InUse() {
		return false, ErrInUse
	}
	_, err := unix.SysvShmCtl(int(o.Ino), unix.IPC_RMID, nil)
	return err == nil, err
}
