package wire

import (
	"encoding/binary"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// stamped asks the kernel to say of what comes over a socket when it came. One that cannot is read
// all the same.
func stamped(fd int) {
	_ = unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_TIMESTAMPNS, 1)
}

// stampLead is how long before a socket can be read the kernel may stamp what comes.
const stampLead = time.Millisecond

// stampSpace is the room of a timestamp beside what is read: a header and two numbers.
var stampSpace = unix.CmsgSpace(16)

// receive reads once from a socket, into b, and says when the newest of what it read had come: by the
// kernel where there is room for its stamp, not before after, or else now. With a machine that is busy
// it is read later than it came.
func receive(fd int, b, stamp []byte, after time.Time) (n int, at time.Time, err error) {
	if len(stamp) == 0 { // a unix socket could bring open files with it
		n, err = syscall.Read(fd, b)
		return n, time.Now(), err
	}
	n, said, _, _, err := unix.Recvmsg(fd, b, stamp, unix.MSG_DONTWAIT)
	now := time.Now()
	if err != nil || said == 0 {
		return n, now, err
	}
	if came, ok := parseStamp(stamp[:said]); ok {
		return n, believed(came, after, now), nil
	}
	return n, now, nil
}

// believed is when bytes came that the kernel says came then, on the wall clock: not before after and
// not after now. The clock may have been set in between; and what came out of turn, before a segment
// that was lost and sent again, could not be read when it came.
func believed(came, after, now time.Time) time.Time {
	at := now.Add(came.Sub(now.Round(0)))
	if at.After(now) || at.Before(after) {
		return now
	}
	return at
}

// parseStamp reads a timestamp of the kernel: struct timespec, as unix(7) and socket(7) call it.
func parseStamp(b []byte) (time.Time, bool) {
	header, data, _, err := unix.ParseOneSocketControlMessage(b)
	if err != nil || header.Level != unix.SOL_SOCKET || header.Type != unix.SCM_TIMESTAMPNS || len(data) < 16 {
		return time.Time{}, false
	}
	return time.Unix(int64(binary.NativeEndian.Uint64(data)), int64(binary.NativeEndian.Uint64(data[8:]))), true
}
