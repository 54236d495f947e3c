package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"servematrix/cmd/servematrix/progress"
	"servematrix/journal"
)

type logsOptions struct {
	follow         bool
	server, client bool
	lines          int
	block          int
	color          string
}

func newLogs(env Env) *cobra.Command {
	opt := logsOptions{}
	cmd := &cobra.Command{
		Use:   "logs RUN [CELL]",
		Short: "Print the logs of a run: the server's and the client's",
		Long: `Prints the logs of the launch and the client that RUN has in hand or had last; with CELL those
of that cell's last attempt. CELL is a cell's id or the begin of it, or SERVER/CLIENT by name as
plan prints them. With -f the logs are followed side by side, each line behind the name of its
log, from launch to launch and from cell to cell, until the run ends; of a progress bar the state
is printed every five seconds.

Exit codes: 0 printed · 2 usage, there is no such run or cell, or its journal is damaged · 5 nothing was started yet`,
		Example: "  servematrix logs runs/quickstart-20260102T030405Z -f --server",
		Args:    cobra.RangeArgs(1, 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			if opt.server && opt.client {
				return usageError("--server and --client exclude one another; without either both are printed")
			}
			if cmd.Flags().Changed("lines") && opt.lines < 0 {
				return usageError("--lines %d: want 0 or more", opt.lines)
			}
			if opt.follow && !cmd.Flags().Changed("lines") {
				opt.lines = 20
			}
			if err := checkViewFlags("", opt.color); err != nil {
				return err
			}
			folder, err := openRun(env, args[0])
			if err != nil {
				return err
			}
			if isImported(folder) {
				return usageError("%s was imported: it has no logs; what was imported lies under %s", args[0], shown(env, folder.Path("sources")))
			}
			return logs(cmd.Context(), env, folder, args[1:], opt)
		},
	}
	f := cmd.Flags()
	f.BoolVarP(&opt.follow, "follow", "f", false, "go on printing while the run lives")
	f.BoolVar(&opt.server, "server", false, "only the server's logs")
	f.BoolVar(&opt.client, "client", false, "only the client's output")
	f.IntVarP(&opt.lines, "lines", "n", -1, "only the last lines of each log (default: all; with -f the last 20)")
	f.StringVar(&opt.color, "color", "auto", "colours of -f: auto, always, never")
	f.IntVar(&opt.block, "block", 0, "block of the cell (default: the last one tried)")
	return cmd
}

func logs(ctx context.Context, env Env, folder journal.Folder, cell []string, opt logsOptions) error {
	s, err := salvageSnapshot(env, folder)
	if err != nil {
		return err
	}
	want := ""
	if len(cell) > 0 {
		if want, err = s.resolveCell(cell[0]); err != nil {
			return err
		}
	}
	p := newPrinter(env.Stdout, s.redactor(env), opt.lines)
	what := &newest{cell: want, block: opt.block}
	for e, err := range s.events() {
		if err != nil {
			return err
		}
		what.apply(e)
	}
	files := what.files(folder, opt)
	if len(files) == 0 && !(opt.follow && s.live) {
		return &exitError{code: exitNothing, err: errors.New("nothing was started yet: there is no log")}
	}
	p.headers = len(files) > 1
	if opt.follow {
		tty, _ := terminal(env.Stdout)
		_, color, err := progress.Choose("", opt.color, tty, env.Getenv)
		if err != nil {
			return err
		}
		p.beside = &sideBySide{color: color, folder: map[string]bool{}}
	}
	for _, f := range files {
		p.add(f[0], f[1])
	}
	if !opt.follow {
		return cmp.Or(p.finish(), s.damaged(env))
	}
	return cmp.Or(s.follow(ctx, p, what, opt), s.damaged(env))
}

// resolveCell finds the cell that a person means.
func (s *snapshot) resolveCell(arg string) (string, error) {
	names := s.names()
	var begins, named []string
	for _, c := range s.plan.Cells {
		name := strings.Replace(names[c.ID], " × ", "/", 1)
		switch {
		case c.ID == arg:
			return arg, nil
		case strings.HasPrefix(c.ID, arg):
			begins = append(begins, c.ID)
		case name == arg || names[c.ID] == arg:
			named = append(named, c.ID)
		}
	}
	found := append(named, begins...)
	if len(named) == 1 {
		found = named
	}
	switch len(found) {
	case 0:
		return "", &exitError{code: exitUsage, err: fmt.Errorf("the run has no cell %q", arg), hint: "servematrix report RUN --format csv lists the cells"}
	case 1:
		return found[0], nil
	}
	list := found[:min(len(found), 10)]
	return "", usageError("%q means %d cells; be more exact:\n  %s", arg, len(found), strings.Join(list, "\n  "))
}

// newest follows the events to what was started last: of one cell, or of all where cell is empty.
type newest struct {
	cell    string
	block   int           // 0: any
	last    journal.Event // the last launch.started
	launch  journal.Event // that of what is wanted
	attempt string        // its folder, "" before there is one
}

func (n *newest) apply(e journal.Event) {
	if e.Type == journal.LaunchStarted {
		n.last = e.Clone()
	}
	if n.cell != "" && e.Cell != n.cell || n.block > 0 && e.Block != n.block && e.Block != 0 {
		return
	}
	switch e.Type {
	case journal.LaunchStarted:
		n.launch, n.attempt = n.last, ""
	case journal.SampleStarted:
		n.launch = n.last
		if d, err := journal.Decode[journal.Sample](e); err == nil {
			n.attempt = d.Folder
		}
	case journal.SampleEnded:
		n.launch = n.last // of a launch that was shared and never ready, too
	}
}

// files lists path and name of the logs to print.
func (n *newest) files(folder journal.Folder, opt logsOptions) [][2]string {
	var out [][2]string
	add := func(rel string) { out = append(out, [2]string{folder.Path(rel), rel}) }
	if !opt.client && n.launch.Launch != "" {
		if d, err := journal.Decode[journal.Launch](n.launch); err == nil {
			for _, log := range d.Logs {
				add(log)
			}
		}
	}
	if n.attempt != "" && !opt.server {
		add(filepath.Join(n.attempt, journal.ClientOut))
		add(filepath.Join(n.attempt, journal.ClientErr))
	}
	return out
}
