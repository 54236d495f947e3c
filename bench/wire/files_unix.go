//go:build unix

package wire

import "syscall"

// openFiles is how many files this process may have open. Go raised the soft limit to the hard one
// when the program began.
func openFiles() int {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil || limit.Cur > 1<<30 {
		return 1 << 30
	}
	return int(limit.Cur)
}
