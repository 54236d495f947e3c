package report

import (
	"fmt"
	"strconv"

	"servematrix/journal"
	"servematrix/matrix"
)

// Failure is what a person wants to know of something that failed, the same wherever it is shown.
// Its texts hold nothing that moves a cursor or breaks a line; what shows them in HTML or Markdown
// escapes them for that.
type Failure struct {
	Class    string
	Means    string    // the class in words, in the report's language; "" for one that is not known
	Phase    string    // preflight, start, ready, client or stop
	Message  string    // in one line
	Place    string    // FILE:LINE of the evidence, relative to the run folder; "" where there is none
	Lines    []LogLine // the log lines that matter, the most telling first; the log's last lines where no pattern knows any
	Commands []Command // to try by hand in bash; none where no command is to blame
	Hint     string    // what usually helps, in the report's language; "" where nobody says anything
	Source   string    // who says so: a URL, or "seen: …"
	Logs     string    // the command that shows the logs; "" where there are none
}

// LogLine is one line of a log.
type LogLine struct {
	Place string // FILE:LINE; "" for one of a log's last lines, whose numbers nobody knows
	Text  string
}

// Command is a command to try by hand.
type Command struct {
	Server bool // a server's; else its client's, to be started beside it
	Line   string
}

// Explainer makes a Failure of what the journal says of one. It is fed with the events before it.
type Explainer struct {
	run      string // as a person names it
	words    words
	servers  map[string]*matrix.Server
	clients  map[string]*matrix.Client
	cells    map[string]matrix.Cell
	hints    map[string]matrix.Hints
	session  journal.Session
	starts   map[string]filling
	imported bool // there are no logs
}

// filling is what a server's start put into its commands and its clients', besides folders.
type filling struct {
	dir, url, devices string
	port, latePort    int
}

// NewExplainer explains failures of a run that is called run on the command line. lang is "en" or
// "zh"; "" is the plan's own.
func NewExplainer(folder journal.Folder, plan *matrix.Plan, run, lang string) *Explainer {
	return newTally(folder, plan).explainer(run, lang)
}

// explainer shares what the tally knows of plans, and follows it.
func (t *tally) explainer(run, lang string) *Explainer {
	if lang == "" {
		lang = t.plan.Lang
	}
	return &Explainer{run: run, words: wordsOf(lang), servers: t.servers, clients: t.clients, cells: t.cells, hints: t.plan.Hints, imported: t.plan.Imported != nil, starts: map[string]filling{}}
}

// Apply takes the next event in.
func (x *Explainer) Apply(e journal.Event) error {
	switch e.Type {
	case journal.RunStarted, journal.RunResumed:
		return with(happening{Event: e}, func(d journal.Session) { x.session = d })
	case journal.LaunchStarted:
		return with(happening{Event: e}, func(d journal.Launch) { x.begins(e.Launch, &d) })
	}
	return nil
}

func (x *Explainer) begins(launch string, d *journal.Launch) {
	x.starts[launch] = filling{d.Dir, d.URL, d.Devices, d.Port, d.LatePort}
}

// Explain says all of a failure of a cell; launch is the server start in which it happened, "" where
// there was none.
func (x *Explainer) Explain(f journal.Failure, cell string, block int, launch string) Failure {
	out := Failure{
		Class: visible(f.Class), Means: x.words.classes[f.Class], Phase: visible(f.Phase), Message: visible(clip(f.Message, lineMost)),
		Lines: lines(f), Logs: x.logs(cell, block),
	}
	if f.File != "" {
		out.Place = place(f)
	}
	server, client := x.servers[x.cells[cell].Server], x.clients[x.cells[cell].Client]
	if begun, ok := x.starts[launch]; ok && server != nil && client != nil && len(server.Argv) > 0 && !blameless[f.Class] {
		late := begun.late(block)
		out.Commands = append(out.Commands, Command{true, byHand(&server.Variant, begun.dir, late)})
		if f.Phase == "client" {
			out.Commands = append(out.Commands, Command{false, byHand(&client.Variant, folderOf(&client.Variant, x.session.Dir), late)})
		}
	}
	var hint matrix.Hint
	switch {
	case ofClient[f.Class] && client != nil:
		hint = x.hints[client.Profile][f.Class]
	case server != nil:
		hint = x.hints[server.Profile][f.Class]
	}
	out.Hint, out.Source = visible(hint.EN), visible(hint.Source)
	if x.words.lang == "zh" {
		out.Hint = visible(hint.ZH)
	}
	return out
}

// blameless are the classes of failures that no command of a cell brings about, ofClient those
// of which its client's profile knows more than its server's.
var (
	blameless = map[string]bool{"host_not_clean": true, "stop_dirty": true, "interrupted": true, "disk_full": true, "hook_failed": true}
	ofClient  = map[string]bool{"client_failed": true, "client_timeout": true, "client_silent": true, "no_result": true}
)

// late are the values of the run time; the folder of results is none of them: see scratch.
func (s filling) late(block int) map[string]string {
	late := map[string]string{"late.seed": strconv.Itoa(block)}
	keep := func(name, value string) {
		if value != "" && value != "0" {
			late[name] = value
		}
	}
	keep("late.port", strconv.Itoa(s.port))
	keep("late.port", strconv.Itoa(s.latePort))
	keep("late.devices", s.devices)
	keep("server.url", s.url)
	keep("server.port", strconv.Itoa(s.port))
	return late
}

// lines are the log lines that matter, else the last ones.
func lines(f journal.Failure) (out []LogLine) {
	for _, l := range f.Lines {
		out = append(out, LogLine{fmt.Sprintf("%s:%d", visible(l.File), l.Line), visible(clip(l.Text, lineMost))})
	}
	if len(out) > 0 {
		return out
	}
	for _, text := range f.Tail[max(0, len(f.Tail)-tailMost):] {
		out = append(out, LogLine{"", visible(clip(text, lineMost))})
	}
	return out
}

// logs is the command that shows the logs of a cell's last attempt in a block.
func (x *Explainer) logs(cell string, block int) string {
	if x.imported {
		return ""
	}
	line := "servematrix logs " + quote(x.run) + " " + quote(cell)
	if block > 1 {
		line += fmt.Sprintf(" --block %d", block)
	}
	return line
}

// tries are the commands, to be read as a script of bash.
func (f Failure) tries() (lines []string) {
	for _, c := range f.Commands {
		if !c.Server {
			lines = append(lines, "# in another shell")
		}
		lines = append(lines, c.Line)
	}
	return lines
}
