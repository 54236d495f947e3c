//go:build !servematrix_readonly

package journal

import "golang.org/x/sys/unix"

// lowerThread gives the calling thread a priority.
func lowerThread(nice int) error { return unix.Setpriority(unix.PRIO_PROCESS, unix.Gettid(), nice) }

// renameNew renames to a name that must be free, in one step.
func renameNew(from, to string) error {
	return unix.Renameat2(unix.AT_FDCWD, from, unix.AT_FDCWD, to, unix.RENAME_NOREPLACE)
}
