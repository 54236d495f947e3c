package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"

	"github.com/google/renameio/v2"
	"github.com/spf13/cobra"

	"servematrix/journal"
	"servematrix/matrix"
	"servematrix/report"
)

type reportOptions struct {
	format, out, lang string
}

func newReport(env Env) *cobra.Command {
	var opt reportOptions
	cmd := &cobra.Command{
		Use:   "report RUN",
		Short: "Draw the report of a run again, from its folder alone",
		Long: `Draws the report of RUN: text is the combined report, the same bytes as report.txt in the run
folder, of a run that crashed with the end that report.txt lacks; md the short one with the table, its charts as SVG files in a folder beside the file (charts
for report.md, NAME-charts for NAME.md); csv and jsonl one line per sample; benchfmt one line per
server start with a valid sample, for benchstat; html one page that needs nothing else. A live run is
drawn as far as it has come.

Each format is drawn as far as the journal can be read and its version is known (html also without a
plan). What it lacks, with the damaged lines, stands in text, md and html and on stderr, and the exit
code is 2.

Exit codes: 0 drawn · 2 usage, there is no such run, or its plan or journal is damaged`,
		Example: "  servematrix report runs/quickstart-20260102T030405Z --format csv -o results.csv",
		Args:    cobra.ExactArgs(1),
		RunE:    func(_ *cobra.Command, args []string) error { return drawReport(env, args[0], opt) },
	}
	f := cmd.Flags()
	f.StringVar(&opt.format, "format", "text", "text, md, html, csv, jsonl or benchfmt")
	f.StringVarP(&opt.out, "output", "o", "-", "file to write; - is stdout")
	f.StringVar(&opt.lang, "lang", "", "language of the labels in text and html, en or zh (default: the sweep's)")
	return cmd
}

func drawReport(env Env, arg string, opt reportOptions) error {
	if err := oneFormat(opt.format, "text", "md", "html", "csv", "jsonl", "benchfmt"); err != nil {
		return err
	}
	switch {
	case opt.lang != "" && opt.lang != "en" && opt.lang != "zh":
		return usageError("--lang %s: want en or zh", opt.lang)
	case opt.lang != "" && opt.format != "text" && opt.format != "html":
		return usageError("--lang is for --format text and html; the names in %s are the same in every language", opt.format)
	}
	folder, err := openRun(env, arg)
	if err != nil {
		return err
	}
	plan, err := readPlan(folder)
	if err != nil && opt.format != "html" && !errors.Is(err, matrix.ErrNewerPlan) {
		return planTrouble(shown(env, string(folder)), err)
	}
	debug.SetGCPercent(400) // a short program that makes much garbage and keeps little
	draw := func(w io.Writer) error {
		switch opt.format {
		case "md":
			return report.MarkdownWithCharts(w, folder, opt.file(env))
		case "html":
			return report.HTML(w, folder, opt.lang)
		case "csv":
			return report.CSV(w, folder)
		case "jsonl":
			return report.JSONL(w, folder)
		case "benchfmt":
			lines, err := report.Benchfmt(w, folder)
			if lines == 0 {
				fmt.Fprintf(env.Stderr, "%s has no valid sample: there is nothing for benchstat\n", shown(env, string(folder)))
			}
			return err
		}
		text := counted{to: w}
		err := report.Text(&text, folder, opt.lang)
		if text.n == 0 && err == nil {
			fmt.Fprintf(env.Stderr, "%s has no launch or result yet: there is nothing in its report; servematrix status says where it stands\n", shown(env, string(folder)))
		}
		return err
	}
	if opt.out == "-" {
		err = draw(env.Stdout)
	} else {
		err = writeOut(env, opt.out, draw)
	}
	_, incomplete := errors.AsType[*report.Incomplete](err)
	if err != nil && !incomplete {
		return err
	}
	if opt.out != "-" {
		wrote(env, env.path(opt.out))
	}
	if wordless := opt.format == "csv" || opt.format == "jsonl" || opt.format == "benchfmt"; wordless && plan.Imported == nil {
		tellUnmeasured(env, folder, !incomplete)
	}
	if incomplete {
		return notAll(env, err)
	}
	return nil
}

// tellUnmeasured says on stderr that a run ended early, for what has no words for it; whole: resume goes on with it.
func tellUnmeasured(env Env, folder journal.Folder, whole bool) {
	if folder.Live() {
		return
	}
	run, how := shown(env, string(folder)), "crashed"
	switch last := lastEvent(folder); last.Type {
	case "": // nothing has begun
		return
	case journal.RunEnded:
		if d, err := journal.Decode[journal.Verdict](last); err != nil || d.Missing == 0 {
			return
		}
		how = "ended early"
	}
	goOn := ""
	if whole {
		goOn = "; go on with: servematrix resume " + run
	}
	fmt.Fprintf(env.Stderr, "%s %s: what was not measured is missing here%s\n", run, how, goOn)
}

// lastEvent is the last event of a run that can be read.
func lastEvent(folder journal.Folder) (last journal.Event) {
	const tail = 64 << 10
	events, err := folder.Recent(tail)
	if n := len(events); err == nil && n > 0 {
		return events[n-1]
	}
	for e, err := range folder.Events() {
		if err == nil {
			last = e.Clone()
		}
	}
	return last
}

// counted counts what is written.
type counted struct {
	to io.Writer
	n  int
}

func (c *counted) Write(b []byte) (int, error) {
	n, err := c.to.Write(b)
	c.n += n
	return n, err
}

// file is the file that a report is written to, and none for a device or a pipe: nothing can lie
// beside these.
func (o reportOptions) file(env Env) string {
	if o.out == "-" {
		return ""
	}
	if info, err := os.Stat(env.path(o.out)); err == nil && !info.Mode().IsRegular() {
		return ""
	}
	return env.path(o.out)
}

// writeOut writes a file that is there whole or as it was before; a device or a
// pipe is written to directly.
func writeOut(env Env, name string, draw func(io.Writer) error) error {
	path := env.path(name)
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		f, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err != nil {
			return noTarget("report", name, err)
		}
		defer f.Close()
		return draw(f)
	}
	var b bytes.Buffer
	drawn := draw(&b)
	if _, incomplete := errors.AsType[*report.Incomplete](drawn); drawn != nil && !incomplete {
		return drawn
	}
	if err := renameio.WriteFile(path, b.Bytes(), 0o644); err != nil {
		return noTarget("report", name, err)
	}
	return drawn
}

// wrote tells on stderr where something lies now.
func wrote(env Env, path string) { fmt.Fprintf(env.Stderr, "wrote %s\n", shown(env, path)) }
