package report

import (
	"io/fs"

	"golang.org/x/sys/unix"
)

// plainFile is a file that is read at once and let go of. The report of a large run opens a hundred
// thousand of them; os.Open would offer each to the poller, which takes no regular file, and that is
// more system calls than all else that is done with it.
type plainFile struct {
	fd   int
	path string
}

func openPlain(path string) (f plainFile, err error) {
	f.path = path
	f.fd, err = again(func() (int, error) {
		return unix.Open(path, unix.O_RDONLY|unix.O_CLOEXEC|unix.O_NONBLOCK, 0) // it could be a pipe that nobody writes to
	})
	return f, f.failed("open", err)
}

// read reads into a text what it has room for; 0 bytes are the end.
func (f plainFile) read(into []byte) (int, error) {
	n, err := again(func() (int, error) { return unix.Read(f.fd, into) })
	return max(n, 0), f.failed("read", err)
}

// readInto appends the rest of the file to a text.
func (f plainFile) readInto(text []byte) ([]byte, error) {
	for {
		if len(text) == cap(text) {
			text = append(text, 0)[:len(text)]
		}
		n, err := f.read(text[len(text):cap(text)])
		if n == 0 || err != nil {
			return text, err
		}
		text = text[:len(text)+n]
	}
}

func (f plainFile) close() { unix.Close(f.fd) }

func (f plainFile) failed(op string, err error) error {
	if err == nil {
		return nil
	}
	return &fs.PathError{Op: op, Path: f.path, Err: err}
}

// again calls what a signal can interrupt until none does.
func again(call func() (int, error)) (n int, err error) {
	for {
		if n, err = call(); err != unix.EINTR {
			return n, err
		}
	}
}
