package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"servematrix/engine"
	"servematrix/journal"
	"servematrix/matrix"
	"servematrix/orchestrator"
)

type resumeOptions struct {
	blocks   int
	retry    string
	progress string
	color    string
}

func newResume(env Env) *cobra.Command {
	var opt resumeOptions
	cmd := &cobra.Command{
		Use:   "resume RUN",
		Short: "Go on with a run: what is missing or was interrupted, more blocks, or what failed again",
		Long: `Goes on with a run folder: measures the cells that are missing or were interrupted, and nothing twice.
--blocks N adds rounds until there are N; --retry tries ended cells again.

` + exitHelp,
		Example: "  servematrix resume runs/quickstart-20260102T030405Z --retry failed",
		Args:    cobra.ExactArgs(1),
		RunE:    func(cmd *cobra.Command, args []string) error { return resume(cmd.Context(), env, args[0], opt) },
	}
	f := cmd.Flags()
	f.IntVar(&opt.blocks, "blocks", 0, "rounds that the run shall have in all (default: as many as it has)")
	f.StringVar(&opt.retry, "retry", "none", "ended cells to measure again: failed (skipped ones too), invalid, all (both) or none")
	addViewFlags(f, &opt.progress, &opt.color)
	return cmd
}

// retryModes maps --retry to what is measured again.
var retryModes = map[string]orchestrator.Again{
	"none":    {},
	"failed":  {Failed: true, Skipped: true},
	"invalid": {Invalid: true},
	"all":     {Failed: true, Skipped: true, Invalid: true},
}

func resume(ctx context.Context, env Env, dir string, opt resumeOptions) error {
	again, ok := retryModes[opt.retry]
	if !ok {
		return usageError("--retry %q: want failed, invalid, all or none", opt.retry)
	}
	if err := checkViewFlags(opt.progress, opt.color); err != nil {
		return err
	}
	folder, err := openRun(env, dir)
	if err != nil {
		return err
	}
	lock, err := folder.Lock()
	if err != nil {
		code := exitInternal
		if errors.Is(err, journal.ErrLocked) {
			code = exitPreflight
		}
		return &exitError{code: code, err: err, hint: "servematrix status " + dir + " shows what it does"}
	}
	s := &session{env: env, folder: folder, lock: lock, progress: opt.progress, color: opt.color, afresh: opt.retry != "none"}
	if err := s.goOn(ctx, opt, again); err != nil {
		return errors.Join(err, lock.Release())
	}
	return s.execute(ctx)
}

// goOn reads what the run folder says and decides what is left to measure.
func (s *session) goOn(ctx context.Context, opt resumeOptions, again orchestrator.Again) error {
	plan, err := readPlan(s.folder)
	if err != nil {
		return err
	}
	past, err := s.folder.Replay()
	if err != nil {
		return err
	}
	state, err := orchestrator.Fold(past)
	if err != nil {
		return err
	}
	before := state.Session
	if len(past) == 0 {
		return usageError("the run ended before its first event, so nothing is known of what it was to measure: start it again with servematrix run")
	}
	if s.swept, err = orchestrator.Leftovers(ctx, s.folder, state); err != nil {
		return err
	}
	if err := endLeftovers(ctx, s.swept); err != nil {
		return err
	}
	blocks := max(opt.blocks, before.Blocks)
	if opt.blocks > 0 && opt.blocks < before.Blocks {
		return usageError("--blocks %d: the run has %d blocks already", opt.blocks, before.Blocks)
	}
	files := make([]string, len(plan.Profiles))
	for i := range files {
		files[i] = s.folder.Path(profileFile(i))
	}
	if s.catalog, err = engine.Load(files...); err != nil {
		return &exitError{code: exitUsage, err: err}
	}
	if err := s.recoverLiterals(plan, before.SweepPath); err != nil {
		return err
	}
	s.plan = plan
	if s.info, err = sessionInfo(s.env, before.SweepPath, before.Cells, blocks, before.Only); err != nil {
		return err
	}
	s.info.Dir = before.Dir
	all, err := selectUnits(plan, before.Only, blocks)
	if err != nil {
		return err
	}
	s.units = s.damaged(state, state.Missing(all, again), all)
	if len(s.units) == 0 {
		return nil // the verdict is drawn again over what is there
	}
	return preflight(Env{Dir: before.Dir, Env: s.env.Env}, plan, s.catalog, s.units, string(s.folder))
}

// damaged adds the units whose journal entry says ok but whose sample is not what was written.
func (s *session) damaged(state *orchestrator.State, left, all []orchestrator.Unit) []orchestrator.Unit {
	listed := map[orchestrator.Unit]bool{}
	for _, u := range left {
		listed[u] = true
	}
	for _, u := range all {
		o := state.Of(u)
		if listed[u] || o.Status != orchestrator.StatusOK {
			continue
		}
		sum, err := digest(s.folder.Path(journal.AttemptName(u.Cell, u.Block, o.Attempts), journal.SampleFile))
		if err != nil || sum != o.SHA256 {
			fmt.Fprintf(s.env.Stderr, "servematrix: the sample of %s block %d is lost or changed; it is measured again\n", u.Cell, u.Block)
			left = append(left, u)
		}
	}
	return left
}

// recoverLiterals fetches the secrets that the sweep spells out from the sweep
// itself: no run folder holds them.
func (s *session) recoverLiterals(plan *matrix.Plan, sweep string) error {
	if !plan.NeedsLiterals() {
		return nil
	}
	fresh, problems := matrix.Load(sweep, matrix.Options{Getenv: s.env.Getenv,
		Digest: func(name string) (string, error) { return digest(beside(sweep, name)) }})
	if fresh == nil {
		if err := problems.WriteText(s.env.Stderr, sources(s.env, problems)); err != nil {
			return err
		}
		return usageError("the sweep %s spells a secret out, which no run folder keeps, and it cannot be read again: put it back, or use ${{ env.NAME }}", sweep)
	}
	for _, v := range plan.Servers {
		if !slices.ContainsFunc(fresh.Servers, func(f *matrix.Server) bool { return f.ID == v.ID }) {
			return usageError("the sweep %s spells a secret out and was changed since: the server %s of this run is not in it any more", sweep, v.Name)
		}
	}
	for _, v := range plan.Clients {
		if !slices.ContainsFunc(fresh.Clients, func(f *matrix.Client) bool { return f.ID == v.ID }) {
			return usageError("the sweep %s spells a secret out and was changed since: the client %s of this run is not in it any more", sweep, v.Name)
		}
	}
	plan.Literals = fresh.Literals
	return nil
}

// readPlan reads the frozen plan of a run folder.
func readPlan(folder journal.Folder) (*matrix.Plan, error) {
	f, err := os.Open(folder.Path(journal.PlanFile))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	plan, err := matrix.ReadPlan(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.Name(), err)
	}
	return plan, nil
}
