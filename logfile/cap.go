package logfile

import (
	"errors"
	"fmt"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// Smallest is the least limit that a Cap can keep.
const Smallest = 1 << 20

const (
	// headMost bounds the head that stays: a start is told in less.
	headMost = 64 << 20
	// step is how much is cut at a time. The file is locked meanwhile: a writer
	// waits about as long as for a busy disk (2 ms), not until all is done.
	step = 16 << 20
)

// ErrNoHoles says that the file system cannot free the middle of a file.
var ErrNoHoles = errors.New("this file system cannot cut out the middle of a file")

// A Cap keeps what a log takes on disk under a limit by punching a hole into its
// middle: its head, an eighth of the limit and at most 64 MiB, and its newest
// part stay. The writer, which has the file open for appending, notices nothing.
// It is used by one goroutine.
type Cap struct {
	file  *os.File
	limit int64
	head  int64 // bytes that stay at the begin
	tail  int64 // bytes that stay at the end
	align int64 // of a hole's ends
	cut   int64
}

// NewCap caps a log, which must be there, at limit bytes on disk. The file stays
// open, so that its name can go or be taken by another one.
func NewCap(path string, limit int64) (*Cap, error) {
	limit = max(limit, Smallest)
	// Not through a link, and without waiting for the other end of a pipe: what
	// stands there could have been put there by the server.
	file, err := os.OpenFile(path, os.O_RDWR|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	if info, err := file.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil, errors.Join(fmt.Errorf("%s is no regular file", path), err, file.Close())
	}
	// Whole blocks of any file system; a part of one would be filled with NULs.
	align := int64(4096)
	for align < min(limit/16, 1<<20) {
		align *= 2
	}
	head := min(limit/8, headMost) &^ (align - 1)
	// An eighth of the limit is cut at a time, so that it is done seldom.
	return &Cap{file: file, limit: limit, head: head, tail: limit - head - limit/8, align: align}, nil
}

// Look cuts the log where it takes more than its limit. The error wraps
// ErrNoHoles where that cannot be done.
func (c *Cap) Look() error {
	size, used, err := c.measure()
	if err != nil || used <= c.limit {
		return err
	}
	to := (size - c.tail) &^ (c.align - 1)
	for from := c.head; ; {
		data, end, err := Next(c.file, from)
		if err != nil {
			return err
		}
		n := min(end, data+step, to) - data
		if n <= 0 {
			return nil
		}
		if err := c.punch(data, n); err != nil {
			return err
		}
		c.cut += n
		from = data + n
	}
}

func (c *Cap) measure() (size, used int64, err error) {
	info, err := c.file.Stat()
	if err != nil {
		return 0, 0, err
	}
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return info.Size(), info.Size(), nil
	}
	return st.Size, st.Blocks * 512, nil // blocks of 512 bytes whatever st_blksize says, stat(2)
}

func (c *Cap) punch(from, n int64) error {
	for {
		err := punch(int(c.file.Fd()), from, n)
		switch {
		case errors.Is(err, unix.EINTR):
		case errors.Is(err, errors.ErrUnsupported):
			return fmt.Errorf("%s: %w", c.file.Name(), ErrNoHoles)
		case err != nil:
			return fmt.Errorf("cut %s: %w", c.file.Name(), err)
		default:
			return nil
		}
	}
}

// Cut is how many bytes were cut out so far.
func (c *Cap) Cut() int64 { return c.cut }

// Close lets go of the file.
func (c *Cap) Close() error { return c.file.Close() }
