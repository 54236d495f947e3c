package wire

import (
	"encoding/binary"
	"time"

	"golang.org/x/sys/unix"
)

// stamped asks the kernel to say of what comes over a socket when it came. One that cannot is read
// all the same.
func stamped(fd int) {
	_ = unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_TIMESTAMPNS, 1)
}

// stampSpace is the room of a timestamp beside what is read: a header and two numbers.
var stampSpace = unix.CmsgSpace(16)

// receive reads once from a socket, into b, and says when the newest of what it read had come: by the
// kernel, not before after, or else now. With a machine that is busy it is read later than it came.
func receive(fd int, b, stamp []byte, after time.Time) (n int, at time.Time, err error) {
	n, said, _, _, err := unix.Recvmsg(fd, b, stamp, unix.MSG_DONTWAIT)
	now := time.Now()
	if err != nil || said == 0 {
		return n, now, err
	}
	came, ok := parseStamp(stamp[:said])
	if !ok {
		return n, now, nil
	}
	// The stamp is of the wall clock, which may be set in between.
	at = now.Add(came.Sub(now.Round(0)))
	if at.After(now) || at.Before(after) {
		return n, now, nil
	}
	return n, at, nil
}

// parseStamp reads a timestamp of the kernel: struct timespec, as unix(7) and socket(7) call it.
func parseStamp(b []byte) (time.Time, bool) {
	header, data, _, err := unix.ParseOneSocketControlMessage(b)
	if err != nil || header.Level != unix.SOL_SOCKET || header.Type != unix.SCM_TIMESTAMPNS || len(data) < 16 {
		return time.Time{}, false
	}
	return time.Unix(int64(binary.NativeEndian.Uint64(data)), int64(binary.NativeEndian.Uint64(data[8:]))), true
}
