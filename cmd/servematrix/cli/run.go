package cli

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"gopkg.in/yaml.v3"

	"servematrix/journal"
	"servematrix/matrix"
	"servematrix/orchestrator"
	"servematrix/process"
	"servematrix/secret"
)

type runOptions struct {
	out         string
	into        string
	blocks      int
	blocksGiven bool
	until       untilOptions
	only        string
	smoke       bool
	live        livePort
	progress    string
	color       string
}

func newRun(env Env) *cobra.Command {
	var opt runOptions
	cmd := &cobra.Command{
		Use:   "run SWEEP",
		Short: "Run a sweep: every server variant under every workload",
		Long: `Runs every cell of the sweep: starts the server, waits until it is ready, runs the client,
stops the server until nothing of it is left, and appends the result to the combined report.
The last line on stdout is the run folder. Ctrl-C ends in order; resume goes on.

--smoke rehearses the night: every server variant and every workload is tried once, in as few
starts as can be, with a few requests. The run folder is called NAME-smoke-TIME, and at the end
one line says what works, what does not, and how long the starts took.

--until precision=2% goes on with blocks until every cell's primary metric is known to ±2% (half
its 95% interval over server starts), after 3 blocks at the earliest, or until --budget or
--max-blocks ends it. All cells go on together, and what was begun is finished; resume goes on with it.

With --into RUN an edited sweep goes on in the folder of an earlier run: what is measured there
already stays, what is new or changed runs, and what the sweep no longer has is kept but not
judged. plan --into shows beforehand what that would be.

` + exitHelp,
		Example: "  servematrix run sweep.yaml --smoke\n  servematrix run sweep.yaml --out runs",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			opt.blocksGiven = cmd.Flags().Changed("blocks")
			if opt.into != "" && cmd.Flags().Changed("out") {
				return usageError("--into goes on in a run folder that is there, --out makes a new one: give one of them")
			}
			if opt.into != "" && opt.smoke {
				return usageError("--smoke measures nothing, so it gets a run folder of its own: leave --into out")
			}
			if opt.smoke && opt.until.given() {
				return usageError("--smoke measures nothing, so nothing of it becomes precise: leave --until out")
			}
			return run(cmd.Context(), env, args[0], opt)
		},
	}
	f := cmd.Flags()
	f.StringVar(&opt.out, "out", "runs", "parent folder of the run folder")
	f.StringVar(&opt.into, "into", "", "run folder of an earlier run of this sweep: run into it what is not in it yet")
	f.IntVar(&opt.blocks, "blocks", 0, "rounds over the plan (default: the sweep's run.blocks)")
	addUntilFlags(f, &opt.until)
	f.StringVar(&opt.only, "only", "", `run only the cells for which the expression holds, such as 'backend == "triton"'`)
	f.BoolVar(&opt.smoke, "smoke", false, "rehearse: try every server variant and every workload once, with a few requests")
	addLiveFlag(f, &opt.live)
	addViewFlags(f, &opt.progress, &opt.color)
	return cmd
}

func run(ctx context.Context, env Env, sweep string, opt runOptions) error {
	defer unhung()() // from here to the last line of the report
	if err := checkViewFlags(opt.progress, opt.color); err != nil {
		return err
	}
	source, err := readSweep(env, sweep) // once: what is kept is what was planned
	if err != nil {
		return err
	}
	plan, catalog, problems, err := planOf(env, sweep, source)
	if err != nil {
		return err
	}
	if err := tellProblems(env, env.Stderr, problems); err != nil {
		return err
	}
	if problems.HasErrors() {
		return exitWith(exitUsage)
	}
	if opt.blocks < 0 || opt.blocksGiven && opt.blocks == 0 {
		return usageError("--blocks must be 1 or more")
	}
	if opt.blocks > 0 {
		if plan.Run.Blocks == 1 && !opt.until.given() { // else the sweep was warned of
			tellGrouped(env, plan, opt.blocks)
		}
		plan.Launches = plan.Launches / plan.Run.Blocks * opt.blocks
		plan.Run.Blocks = opt.blocks
	}
	if opt.smoke {
		if plan, err = rehearsal(env, plan, catalog, opt.only); err != nil {
			return err
		}
		opt.only = "" // what it selects is the plan now
	}
	s := &session{env: env, plan: plan, catalog: catalog, progress: opt.progress, color: opt.color, until: opt.until, blocksGiven: opt.blocksGiven}
	if s.all, err = selectUnits(plan, opt.only, plan.Run.Blocks); err != nil {
		return err
	}
	if s.page, err = opt.live.open(); err != nil {
		return err
	}
	defer s.page.end(ctx.Done())
	s.devices = orchestrator.LookAtDevices(env.Env)
	if s.info, err = sessionInfo(env, env.path(sweep), len(s.all)/plan.Run.Blocks, plan.Run.Blocks, opt.only); err != nil {
		return err
	}
	if opt.into != "" {
		return s.runInto(ctx, opt.into, source)
	}
	return s.runNew(ctx, env.path(opt.out), source)
}

// freeze settles what plan and flags leave open, and gives the files that a run folder is
// born with. before is the run's last session, the zero one of a new run.
func (s *session) freeze(source []byte, before journal.Session) (map[string][]byte, error) {
	s.plan.Run.Seed = cmp.Or(s.plan.Run.Seed, before.Seed, drawSeed())
	s.info.Seed = s.plan.Run.Seed
	if s.blocksGiven { // so many it shall be, whatever was intended before
		before.Until = nil
	}
	var err error
	if s.info.Until, err = s.until.settle(before.Until, s.lasted(), s.plan.Run.Blocks); err != nil {
		return nil, err
	}
	if u := s.info.Until; u != nil {
		s.info.Blocks = max(u.Least, before.Blocks)
	}
	if s.all, err = selectUnits(s.plan, s.info.Only, s.info.Blocks); err != nil {
		return nil, err
	}
	s.units = s.all
	files, err := runFiles(s.plan, s.info.SweepPath, source, s.devices)
	if err != nil {
		return nil, err
	}
	s.info.Plan, s.info.PlanSHA256 = 1, journal.Digest(files[journal.PlanFile])
	return files, nil
}

// lasted is how long the run's last session took, in seconds.
func (s *session) lasted() float64 {
	if s.state == nil {
		return 0
	}
	return s.state.Current.Mono
}

// drawSeed draws the seed of a run whose sweep names none: few digits, so that a person can repeat it.
func drawSeed() int { return 1 + rand.IntN(999_999) }

// runNew makes the run folder and measures everything.
func (s *session) runNew(ctx context.Context, out string, source []byte) (err error) {
	files, err := s.freeze(source, journal.Session{})
	if err != nil {
		return err
	}
	if s.swept, err = endLeftovers(ctx, provenDead); err != nil {
		return err
	}
	if s.cleared, err = clearRemains(s.env, deadRuns(out)); err != nil {
		return err
	}
	if err := s.preflight(s.units, s.env.Dir, out); err != nil {
		return err
	}
	if s.begun, files[journal.EventsFile], err = journal.First(s.info); err != nil {
		return err
	}
	s.state, s.end = orchestrator.NewState(), journal.End{Offset: int64(len(files[journal.EventsFile])), Seq: s.begun.Seq}
	s.folder, s.lock, err = journal.Create(out, s.plan.Name, time.Now(), files)
	if err != nil {
		return &exitError{code: exitPreflight, err: err, hint: "give a folder that can be written with --out"}
	}
	return s.execute(ctx)
}

// preflight makes sure before anything starts that commands are there, ports free, disk
// enough and devices free of others where the sweep wants that.
func (s *session) preflight(units []orchestrator.Unit, dir, out string) error {
	if err := orchestrator.Commands(s.plan, units, dir, s.env.Env); err != nil {
		return &exitError{code: exitUsage, err: err}
	}
	if err := orchestrator.Host(s.plan, s.catalog, units, out); err != nil {
		return &exitError{code: exitPreflight, err: err}
	}
	if len(s.swept) > 0 || s.devices == nil { // what was ended a moment ago may have been on the devices
		s.devices = orchestrator.LookAtDevices(s.env.Env)
	}
	if err := orchestrator.Foreign(s.devices, s.plan, units, dir, s.env.Env); err != nil {
		return &exitError{code: exitPreflight, err: err}
	}
	return nil
}

// selectUnits gives what is to be measured: the cells that only selects, in every block.
func selectUnits(plan *matrix.Plan, only string, blocks int) ([]orchestrator.Unit, error) {
	all := orchestrator.PlanUnits(plan, blocks)
	if only == "" {
		return all, nil
	}
	kept, err := selectCells(plan, only)
	if err != nil {
		return nil, err
	}
	units := all[:0]
	for _, u := range all {
		if kept[u.Cell] {
			units = append(units, u)
		}
	}
	return units, nil
}

// runFiles are the files that a run folder is born with.
func runFiles(plan *matrix.Plan, sweep string, source []byte, devices *orchestrator.Devices) (map[string][]byte, error) {
	var frozen bytes.Buffer
	if err := plan.WriteJSON(&frozen); err != nil {
		return nil, err
	}
	host, err := hostFacts(devices)
	if err != nil {
		return nil, err
	}
	files := map[string][]byte{journal.SweepFile: keptSweep(source, plan.Literals), journal.PlanFile: frozen.Bytes(), journal.HostFile: host}
	for i, name := range plan.Profiles {
		if files[profileFile(i)], err = os.ReadFile(beside(sweep, name)); err != nil {
			return nil, err
		}
	}
	return files, nil
}

// keptSweep is the copy of a sweep that a run folder keeps: a secret literal does not even stay in that.
func keptSweep(source []byte, literals map[string]string) []byte {
	var hide secret.Redactor
	for _, value := range literals {
		hide.Add(value)
	}
	kept := []byte(hide.String(string(source)))
	if spells(kept, literals) { // written in a way, such as with escapes, that a search does not see
		return []byte("# Not kept: the sweep spells a secret out in a way that cannot be hidden.\n")
	}
	return kept
}

// profileFile is the run folder's copy of a profile that the sweep adds.
func profileFile(i int) string { return fmt.Sprintf("profile%d.yaml", i+1) }

// spells tells whether a scalar of a YAML text still holds one of the values.
func spells(text []byte, values map[string]string) bool {
	var doc yaml.Node
	if len(values) == 0 || yaml.Unmarshal(text, &doc) != nil {
		return len(values) > 0
	}
	var holds func(n *yaml.Node) bool
	holds = func(n *yaml.Node) bool {
		for _, v := range values {
			if n.Kind == yaml.ScalarNode && strings.Contains(n.Value, v) {
				return true
			}
		}
		return slices.ContainsFunc(n.Content, holds)
	}
	return holds(&doc)
}

func sessionInfo(env Env, sweep string, cells, blocks int, only string) (journal.Session, error) {
	me, err := process.Identify(os.Getpid())
	if err != nil {
		return journal.Session{}, err
	}
	host, err := os.Hostname()
	if err != nil {
		return journal.Session{}, err
	}
	return journal.Session{
		Version: versionString(), Process: journal.Running{PID: me.PID, Start: me.StartTicks, Boot: me.BootID}, Host: host,
		Argv: append([]string{"servematrix"}, env.Args...), Dir: env.Dir, SweepPath: filepath.Clean(sweep), Blocks: blocks, Only: only, Cells: cells,
	}, nil
}
