package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"servematrix/cmd/servematrix/progress"
	"servematrix/journal"
	"servematrix/orchestrator"
	"servematrix/report"
)

// standing is what status says of a run; its JSON is for scripts.
type standing struct {
	Run      string         `json:"run"`
	State    string         `json:"state"`
	Sweep    string         `json:"sweep"`
	Session  int            `json:"session"`
	Since    time.Time      `json:"since"` // begin of the session
	PID      int            `json:"pid"`
	Host     string         `json:"host"`
	Only     string         `json:"only,omitempty"`
	Samples  int            `json:"samples"`
	Blocks   int            `json:"blocks"`
	Until    *journal.Until `json:"until,omitempty"` // of a run that goes on by itself
	Look     *journal.Look  `json:"look,omitempty"`  // what its last block decided
	Counts   map[string]int `json:"counts"`
	Now      *doing         `json:"now,omitempty"` // only while live
	Failures []failed       `json:"failures"`
	Warnings []string       `json:"warnings"`
	Ended    string         `json:"ended,omitempty"`    // why it was interrupted
	Damaged  []string       `json:"damaged,omitempty"`  // what of the run folder could not be read, with its places
	Imported []string       `json:"imported,omitempty"` // files, of what was not run but imported
	Last     time.Time      `json:"last"`               // time of the last event
}

// doing is what a live run has in hand.
type doing struct {
	Launch string `json:"launch"`
	Server string `json:"server"`
	URL    string `json:"url"`
	Ready  bool   `json:"ready"`
	PID    int    `json:"pid,omitempty"` // of the server
	Cell   string `json:"cell,omitempty"`
	Block  int    `json:"block,omitempty"`
	Client string `json:"client,omitempty"`
}

type failed struct {
	Cell   string `json:"cell"`
	Name   string `json:"name"`
	Block  int    `json:"block"`
	Status string `json:"status"`
	journal.Failure

	more []string // what stands under it
}

func newStatus(env Env) *cobra.Command {
	var format, color string
	var watch bool
	cmd := &cobra.Command{
		Use:   "status [RUN]",
		Short: "Say where a run stands",
		Long: `Says where a run stands: its state, how many samples are done, what it has in hand, and what
failed so far. RUN is a run folder or its name under ./runs; without it the newest there.
Of a damaged journal what can be read is shown, the damaged lines are named, and the exit code is 2.
With --watch the view of the live run is drawn until it ends; ending the watching ends nothing.

Exit codes: 0 shown · 2 usage, there is no such run, or its plan or journal is damaged`,
		Example: "  servematrix status --watch",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := oneFormat(format, "text", "json"); err != nil {
				return err
			}
			if watch && format == "json" {
				return usageError("--watch has no JSON: follow events.jsonl in the run folder instead")
			}
			if err := checkViewFlags("", color); err != nil {
				return err
			}
			folder, err := openRun(env, strings.Join(args, ""))
			if err != nil {
				return err
			}
			return status(cmd.Context(), env, folder, format, color, watch)
		},
	}
	cmd.Flags().StringVar(&format, "format", "text", "text or json")
	cmd.Flags().BoolVar(&watch, "watch", false, "go on showing it while it runs")
	cmd.Flags().StringVar(&color, "color", "auto", "colours of --watch: auto, always, never")
	return cmd
}

func status(ctx context.Context, env Env, folder journal.Folder, format, color string, watch bool) error {
	s, err := salvageSnapshot(env, folder)
	if err != nil {
		return err
	}
	if watch && s.runState() == runLive {
		return watchRun(ctx, env, s, color)
	}
	st := s.standing(env)
	if format == "json" {
		return cmp.Or(writeJSON(env.Stdout, st), s.damaged(env))
	}
	if err := errors.Join(st.explain(s), st.write(env.Stdout)); err != nil || st.State == runImported {
		return cmp.Or(err, s.damaged(env))
	}
	return cmp.Or(s.drawStill(env), s.damaged(env))
}

// drawStill draws the block of the live view once, as the run folder shows it now.
func (s *snapshot) drawStill(env Env) error {
	opt := s.viewOptions(env)
	if !opt.IsTerminal {
		opt.Size = func() (int, int) { return 200, 0 } // nothing needs to be cut
	}
	over := s.runState()
	if over == runLive {
		over = ""
	}
	_, err := io.WriteString(env.Stdout, strings.Join(append(progress.Still(opt, over, time.Now()), ""), "\n"))
	return err
}

// viewOptions are those of a view of this run on stdout.
func (s *snapshot) viewOptions(env Env) progress.Options {
	opt := progress.Options{W: env.Stdout, Plan: s.plan, Folder: s.folder, Units: s.units, Cells: cellsOf(s.units), Past: s.events(), Getenv: env.Getenv}
	opt.IsTerminal, opt.Size = terminal(env.Stdout)
	opt.Former = func() *progress.History { return formerRuns(filepath.Dir(string(s.folder)), s.plan, s.folder) }
	if catalog, err := keptCatalog(s.folder, s.plan); err == nil { // else bars are read as most clients draw them
		opt.Catalog = catalog
	}
	return opt
}

func (s *snapshot) standing(env Env) standing {
	st := standing{
		Run: shown(env, string(s.folder)), State: s.runState(), Sweep: s.state.Session.SweepPath, Session: s.state.Sessions,
		PID: s.state.Session.Process.PID, Host: s.state.Session.Host, Only: s.state.Session.Only,
		Samples: len(s.units), Blocks: s.state.Session.Blocks, Until: s.state.Session.Until, Counts: s.counts(), Failures: []failed{}, Warnings: s.state.Warnings,
		Ended: s.state.Interrupted, Since: s.state.Since, Last: s.state.Current.Time,
	}
	if st.Until != nil {
		st.Look = s.state.Look
	}
	if s.plan.Imported != nil {
		st.Imported = s.plan.Imported.Files
	}
	for _, err := range s.damage {
		st.Damaged = append(st.Damaged, err.Error())
	}
	if st.Warnings == nil {
		st.Warnings = []string{}
	}
	names := s.names()
	for _, u := range s.units {
		if o := s.state.Of(u); o.Failure != nil && o.Final {
			st.Failures = append(st.Failures, failed{Cell: u.Cell, Name: names[u.Cell], Block: u.Block, Status: o.Status, Failure: *o.Failure})
		}
	}
	if l := s.state.Last(); st.State == runLive && l != nil && l.Ended == nil {
		st.Now = &doing{Launch: l.ID, Server: l.Launch.Name, URL: l.Launch.URL, Ready: l.Ready}
		if l.Running != nil {
			st.Now.PID = l.Running.PID
		}
		if s.state.Client != nil {
			u := s.state.ClientUnit
			st.Now.Cell, st.Now.Block, st.Now.Client = u.Cell, u.Block, names[u.Cell]
		}
	}
	return st
}

// names gives each cell the name that people know it by: "server × client".
func (s *snapshot) names() map[string]string {
	part := map[string]string{}
	for _, v := range s.plan.Servers {
		part[v.ID] = v.Name
	}
	for _, v := range s.plan.Clients {
		part[v.ID] = v.Name
	}
	out := make(map[string]string, len(s.plan.Cells))
	for _, c := range s.plan.Cells {
		out[c.ID] = part[c.Server] + " × " + part[c.Client]
	}
	return out
}

// tally writes "2 of 128: 1 ok, 1 failed".
func (s *snapshot) tally() string { return tally(len(s.units), s.counts()) }

func tally(total int, n map[string]int) string {
	done := total - n[orchestrator.StatusMissing] - n[orchestrator.StatusRunning] - n[runInterrupted]
	out := fmt.Sprintf("%d of %d", done, total)
	sep := ": "
	for _, status := range []string{orchestrator.StatusOK, orchestrator.StatusInvalid, orchestrator.StatusFailed, orchestrator.StatusSkipped, runInterrupted} {
		if n[status] > 0 {
			out += fmt.Sprintf("%s%d %s", sep, n[status], status)
			sep = ", "
		}
	}
	return out
}

// most is how many failures, warnings and damaged places the text lists; the JSON has them all.
const most = 20

func (st standing) write(w io.Writer) error {
	var b strings.Builder
	line := func(key, format string, args ...any) {
		fmt.Fprintf(&b, "%-9s %s\n", key, report.Visible(fmt.Sprintf(format, args...)))
	}
	line("run", "%s  %s", st.Run, st.State)
	if st.State == runImported {
		line("imported", "%s, from %s", st.Since.Local().Format("2006-01-02 15:04:05 MST"), progress.Clean(strings.Join(st.Imported, ", ")))
	} else if st.Session > 0 {
		line("sweep", "%s", st.Sweep)
		line("session", "%d, pid %d on %s, since %s", st.Session, st.PID, st.Host, st.Since.Local().Format("2006-01-02 15:04:05 MST"))
	}
	if st.Only != "" {
		line("only", "%s", st.Only)
	}
	line("samples", "%s", tally(st.Samples, st.Counts))
	if st.Look != nil {
		line("precision", "%s", progress.Clean(st.Look.Message))
	}
	if n := st.Now; n != nil {
		line("server", "%s", n.text())
		if n.Client != "" {
			line("client", "%s block %d", n.Client, n.Block)
		}
	}
	if st.Ended != "" {
		line("ended", "%s", st.Ended)
	}
	said := map[string]bool{}
	for i, f := range st.Failures {
		if i == most {
			line("", "… and %d more: servematrix report %s", len(st.Failures)-most, st.Run)
			break
		}
		place := ""
		if f.File != "" {
			place = fmt.Sprintf("  %s:%d", f.File, f.Line)
		}
		message := ": " + progress.Clean(f.Message)
		if said[f.kind()] {
			message = ", as above"
		}
		said[f.kind()] = true
		line(f.Status, "%s block %d  %s%s%s", f.Name, f.Block, f.Class, message, place)
		for _, more := range f.more {
			line("", "  %s", more)
		}
	}
	before := max(0, len(st.Warnings)-most)
	if before > 0 {
		line("warning", "… and %d before these", before)
	}
	for _, text := range st.Warnings[before:] {
		line("warning", "%s", progress.Clean(text))
	}
	for i, place := range st.Damaged {
		if i == most {
			line("", "… and %d more", len(st.Damaged)-most)
			break
		}
		line("damaged", "%s", progress.Clean(place))
	}
	if len(st.Damaged) == 0 && (st.State == runInterrupted || st.State == runCrashed || st.State == runNew) { // else resume refuses it
		line("go on", "servematrix resume %s", st.Run)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func (d *doing) text() string {
	word := "starting"
	if d.Ready {
		word = "ready"
	}
	s := d.Server + "  " + word
	if d.PID > 0 {
		s += fmt.Sprintf("  pid %d", d.PID)
	}
	return s + "  " + d.URL
}

// watchRun draws the live view from the journal until the run ends. The view is
// this command's data: it goes to stdout.
func watchRun(ctx context.Context, env Env, s *snapshot, color string) error {
	opt := s.viewOptions(env)
	opt.Color = color
	if !opt.IsTerminal { // there is no block that shows where it stands
		st := s.standing(env)
		if err := errors.Join(st.explain(s), st.write(env.Stdout)); err != nil {
			return err
		}
	}
	view := progress.New(opt)
	defer view.Close()
	seen := s.state.Current.Seq
	ended := false
	return s.folder.Follow(ctx, func(e journal.Event) bool {
		if e.Seq > seen {
			seen = e.Seq
			view.Handle(e)
			ended = e.Type == journal.RunEnded
		}
		return true
	}, func() bool { return !ended && s.folder.Live() })
}
