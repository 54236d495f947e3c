package orchestrator

import (
	"context"
	"errors"
	"syscall"

	"servematrix/journal"
)

// Exit codes of a verdict; the command line's table has them all.
const (
	ExitOK        = 0
	ExitInternal  = 1
	ExitFailed    = 3
	ExitPreflight = 6
	ExitSIGINT    = 130
	ExitSIGTERM   = 143
)

// verdict counts, writes the session's end and maps what ended it to an exit code.
func (r *runner) verdict(ctx context.Context, err error) (journal.Verdict, error) {
	v := r.count()
	var interrupt *Interrupt
	var dirty *NotCleanError
	var hook *HookError
	var full *DiskError
	if disk, ok := errors.AsType[*DiskError](context.Cause(ctx)); ok && err != nil && !errors.As(err, &dirty) {
		err = disk // what else failed then did so because of it
	}
	switch {
	case errors.As(err, &interrupt):
		v.ExitCode = ExitSIGINT
		if interrupt.Signal == syscall.SIGTERM {
			v.ExitCode = ExitSIGTERM
		}
	case errors.Is(err, ErrStopAsked):
		v.ExitCode = ExitSIGINT
	case errors.As(err, &dirty), errors.As(err, &hook), errors.As(err, &full):
		v.ExitCode = ExitPreflight
	case err != nil:
		v.ExitCode = ExitInternal
	case v.OK < len(r.planned()):
		v.ExitCode = ExitFailed
	}
	switch {
	case errors.Is(err, ErrStopAsked):
		r.tell(err)
	case err != nil && interrupt == nil && !errors.Is(err, context.Cause(ctx)): // that was told when it came
		r.warn(err.Error())
	}
	// The context of an interrupted run is over; the message that it ended shall go out all the same.
	r.sum = v
	if herr := r.hook(context.WithoutCancel(ctx), afterRun, journal.Event{}); herr != nil {
		r.warn(herr.Error())
	}
	r.told() // nothing may follow the end
	eerr := r.emit(journal.Event{Type: journal.RunEnded}, v, true)
	if full != nil {
		return v, err // of a disk that failed before one word is enough
	}
	return v, errors.Join(err, eerr)
}

// count sums up the last attempts. What a resume goes on with by itself is missing, also a failed or interrupted try.
func (r *runner) count() (v journal.Verdict) {
	for _, u := range r.planned() {
		o := r.state.Of(u)
		switch {
		case !o.Final:
			v.Missing++
		case o.Status == StatusOK:
			v.OK++
		case o.Status == StatusInvalid:
			v.Invalid++
		case o.Status == StatusSkipped:
			v.Skipped++
		default:
			v.Failed++
		}
	}
	return v
}
