package cli

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"servematrix/engine"
	"servematrix/journal"
	"servematrix/matrix"
	"servematrix/orchestrator"
	"servematrix/process"
)

type resumeOptions struct {
	blocks   int
	until    untilOptions
	retry    string
	live     livePort
	progress string
	color    string
}

func newResume(env Env) *cobra.Command {
	var opt resumeOptions
	cmd := &cobra.Command{
		Use:   "resume RUN",
		Short: "Go on with a run: what is missing or was interrupted, more blocks, or what failed again",
		Long: `Goes on with a run folder: measures the cells that are missing or were interrupted, and nothing twice.
--blocks N adds blocks until there are N; --retry tries ended cells again.

--until precision=2% goes on with blocks until every cell's primary metric is known to ±2%, or until
--budget or --max-blocks ends it. A run that was started so goes on so by itself, with what is left of
its budget; what is given anew takes the place of what was, --budget as a whole new one, and the
rest stays; --until none ends it all.

` + exitHelp,
		Example: "  servematrix resume runs/quickstart-20260102T030405Z --retry failed",
		Args:    cobra.ExactArgs(1),
		RunE:    func(cmd *cobra.Command, args []string) error { return resume(cmd.Context(), env, args[0], opt) },
	}
	f := cmd.Flags()
	f.IntVar(&opt.blocks, "blocks", 0, "blocks that the run shall have in all (default: as many as it has)")
	addUntilFlags(f, &opt.until)
	f.StringVar(&opt.retry, "retry", "none", "ended cells to measure again: failed (skipped ones too), invalid, all (both) or none")
	addLiveFlag(f, &opt.live)
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
	defer unhung()() // from here to the last line of the report
	again, ok := retryModes[opt.retry]
	if !ok {
		return usageError("--retry %q: want failed, invalid, all or none", opt.retry)
	}
	if err := checkViewFlags(opt.progress, opt.color); err != nil {
		return err
	}
	page, err := opt.live.open()
	if err != nil {
		return err
	}
	defer page.end(ctx.Done())
	folder, lock, err := lockRun(env, dir)
	if err != nil {
		return err
	}
	s := &session{env: env, folder: folder, lock: lock, page: page, progress: opt.progress, color: opt.color, afresh: opt.retry != "none", until: opt.until}
	if err := s.goOn(ctx, opt, again); err != nil {
		return errors.Join(err, lock.Release())
	}
	return s.execute(ctx)
}

// lockRun opens a run folder and makes this process the only one that works on it.
func lockRun(env Env, dir string) (journal.Folder, *journal.Lock, error) {
	folder, err := openRun(env, dir)
	if err != nil {
		return "", nil, err
	}
	if isImported(folder) {
		return "", nil, &exitError{code: exitUsage, err: fmt.Errorf("%s was imported, not run: there is nothing to resume in it", shown(env, string(folder))),
			hint: "servematrix report " + dir + " draws its reports"}
	}
	lock, err := folder.Lock()
	if err != nil {
		code := exitInternal
		if errors.Is(err, journal.ErrLocked) {
			code = exitPreflight
		}
		return "", nil, &exitError{code: code, err: err, hint: "servematrix status " + dir + " shows what it does"}
	}
	if err := folder.Writable(); err != nil { // before anything is ended, removed or started for it
		return "", nil, errors.Join(&exitError{code: exitPreflight, err: err, hint: "make it writable, or copy it and resume the copy"}, lock.Release())
	}
	return folder, lock, nil
}

// goOn reads what the run folder says and decides what is left to measure.
func (s *session) goOn(ctx context.Context, opt resumeOptions, again orchestrator.Again) error {
	if err := s.recall(ctx); err != nil {
		return err
	}
	before := s.state.Session
	if err := s.folder.Settle(before.PlanSHA256); err != nil {
		return s.planGone(err)
	}
	plan, err := readPlan(s.folder)
	if err != nil {
		return s.planGone(err)
	}
	s.plan = plan
	if s.state.Sessions == 0 {
		before = s.guess()
	}
	blocks := max(opt.blocks, before.Blocks)
	if opt.blocks > 0 && opt.blocks < before.Blocks {
		return usageError("--blocks %d: the run has %d blocks already", opt.blocks, before.Blocks)
	}
	until, err := opt.until.settle(before.Until, s.lasted(), opt.blocks)
	if err != nil {
		return err
	}
	if until != nil {
		blocks = max(blocks, until.Least)
	} else {
		tellGrouped(s.env, plan, blocks-before.Blocks)
	}
	if s.catalog, err = keptCatalog(s.folder, plan); err != nil {
		return &exitError{code: exitUsage, err: err}
	}
	if err := s.recoverLiterals(plan, before.SweepPath); err != nil {
		return err
	}
	s.tellEdited(before.SweepPath)
	if s.info, err = sessionInfo(s.env, before.SweepPath, before.Cells, blocks, before.Only); err != nil {
		return err
	}
	s.info.Until = until
	s.info.Dir, s.info.Plan, s.info.Seed = before.Dir, before.Plan, cmp.Or(before.Seed, plan.Run.Seed, drawSeed())
	if s.info.PlanSHA256, err = digest(s.folder.Path(journal.PlanFile)); err != nil {
		return err
	}
	if s.all, err = selectUnits(plan, before.Only, blocks); err != nil {
		return err
	}
	s.units = s.state.Missing(s.all, again)
	return s.mayStart(before.Dir)
}

// mayStart makes sure that what is left can be measured. Where nothing is, the verdict is drawn again
// over what is there, and nothing else is needed for that.
func (s *session) mayStart(dir string) error {
	units := s.units
	decided := s.state.Look != nil && s.state.Look.Decision != journal.GoOn && !s.until.given()
	if len(units) == 0 && s.info.Until != nil && !decided {
		units = s.all[:len(s.all)/s.info.Blocks] // what a further block would be
	}
	if len(units) == 0 {
		return nil
	}
	return s.preflight(units, dir, string(s.folder))
}

// recall reads the journal and ends what the former session left.
func (s *session) recall(ctx context.Context) (err error) {
	if s.state, s.end, err = orchestrator.ReadState(s.folder); err != nil {
		return err
	}
	s.swept, err = endLeftovers(ctx, func() ([]process.Survivor, error) { return orchestrator.Leftovers(ctx, s.folder, s.state) })
	if err != nil {
		return err
	}
	s.cleared, err = clearRemains(s.env, []journal.Folder{s.folder})
	return err
}

// planGone is the error of a run whose plan is not there as it was.
func (s *session) planGone(err error) error {
	return planTrouble(shown(s.env, string(s.folder)), err)
}

// guess is what a run was asked for whose journal is empty: the disk lost its first line.
func (s *session) guess() journal.Session {
	g := journal.Session{Dir: s.env.Dir, SweepPath: s.folder.Path(journal.SweepFile), Blocks: s.plan.Run.Blocks, Cells: len(s.plan.Cells), Plan: 1}
	fmt.Fprintf(s.env.Stderr, "servematrix: the journal of %s is empty; every cell of its plan is measured, in %s, with %s as the working folder\n",
		shown(s.env, string(s.folder)), count(g.Blocks, "block"), g.Dir)
	return g
}

// tellEdited says when the sweep is no longer what the plan was made from.
func (s *session) tellEdited(sweep string) {
	now, err := os.ReadFile(sweep)
	if err != nil {
		return // it need not be there
	}
	then, err := os.ReadFile(s.folder.Path(journal.SweepFile))
	if err == nil && !bytes.Equal(then, keptSweep(now, s.plan.Literals)) {
		fmt.Fprintf(s.env.Stderr, "servematrix: %s was edited since; the plan as it was goes on. What changed runs with: servematrix run %s --into %s\n",
			shown(s.env, sweep), shown(s.env, sweep), shown(s.env, string(s.folder)))
	}
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
		if err := tellProblems(s.env, s.env.Stderr, problems); err != nil {
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

// keptCatalog knows the profiles of a run, those that its sweep brought included.
func keptCatalog(folder journal.Folder, plan *matrix.Plan) (*engine.Catalog, error) {
	files := make([]string, len(plan.Profiles))
	for i := range files {
		files[i] = folder.Path(profileFile(i))
	}
	return engine.Load(files...)
}

// readPlan reads the frozen plan of a run folder. Its errors name the file alone: in which folder it is
// says whoever knows how the user calls that.
func readPlan(folder journal.Folder) (*matrix.Plan, error) {
	return readPlanFile(folder.Path(journal.PlanFile))
}

func readPlanFile(path string) (*matrix.Plan, error) {
	f, err := os.Open(path)
	if lost, is := errors.AsType[*fs.PathError](err); is {
		lost.Path = filepath.Base(path)
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	plan, err := matrix.ReadPlan(f)
	if err != nil {
		return plan, fmt.Errorf("%s: %w", filepath.Base(path), err)
	}
	return plan, nil
}
