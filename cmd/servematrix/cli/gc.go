package cli

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"servematrix/journal"
	"servematrix/orchestrator"
)

type gcOptions struct {
	older  string
	keep   int
	dryRun bool
	yes    bool
}

func newGc(env Env) *cobra.Command {
	var opt gcOptions
	cmd := &cobra.Command{
		Use:   "gc [RUN…]",
		Short: "Free the room that old runs take and that nobody needs any more",
		Long: `Says for each run (all under ./runs, unless some are named) what could be freed, and frees it
when you agree: the logs of servers, what clients printed and wrote in attempts that others came
after, warm-ups, outputs of hooks. Samples, journals, reports, plans, the last attempt at each
cell and what explains one that failed stay: a run can be resumed and its report drawn afterwards
(with the numbers; the text of freed outputs is gone from it). Live runs are left alone.

Exit codes: 0 freed, or nothing to free · 1 something could not be removed · 2 usage
  6 a run was left alone: it is live, still being cleaned up, or cannot be read`,
		Example: "  servematrix gc --older 14d --dry-run\n  servematrix gc --keep 5 --yes",
		RunE:    func(_ *cobra.Command, args []string) error { return gc(env, args, opt) },
	}
	f := cmd.Flags()
	f.StringVar(&opt.older, "older", "", "only runs that began longer ago than this, such as 36h or 14d")
	f.IntVar(&opt.keep, "keep", 0, "leave the newest N runs alone")
	f.BoolVar(&opt.dryRun, "dry-run", false, "say what would be freed, and free nothing")
	f.BoolVar(&opt.yes, "yes", false, "free without asking")
	return cmd
}

func gc(env Env, names []string, opt gcOptions) error {
	runs, err := gcRuns(env, names, opt)
	if err != nil {
		return err
	}
	var all []clearing
	defer func() {
		for _, c := range all {
			_ = c.lock.Release() // nothing was written under it
		}
	}()
	spared := 0
	for _, f := range runs {
		if isImported(f) { // it has samples and their sources, and nothing else
			if len(names) > 0 {
				fmt.Fprintf(env.Stderr, "%s was imported: there is nothing to free in it\n", shown(env, string(f)))
			}
			continue
		}
		c, err := openClearing(f)
		if err != nil {
			fmt.Fprintf(env.Stderr, "servematrix: %s is left alone: %v\n", shown(env, string(f)), err)
			spared++
			continue
		}
		all = append(all, c)
	}
	sum := listClearings(env, all)
	switch {
	case sum == 0 || opt.dryRun:
	case opt.yes || agreed(env, sum):
		if err = clearAll(all); err == nil {
			fmt.Fprintf(env.Stderr, "freed %s\n", bytesText(sum))
		}
	default:
		fmt.Fprintln(env.Stderr, "nothing was freed; --yes frees it")
	}
	if err == nil && spared > 0 {
		err = exitWith(exitPreflight)
	}
	return err
}

// gcRuns gives the runs to look at, oldest first.
func gcRuns(env Env, names []string, opt gcOptions) ([]journal.Folder, error) {
	if opt.keep < 0 {
		return nil, usageError("--keep must be 0 or more")
	}
	age, err := ageOf(opt.older)
	if err != nil {
		return nil, err
	}
	runs, err := runsToSearch(env, names)
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(runs, func(a, b journal.Folder) int { return startOf(a).Compare(startOf(b)) })
	runs = runs[:max(len(runs)-opt.keep, 0)]
	return slices.DeleteFunc(runs, func(f journal.Folder) bool { return time.Since(startOf(f)) < age }), nil
}

// ageOf reads a duration that may count days.
func ageOf(text string) (time.Duration, error) {
	if text == "" {
		return 0, nil
	}
	if days, ok := strings.CutSuffix(text, "d"); ok {
		if n, err := strconv.ParseFloat(days, 64); err == nil && n >= 0 && n < 100_000 {
			return time.Duration(n * 24 * float64(time.Hour)), nil
		}
	}
	d, err := time.ParseDuration(text)
	if err != nil || d < 0 {
		return 0, usageError("--older %q: want such as 36h or 14d", text)
	}
	return d, nil
}

// clearing is a run whose lock is held, and what can be freed of it.
type clearing struct {
	folder journal.Folder
	lock   *journal.Lock
	bulk   []orchestrator.Bulk
}

func openClearing(f journal.Folder) (c clearing, err error) {
	c.folder = f
	if c.lock, err = f.Lock(); err != nil { // nobody can resume it meanwhile
		return c, err
	}
	if orchestrator.GuardsLive(f) {
		err = errors.New("it crashed, and a guard is still ending what it left")
	} else {
		c.bulk, err = orchestrator.FindBulk(f, f.Events())
	}
	if err != nil {
		err = errors.Join(err, c.lock.Release())
	}
	return c, err
}

// listClearings writes what could be freed, by run and kind, and gives the sum.
func listClearings(env Env, all []clearing) (sum int64) {
	kinds := []string{orchestrator.BulkLogs, orchestrator.BulkAttempts, orchestrator.BulkWarmups, orchestrator.BulkHooks, orchestrator.BulkTelemetry}
	w := tabwriter.NewWriter(env.Stdout, 0, 8, 2, ' ', 0)
	defer w.Flush()
	fmt.Fprintf(w, "RUN\tON DISK\tTO FREE\t%s\n", strings.ToUpper(strings.Join(kinds, "\t")))
	for _, c := range all {
		of := map[string]int64{}
		var free int64
		for _, b := range c.bulk {
			of[b.Kind] += b.Bytes
			free += b.Bytes
		}
		if free == 0 {
			continue
		}
		fmt.Fprintf(w, "%s\t%s\t%s", shown(env, string(c.folder)), bytesText(size(c.folder)), bytesText(free))
		for _, kind := range kinds {
			fmt.Fprintf(w, "\t%s", bytesText(of[kind]))
		}
		fmt.Fprintln(w)
		sum += free
	}
	fmt.Fprintf(w, "in %s\t\t%s\n", count(len(all), "run"), bytesText(sum))
	return sum
}

// agreed asks, where somebody is there to answer.
func agreed(env Env, sum int64) bool {
	if is, _ := terminal(env.Stdin); !is {
		return false
	}
	fmt.Fprintf(env.Stderr, "free %s? [y/N] ", bytesText(sum))
	answer, _ := bufio.NewReader(env.Stdin).ReadString('\n') // no answer is a no
	return slices.Contains([]string{"y", "yes"}, strings.ToLower(strings.TrimSpace(answer)))
}

// clearAll removes the bulk and the folders that are empty then.
func clearAll(all []clearing) (first error) {
	for _, c := range all {
		for _, b := range c.bulk {
			if err := os.Remove(b.Path); err != nil && !os.IsNotExist(err) {
				first = cmp.Or(first, fmt.Errorf("free a run's room: %w", err))
				continue
			}
			for dir := filepath.Dir(b.Path); dir != string(c.folder) && os.Remove(dir) == nil; dir = filepath.Dir(dir) {
			}
		}
	}
	return first
}
