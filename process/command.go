package process

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// Classes of a StartError: the failure classes of the contract that a start
// can end with before anything runs.
const (
	ClassBadCommand  = "bad_command"  // the command or its folder is not there or cannot run
	ClassDiskFull    = "disk_full"    // a file could not be created for lack of space
	ClassStartFailed = "start_failed" // anything else: process limit, lock held, guard died
)

// StartError says why nothing was started. No process is left, and the files
// that the attempt created are removed again.
type StartError struct {
	// Class is one of the Class constants.
	Class string
	// Op is what was tried, such as "run command" or "create log".
	Op string
	// Path is what it was tried on.
	Path string
	// Err is why, in words for people; it wraps the system's error where there
	// is one.
	Err error
}

// Error names the operation, its object and the reason.
func (e *StartError) Error() string {
	return fmt.Sprintf("%s %s: %v", e.Op, e.Path, e.Err)
}

// Unwrap gives the reason.
func (e *StartError) Unwrap() error { return e.Err }

func badCommand(op, path string, err error) *StartError {
	return &StartError{Class: ClassBadCommand, Op: op, Path: path, Err: err}
}

// resolved is a Spec whose paths are all absolute and whose command was found.
type resolved struct {
	Spec
	path string // the file to execute
}

// resolve finds the command and the folder before anything is started. What it
// cannot see (a damaged binary, the interpreter of a script) the guard reports
// when it executes the file.
func resolve(spec Spec) (resolved, error) {
	r := resolved{Spec: spec}
	if len(spec.Argv) == 0 || spec.Argv[0] == "" {
		return r, badCommand("run command", `""`, errors.New("the command is empty"))
	}
	if spec.Env == nil {
		r.Env = os.Environ()
	}
	var err error
	if r.Dir, err = filepath.Abs(spec.Dir); err != nil {
		return r, badCommand("use folder", spec.Dir, err)
	}
	if info, err := os.Stat(r.Dir); err != nil {
		return r, badCommand("use folder", r.Dir, reason(err))
	} else if !info.IsDir() {
		return r, badCommand("use folder", r.Dir, unix.ENOTDIR)
	}
	for _, path := range []*string{&r.Stdout, &r.Stderr, &r.Status, &r.Lock} {
		if *path == "" {
			continue
		}
		if *path, err = filepath.Abs(*path); err != nil {
			return r, &StartError{Class: ClassStartFailed, Op: "find folder of", Path: *path, Err: err}
		}
	}
	r.path, err = lookPath(spec.Argv[0], r.Dir, r.Env)
	return r, err
}

// lookPath finds the file that execvp(3) would run in that folder with that
// environment, which need not be those of this process.
func lookPath(name, dir string, env []string) (string, error) {
	if strings.Contains(name, "/") {
		path := name
		if !filepath.IsAbs(path) {
			path = dir + "/" + path // not Join: it would resolve ".." behind a link
		}
		if err := executable(path); err != nil {
			return "", badCommand("run command", path, err)
		}
		return path, nil
	}
	search := variable(env, "PATH")
	var refused error
	for _, folder := range filepath.SplitList(search) {
		if !filepath.IsAbs(folder) {
			folder = filepath.Join(dir, folder)
		}
		path := filepath.Join(folder, name)
		err := executable(path)
		if err == nil {
			return path, nil
		}
		if refused == nil && errors.Is(err, fs.ErrPermission) {
			refused = badCommand("run command", path, err)
		}
	}
	if refused != nil {
		return "", refused
	}
	if search == "" {
		return "", badCommand("run command", name, fmt.Errorf("%w: its environment has no PATH; give the command's full path", unix.ENOENT))
	}
	return "", badCommand("run command", name, fmt.Errorf("%w in its PATH (%s)", unix.ENOENT, search))
}

// variable gives the last value of name, the one that counts.
func variable(env []string, name string) string {
	for i := len(env) - 1; i >= 0; i-- {
		if value, ok := strings.CutPrefix(env[i], name+"="); ok {
			return value
		}
	}
	return ""
}

func executable(path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return reason(err)
	}
	if info.IsDir() {
		return fmt.Errorf("%w: it is a folder", unix.EACCES)
	}
	if err := unix.Faccessat(unix.AT_FDCWD, path, unix.X_OK, unix.AT_EACCESS); err != nil {
		return fmt.Errorf("%w: the file is not executable (chmod +x)", err)
	}
	return nil
}

// reason strips the operation and path that a StartError says already.
func reason(err error) error {
	if pathErr := (*os.PathError)(nil); errors.As(err, &pathErr) {
		return pathErr.Err
	}
	return err
}

// execError words what execve(2) refused.
func execError(path string, errno syscall.Errno) *StartError {
	switch errno {
	case unix.ENOENT:
		return badCommand("run command", path, fmt.Errorf("%w: the file is there, so its interpreter (the #! line or the ELF loader) is not", errno))
	case unix.ENOEXEC:
		return badCommand("run command", path, fmt.Errorf("%w: neither a program for this machine nor a script with a #! line", errno))
	case unix.E2BIG:
		return badCommand("run command", path, fmt.Errorf("%w: arguments and environment exceed the kernel's limit", errno))
	case unix.EACCES, unix.EPERM, unix.ENOTDIR, unix.ELOOP, unix.ETXTBSY, unix.ENAMETOOLONG, unix.EISDIR, errBadLibrary, unix.EINVAL:
		return badCommand("run command", path, errno)
	case unix.EAGAIN:
		return &StartError{Class: ClassStartFailed, Op: "run command", Path: path, Err: fmt.Errorf("%w: the limit of processes is reached (ulimit -u, or the pids limit of the container)", errno)}
	}
	return &StartError{Class: ClassStartFailed, Op: "run command", Path: path, Err: errno}
}

// fileError words why a log, lock or status file could not be made.
func fileError(op, path string, err error) *StartError {
	class := ClassStartFailed
	if errors.Is(err, unix.ENOSPC) || errors.Is(err, unix.EDQUOT) {
		class = ClassDiskFull
	}
	return &StartError{Class: class, Op: op, Path: path, Err: reason(err)}
}
