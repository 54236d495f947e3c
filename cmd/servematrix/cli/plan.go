package cli

import (
	"bufio"
	"fmt"

	"github.com/spf13/cobra"

	"servematrix/matrix"
	"servematrix/report"
	"servematrix/secret"
)

type planOptions struct {
	format  string
	only    string
	into    string
	explain bool
	all     bool
}

func newPlan(env Env) *cobra.Command {
	var opt planOptions
	cmd := &cobra.Command{
		Use:   "plan SWEEP",
		Short: "Show what a sweep would run, and start nothing",
		Long: `Expands the sweep and prints its servers, clients and cells, the combinations that were dropped
and why, and how many server starts it takes. How long it may take, and how much time
isolation: launch would save, is told where earlier runs under ./runs tell. What profile or
tool adds to a command is marked with a +. --explain adds each resolved setting with its
origin. json is the plan.json that run would freeze.

With --into RUN it shows what run --into RUN would measure: each cell is done, new, changed,
missing or failed before; --explain says why. json gets a further key, into.

Exit codes: 0 shown · 2 the sweep has errors, or usage · 5 --only selects nothing`,
		Example: "  servematrix plan sweep.yaml --explain\n  servematrix plan sweep.yaml --into runs/quickstart-20260102T030405Z --explain",
		Args:    cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			if err := oneFormat(opt.format, "text", "json"); err != nil {
				return err
			}
			if opt.format == "json" && (opt.explain || opt.only != "") {
				return usageError("--format json is the whole plan with every origin: it takes neither --explain nor --only")
			}
			return showPlan(env, args[0], opt)
		},
	}
	f := cmd.Flags()
	f.StringVar(&opt.format, "format", "text", "text or json")
	f.StringVar(&opt.into, "into", "", "run folder: show what run --into would measure in it")
	f.BoolVar(&opt.explain, "explain", false, "show each setting with its origin, and the parts of each identity")
	f.BoolVar(&opt.all, "all", false, "list everything, however much it is")
	f.StringVar(&opt.only, "only", "", "list only the cells for which the expression holds, as run --only would run them")
	return cmd
}

func showPlan(env Env, path string, opt planOptions) error {
	plan, _, problems, err := loadSweep(env, path)
	if err != nil {
		return err
	}
	if err := tellProblems(env, env.Stderr, problems); err != nil {
		return err
	}
	if problems.HasErrors() {
		return exitWith(exitUsage)
	}
	var into *ahead
	if opt.into != "" {
		if into, err = lookAhead(env, plan, opt); err != nil {
			return err
		}
	}
	out := bufio.NewWriterSize(env.Stdout, 64<<10)
	switch {
	case opt.format == "json" && into != nil:
		err = into.writeJSON(out, plan)
	case opt.format == "json":
		err = plan.WriteJSON(out)
	default:
		err = writePlan(out, env, plan, into, opt)
	}
	if err != nil {
		return err
	}
	return out.Flush()
}

// Limits of what the text lists; --all lifts them.
const (
	mostVariants = 50
	mostCells    = 100
	mostDropped  = 50
)

// planText writes a plan for people.
type planText struct {
	*bufio.Writer
	plan *matrix.Plan
	into *ahead // nil: nothing is there yet
	opt  planOptions
	hide *secret.Redactor
}

// printf writes what is formatted. What others wrote is shown and does nothing: names can hold anything.
func (t planText) printf(format string, args ...any) {
	for i, arg := range args {
		switch arg := arg.(type) {
		case string:
			args[i] = report.Visible(arg)
		case fmt.Stringer:
			args[i] = report.Visible(arg.String())
		}
	}
	fmt.Fprintf(t, format, args...)
}

func writePlan(out *bufio.Writer, env Env, plan *matrix.Plan, into *ahead, opt planOptions) error {
	kept, err := selectCells(plan, opt.only)
	if err != nil {
		return err
	}
	t := planText{out, plan, into, opt, &secret.Redactor{}}
	t.hide.AddEnviron(env.Env, plan.Secrets)
	for _, value := range plan.Literals {
		t.hide.Add(value)
	}
	t.printf("%s: %s", plan.Name, inWords(plan))
	if plan.Run.Blocks > 1 {
		t.printf(" in %d blocks", plan.Run.Blocks)
	}
	fmt.Fprintln(t)
	t.servers()
	t.clients()
	t.cells(kept)
	t.dropped()
	if into != nil {
		t.ahead()
		return nil
	}
	h := formerRuns(env.path(runsDir), t.plan, "")
	t.starts(h)
	t.order(0)
	t.duration(h)
	return nil
}

func (t planText) limit(most int) int {
	if t.opt.all {
		return int(^uint(0) >> 1)
	}
	return most
}

// more writes how many of a list are not shown.
func (t planText) more(total, shown int) {
	if total > shown {
		t.printf("  … and %d more (--all lists them)\n", total-shown)
	}
}

func (t planText) servers() {
	n := min(len(t.plan.Servers), t.limit(mostVariants))
	for _, s := range t.plan.Servers[:n] {
		t.printf("\nserver %s   %s\n", s.Name, s.ID)
		t.command(&s.Variant)
		if t.opt.explain {
			t.settings(&s.Variant, serverSettings(s))
		}
	}
	if n < len(t.plan.Servers) {
		fmt.Fprintln(t)
		t.more(len(t.plan.Servers), n)
	}
}

func (t planText) clients() {
	n := min(len(t.plan.Clients), t.limit(mostVariants))
	for _, c := range t.plan.Clients[:n] {
		t.printf("\nclient %s   %s\n", c.Name, c.ID)
		t.command(&c.Variant)
		if t.opt.explain {
			t.settings(&c.Variant, clientSettings(c))
		}
	}
	if n < len(t.plan.Clients) {
		fmt.Fprintln(t)
		t.more(len(t.plan.Clients), n)
	}
}

func (t planText) cells(kept map[string]bool) {
	names := make(map[string]string, len(t.plan.Servers)+len(t.plan.Clients))
	for _, s := range t.plan.Servers {
		names[s.ID] = s.Name
	}
	for _, c := range t.plan.Clients {
		names[c.ID] = c.Name
	}
	listed, most := 0, t.limit(mostCells)
	t.WriteString("\ncells\n")
	for _, c := range t.plan.Cells {
		if listed == most {
			break
		}
		if kept[c.ID] {
			t.printf("  %s × %s   %s%s\n", names[c.Server], names[c.Client], c.ID, t.standing(c.ID))
			listed++
		}
	}
	t.more(len(kept), listed)
	if len(kept) < len(t.plan.Cells) {
		t.printf("  %d of %d cells selected\n", len(kept), len(t.plan.Cells))
	}
}

func (t planText) dropped() {
	all := t.plan.Dropped
	if len(all) == 0 {
		return
	}
	t.printf("\ndropped %s\n", count(len(all), "combination"))
	n := min(len(all), t.limit(mostDropped))
	for _, d := range all[:n] {
		t.printf(" ")
		for _, a := range d.Axes {
			t.printf(" %s=%s", a.Name, a.Value)
		}
		t.printf("   %s   %s\n", d.Rule, d.At)
	}
	t.more(len(all), n)
}
