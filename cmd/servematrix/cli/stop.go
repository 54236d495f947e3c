package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"servematrix/journal"
	"servematrix/orchestrator"
	"servematrix/process"
)

type stopOptions struct {
	afterCell bool
	noWait    bool
}

// look is how often a waiting stop looks at the run lock; nothing that is measured waits for it.
const look = 100 * time.Millisecond

func newStop(env Env) *cobra.Command {
	var opt stopOptions
	cmd := &cobra.Command{
		Use:   "stop RUN",
		Short: "Ask a live run to end",
		Long: `Asks the run to end, as Ctrl-C in its terminal would: the client is ended, the server stopped
in order, and the cell at hand is left for resume. A second stop skips the server's grace.
With --after-cell the cell at hand is finished first. Waits until the run has ended.

Exit codes: 0 it has ended (or was not live; with --no-wait: it was asked) · 2 usage
  6 it is live, but its process cannot be reached from here`,
		Example: "  servematrix stop runs/quickstart-20260102T030405Z --after-cell",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return stop(cmd.Context(), env, args[0], opt)
		},
	}
	cmd.Flags().BoolVar(&opt.afterCell, "after-cell", false, "let the cell at hand finish")
	cmd.Flags().BoolVar(&opt.noWait, "no-wait", false, "do not wait until the run has ended")
	return cmd
}

func stop(ctx context.Context, env Env, arg string, opt stopOptions) error {
	folder, err := openRun(env, arg)
	if err != nil {
		return err
	}
	name := shown(env, string(folder))
	if isImported(folder) {
		fmt.Fprintf(env.Stderr, "%s was imported: nothing runs in it\n", name)
		return nil
	}
	if !folder.Live() {
		fmt.Fprintf(env.Stderr, "%s is not running\n", name)
		return nil
	}
	if opt.afterCell {
		if err := journal.WriteFile(folder.Path(orchestrator.StopAfterCell), nil); err != nil {
			return fmt.Errorf("ask the run to stop: %w", err)
		}
		fmt.Fprintf(env.Stderr, "%s ends after the cell at hand\n", name)
	} else if err := interrupt(folder); err != nil {
		if !folder.Live() {
			fmt.Fprintf(env.Stderr, "%s has ended by itself\n", name)
			return nil
		}
		return err
	}
	if opt.noWait {
		return nil
	}
	for folder.Live() {
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(look):
		}
	}
	s, err := takeSnapshot(env, folder)
	if err != nil {
		return err
	}
	fmt.Fprintf(env.Stderr, "%s: %s, samples %s\n", name, s.runState(), s.tally())
	if s.runState() != runDone {
		fmt.Fprintf(env.Stderr, "  go on with: servematrix resume %s\n", name)
	}
	return nil
}

// interrupt sends SIGTERM to the run's orchestrator, and to no other process:
// found first, identified then, signalled through the handle of the first step.
func interrupt(folder journal.Folder) error {
	state, _, err := orchestrator.ReadState(folder)
	if err != nil {
		return err
	}
	o := state.Session.Process
	if o.PID <= 1 {
		return &exitError{code: exitPreflight, err: errors.New("the run is only just starting and has not said which process it is"), hint: "try again in a moment"}
	}
	p, err := os.FindProcess(o.PID)
	if err == nil {
		defer p.Release()
		id, ierr := process.Identify(o.PID)
		if err = ierr; err == nil && id != (process.Identity{PID: o.PID, StartTicks: o.Start, BootID: o.Boot}) {
			err = os.ErrProcessDone
		}
	}
	if err == nil {
		err = p.Signal(syscall.SIGTERM)
	}
	if err != nil {
		return &exitError{code: exitPreflight,
			err:  fmt.Errorf("the run is live, but its process (pid %d on %s) cannot be reached from here: %w", o.PID, state.Session.Host, err),
			hint: "stop it where it was started, or with --after-cell, which needs the run folder only"}
	}
	return nil
}
