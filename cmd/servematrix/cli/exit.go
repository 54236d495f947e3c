package cli

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"servematrix/journal"
	"servematrix/matrix"
	"servematrix/orchestrator"
	"servematrix/report"
)

// Exit codes as the code gives them; ExitCodes says them to people.
const (
	exitOK          = 0
	exitInternal    = 1   // a fault of servematrix or of the host
	exitUsage       = 2   // usage or configuration
	exitCellsFailed = 3   // finished, but some cells failed
	exitGate        = 4   // a gate or a comparison failed
	exitNothing     = 5   // nothing selected
	exitPreflight   = 6   // port or device busy, lock held, host not clean
	exitSIGINT      = 130 // interrupted, resumable
	exitSIGTERM     = 143
)

// ExitCode is a row of the table of exit codes; one can have several codes.
type ExitCode struct {
	Codes string // parted by "/"
	Means string
	Like  string // how people meet it
}

// ExitCodes are all of them, for the help and for the documentation.
var ExitCodes = []ExitCode{
	{"0", "ok", "everything that was asked for is measured and valid; a file was drawn; no gate failed"},
	{"1", "internal error", "the output could not be written, a folder not be read"},
	{"2", "usage or configuration", "an unknown flag, a mistake in the sweep, a run folder that is none"},
	{"3", "finished, some cells failed", "the last attempt at a cell failed, or is invalid"},
	{"4", "a gate or a comparison failed", "`compare --fail-if` held; `bench --find` found no load that meets its SLO"},
	{"5", "nothing selected", "`--only` leaves no cell"},
	{"6", "preflight: port or device busy, lock held, host not clean", "another session works in the folder; a hook with `on_error: stop` failed; the disk is full"},
	{"130/143", "interrupted, resumable", "Ctrl-C; SIGTERM or `stop`"},
}

// exitHelp is the table as the help shows it.
var exitHelp = "Exit codes:\n  " + listedCodes(ExitCodes[:4]) + "\n  " + listedCodes(ExitCodes[4:6]) + "\n  " + listedCodes(ExitCodes[6:])

func listedCodes(some []ExitCode) string {
	texts := make([]string, len(some))
	for i, c := range some {
		texts[i] = c.Codes + " " + c.Means
	}
	return strings.Join(texts, " · ")
}

// exitError carries the exit code that an error means, and what to do about it.
type exitError struct {
	code int
	err  error
	hint string
	mute bool // everything was said already
}

func (e *exitError) Error() string { return e.err.Error() }
func (e *exitError) Unwrap() error { return e.err }

// usageError is a mistake in the call or the configuration.
func usageError(format string, args ...any) error {
	return &exitError{code: exitUsage, err: fmt.Errorf(format, args...)}
}

// exitWith ends the program with a code when everything was said already.
func exitWith(code int) error {
	return &exitError{code: code, err: fmt.Errorf("exit %d", code), mute: true}
}

// planTrouble says how to go on with a run whose plan cannot be used.
func planTrouble(run string, err error) error {
	if errors.Is(err, matrix.ErrNewerPlan) {
		return &exitError{code: exitUsage, err: fmt.Errorf("the plan of %s cannot be used: %w", run, err),
			hint: "use the version of servematrix that made it; report, status and logs show what this one knows"}
	}
	return &exitError{code: exitUsage, err: fmt.Errorf("the plan of %s cannot be used: %w", run, err),
		hint: "no sample is lost; put " + journal.PlanFile + " back, or make it again from the sweep: servematrix run SWEEP --into " + run}
}

// damageTrouble says how to mend a run whose journal was damaged; another
// error stays as it is.
func damageTrouble(env Env, err error) error {
	damage, is := errors.AsType[*journal.DamageError](err)
	if _, known := errors.AsType[*exitError](err); !is || known {
		return err
	}
	folder := journal.Folder(filepath.Dir(damage.Path))
	return &exitError{code: exitUsage, err: err, hint: report.Mend(shown(env, string(folder)), damage.Line, isImported(folder)).EN}
}

// notAll gives the error of what was shown, though not all of it could be read, its exit code and what to do.
func notAll(env Env, err error) error {
	if known := damageTrouble(env, err); known != err {
		return known
	}
	return &exitError{code: exitUsage, err: err}
}

// exitCode gives the code of an error, 0 for none.
func exitCode(err error) int {
	var e *exitError
	switch {
	case err == nil:
		return exitOK
	case errors.As(err, &e):
		return e.code
	}
	return exitInternal
}

// diskTrouble gives an error that a full or broken disk has brought about its
// exit code and says what to do: then is the command to go on with. Another
// error stays as it is.
func diskTrouble(err error, then string) error {
	disk := orchestrator.AsDiskError(err)
	var known *exitError
	if disk == nil || errors.As(err, &known) {
		return err
	}
	hint := "no finished sample is lost; make the folder writable again, then: " + then
	if disk.Full {
		hint = "no finished sample is lost; make room, then: " + then
	}
	return &exitError{code: exitPreflight, err: disk, hint: hint}
}
