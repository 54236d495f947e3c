//go:build !servematrix_readonly

package logfile

import "golang.org/x/sys/unix"

// punch frees n bytes of a file, which read as NULs afterwards.
func punch(fd int, from, n int64) error {
	return unix.Fallocate(fd, unix.FALLOC_FL_PUNCH_HOLE|unix.FALLOC_FL_KEEP_SIZE, from, n)
}
