package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"servematrix/journal"
	"servematrix/matrix"
	"servematrix/orchestrator"
	"servematrix/report"
)

// listed is one line of ls.
type listed struct {
	Run     string         `json:"run"`
	State   string         `json:"state"` // "" where nothing is known
	Begin   time.Time      `json:"begin"`
	Samples int            `json:"samples"` // cells × blocks asked for
	Counts  map[string]int `json:"counts"`  // by status
	Bytes   int64          `json:"bytes"`
	Problem string         `json:"problem,omitempty"` // what could not be read
}

func newLs(env Env) *cobra.Command {
	var format string
	cmd := &cobra.Command{
		Use:   "ls [DIR]",
		Short: "List the runs in a folder",
		Long: `Lists the run folders in DIR (./runs by default), oldest first: where each stands (live,
done, interrupted, crashed, new, imported, damaged), how its samples ended, and the room that it takes
on disk.

Exit codes: 0 listed (also when there is none) · 2 usage`,
		Example: "  servematrix ls runs",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			if err := oneFormat(format, "text", "json"); err != nil {
				return err
			}
			dir := runsDir
			if len(args) > 0 {
				dir = args[0]
			}
			return ls(env, dir, len(args) > 0, format)
		},
	}
	cmd.Flags().StringVar(&format, "format", "text", "text or json")
	return cmd
}

func ls(env Env, dir string, named bool, format string) error {
	runs, closed, err := journal.ListAll(env.path(dir))
	switch {
	case os.IsNotExist(err) && !named: // nothing was run here yet
	case err != nil:
		return noSource("folder", dir, err)
	}
	runs = append(runs, closed...)
	slices.SortStableFunc(runs, func(a, b journal.Folder) int { return startOf(a).Compare(startOf(b)) })
	list := make([]listed, 0, len(runs))
	for _, f := range runs {
		list = append(list, listOne(env, f))
	}
	if format == "json" {
		return writeJSON(env.Stdout, list)
	}
	if len(list) == 0 {
		fmt.Fprintf(env.Stderr, "no runs in %s\n", dir)
		return nil
	}
	w := tabwriter.NewWriter(env.Stdout, 0, 8, 2, ' ', 0)
	fmt.Fprintln(w, "RUN\tSTATE\tSAMPLES\tOK\tINVALID\tFAILED\tSKIPPED\tSIZE")
	for _, l := range list {
		l.write(w)
	}
	return w.Flush()
}

func (l listed) write(w io.Writer) {
	size := "?"
	if l.Bytes > 0 {
		size = bytesText(l.Bytes)
	}
	if l.State == "" {
		fmt.Fprintf(w, "%s\t?\t\t\t\t\t\t%s", report.Visible(l.Run), size)
	} else {
		n := l.Counts
		fmt.Fprintf(w, "%s\t%s\t%d\t%d\t%d\t%d\t%d\t%s", report.Visible(l.Run), l.State, l.Samples, n[orchestrator.StatusOK], n[orchestrator.StatusInvalid],
			n[orchestrator.StatusFailed], n[orchestrator.StatusSkipped], size)
	}
	if l.Problem != "" {
		fmt.Fprintf(w, "\t%s", report.Visible(l.Problem))
	}
	fmt.Fprintln(w)
}

// listOne describes a run, as far as it can be read; what cannot is its problem.
func listOne(env Env, f journal.Folder) listed {
	if _, err := journal.Open(string(f)); err != nil {
		return listed{Run: shown(env, string(f)), Begin: startOf(f), Problem: err.Error()}
	}
	l := listed{Run: shown(env, string(f)), Begin: startOf(f), Bytes: size(f)}
	s, err := salvageSnapshot(env, f)
	if err != nil {
		l.Problem = err.Error()
		return l
	}
	l.State, l.Samples, l.Counts = s.runState(), len(s.units), s.counts()
	if n := len(s.damage); n > 0 {
		l.Problem = s.damage[0].Error()
		if newer := n == 1 && errors.Is(s.damage[0], matrix.ErrNewerPlan); !newer && l.State != runLive {
			l.State = runDamaged
		}
	}
	return l
}
