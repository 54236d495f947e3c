package cli

import (
	"errors"
	"io/fs"
	"path/filepath"
)

// whyNot is what the system says of a file, without the call and the path that was tried.
func whyNot(err error) error {
	if at, is := errors.AsType[*fs.PathError](err); is {
		return at.Err
	}
	return err
}

// noSource says why a file that was named cannot be read; what is such as "script".
func noSource(what, name string, err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return usageError("there is no %s %s", what, name)
	}
	return usageError("the %s %s cannot be read: %w", what, name, whyNot(err))
}

// noTarget says why a file that was named cannot be written.
func noTarget(what, name string, err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return usageError("the %s cannot be written: there is no folder %s; make it first", what, filepath.Dir(name))
	}
	return usageError("the %s %s cannot be written: %w", what, name, whyNot(err))
}

// closedTrouble says of a file that this user may not read or write what to do; another error stays
// as it is.
func closedTrouble(err error) error {
	at, is := errors.AsType[*fs.PathError](err)
	if _, known := errors.AsType[*exitError](err); !is || known || !errors.Is(err, fs.ErrPermission) {
		return err
	}
	closed := &exitError{code: exitUsage, err: err}
	if at.Op == "open" || at.Op == "stat" {
		closed.hint = whoMay
	}
	return closed
}

// whoMay says what to do about a run folder that is closed to this user.
const whoMay = "a run can be read by the user who started it"
