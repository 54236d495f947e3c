package cli

import (
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"servematrix/compare"
	"servematrix/report"
)

type compareOptions struct {
	baseline, metrics, failIf  []string
	format, primary, minEffect string
	reference                  string
}

func newCompare(env Env) *cobra.Command {
	var opt compareOptions
	cmd := &cobra.Command{
		Use:   "compare RUN…",
		Short: "Set the arms of an A/B against one another: intervals, verdicts, and what else differs",
		Long: `Compares the values of an axis, or runs, with a baseline: cells that agree in everything else are
paired, each server start is one value, and the difference comes with its 95 % interval over the
starts and a verdict. Below stands what else differs between the arms: "Is this a clean A/B?".

RUN is a run folder, the name of one under ./runs, or anything that import reads. With several,
the first is the baseline, unless --baseline says otherwise; with one the baseline is a value of
an axis (backend=triton, server.tp=8), of a flag of the command (attention-backend=triton, or
flag:attention-backend=triton), or a server's name (server=triton). All other values are compared
with it.

--fail-if is a condition over worse(METRIC, MARGIN), better(METRIC, MARGIN),
not_equivalent(METRIC, MARGIN) and inconclusive(METRIC), joined by and, or, not. Where it holds
for a cell, or where an arm lacks the cell or a valid sample to judge by, the exit code is 4.

With --reference FILE one run is held against published numbers (docs/published.md): of each the
nearest cell, the conditions that differ or are unknown, and then the numbers, without a verdict.

Exit codes: 0 compared · 2 usage, or nothing to compare · 4 a condition of --fail-if holds`,
		Example: "  servematrix compare runs/attention-20260102T030405Z --baseline backend=triton\n" +
			"  servematrix compare before after --fail-if 'worse(output_throughput, 3%)' --format github",
		Args: cobra.MinimumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			if opt.reference != "" {
				return compareReference(env, args, opt)
			}
			return compareRuns(env, args, opt)
		},
	}
	f := cmd.Flags()
	f.StringArrayVar(&opt.baseline, "baseline", nil, "AXIS=VALUE that all others are compared with; several make one baseline")
	f.StringArrayVar(&opt.metrics, "metric", nil, "metric to show, by its name in results.jsonl (may be repeated)")
	f.StringVar(&opt.primary, "primary", "", "metric whose verdicts count (default: the sweep's, else the load that all searched for, else output_throughput)")
	f.StringVar(&opt.minEffect, "min-effect", "", "smallest difference that matters, such as 2% (default: the sweep's, else 2%)")
	f.StringArrayVar(&opt.failIf, "fail-if", nil, "condition that ends with exit code 4 (may be repeated)")
	f.StringVar(&opt.format, "format", "text", "text, json, md or github")
	f.StringVar(&opt.reference, "reference", "", "file with published numbers to hold one run against: which conditions differ, and by how much")
	return cmd
}

func compareRuns(env Env, args []string, opt compareOptions) error {
	if err := oneFormat(opt.format, "text", "json", "md", "github"); err != nil {
		return err
	}
	options, gates, err := opt.read()
	if err != nil {
		return comparedWrong(err)
	}
	debug.SetGCPercent(300) // a short program that makes much garbage
	sources, err := compareSources(env, args)
	if err != nil {
		return err
	}
	r, err := compare.Compare(sources, options)
	if err != nil {
		return comparedWrong(err)
	}
	outcome := r.Check(gates)
	switch opt.format {
	case "json":
		err = report.CompareJSON(env.Stdout, r, outcome)
	case "md":
		err = report.CompareMarkdown(env.Stdout, r, opt.metrics)
	case "github":
		err = compareOnGitHub(env, r, outcome, opt.metrics)
	default:
		err = report.CompareText(env.Stdout, r, opt.metrics)
	}
	if err != nil {
		return err
	}
	return gateResult(env, gates, outcome)
}

// read checks all that can be checked before a file is opened.
func (o compareOptions) read() (compare.Options, []*compare.Gate, error) {
	out := compare.Options{Baseline: o.baseline, Primary: o.primary, Metrics: slices.Clone(o.metrics)}
	if err := compare.CheckBaseline(o.baseline); err != nil {
		return out, nil, err
	}
	for _, name := range append(slices.Clone(o.metrics), o.primary) {
		if name == "" {
			continue
		}
		if err := compare.CheckMetric(name); err != nil {
			return out, nil, err
		}
	}
	if o.minEffect != "" {
		v, err := share(o.minEffect)
		if err != nil {
			return out, nil, usageError("--min-effect %q: want a share such as 2%% or 0.02", o.minEffect)
		}
		out.MinEffect = &v
	}
	var gates []*compare.Gate
	for _, text := range o.failIf {
		g, err := compare.ParseGate(text)
		if err != nil {
			return out, nil, err
		}
		gates = append(gates, g)
		out.Metrics = append(out.Metrics, g.Metrics...)
	}
	// A table needs no more than its columns; thousands of cells would wait for the rest.
	out.Only = o.format != "json"
	if out.Only && len(o.metrics) == 0 {
		out.Metrics = append(out.Metrics, report.CompareCandidates()...)
	}
	return out, gates, nil
}

// share reads 2% or 0.02.
func share(text string) (float64, error) {
	number, percent := strings.CutSuffix(strings.TrimSpace(text), "%")
	v, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
	if percent {
		v /= 100
	}
	if err == nil && !(v >= 0 && v < 1) {
		err = errors.New("not a share")
	}
	return v, err
}

// comparedWrong gives an error of the selection its exit code and hint.
func comparedWrong(err error) error {
	if wrong, is := errors.AsType[*compare.UsageError](err); is {
		return &exitError{code: exitUsage, err: err, hint: wrong.Hint}
	}
	return err
}

// gateResult says which cells a condition refuses.
func gateResult(env Env, gates []*compare.Gate, out compare.Outcome) error {
	if len(gates) == 0 {
		return nil
	}
	if out.Weak > 0 {
		fmt.Fprintf(env.Stderr, "of %s too few starts were measured for any verdict: two per arm are the least\n", count(out.Weak, "cell"))
	}
	if len(out.Failed) == 0 {
		return nil
	}
	const most = 20
	for i, f := range out.Failed {
		if i == most {
			fmt.Fprintf(env.Stderr, "… and %d more\n", len(out.Failed)-most)
			break
		}
		fmt.Fprintf(env.Stderr, "%s: %s, %s: %s\n", f.Gate.Text, report.Visible(f.Pair.Cell), report.Visible(f.Pair.Arm), report.Visible(f.Why))
	}
	return &exitError{code: exitGate, err: fmt.Errorf("--fail-if: %s refused", count(len(out.Failed), "cell"))}
}

// compareOnGitHub prints annotations and appends the tables to the step's summary.
func compareOnGitHub(env Env, r *compare.Result, out compare.Outcome, metrics []string) error {
	if err := report.CompareGitHub(env.Stdout, r, out); err != nil {
		return err
	}
	path, ok := env.Getenv("GITHUB_STEP_SUMMARY")
	if !ok || path == "" {
		fmt.Fprintln(env.Stderr, "GITHUB_STEP_SUMMARY is not set: annotations only")
		return nil
	}
	f, err := os.OpenFile(env.path(path), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return usageError("the summary cannot be written: %w", err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err == nil {
		err = report.CompareSummary(f, r, metrics, info.Size())
	}
	if err != nil {
		return usageError("the summary cannot be written: %w", err)
	}
	return nil
}
