package progress

import (
	"path/filepath"

	"servematrix/journal"
	"servematrix/orchestrator"
)

// verbatim begins a line that is never broken, however narrow the terminal: a command to be copied.
const verbatim = "\x01"

// blame is what failed; the same befalls many cells.
type blame struct{ class, phase, message string }

// explained says under a failed sample all that is known of its failure, where it is final and the first
// of its kind: the further log lines that matter, what usually helps, what to try by hand.
func (v *View) explained(e journal.Event, d journal.Ended) (lines []string) {
	f := d.Failure
	if f == nil || !d.Final || v.blamed[blame{f.Class, f.Phase, f.Message}] {
		return nil
	}
	v.blamed[blame{f.Class, f.Phase, f.Message}] = true
	all := v.explainer.Explain(*f, e.Cell, e.Block, e.Launch)
	for i, l := range all.Lines {
		if i > 0 && l.Place != "" { // the first stands above
			lines = append(lines, indent+l.Place+" "+Clean(l.Text))
		}
	}
	if all.Hint != "" {
		lines = append(lines, indent+"what usually helps: "+all.Hint+" ("+all.Source+")")
	}
	for _, c := range all.Commands {
		what := "the client by hand:"
		if c.Server {
			what = "the server by hand:"
		}
		lines = append(lines, indent+what, verbatim+c.Line)
	}
	return append(lines, indent+"logs: "+all.Logs)
}

// means puts a failure's class into words.
func (v *View) means(f *journal.Failure, u orchestrator.Unit) string {
	if words := v.explainer.Explain(*f, u.Cell, u.Block, "").Means; words != "" {
		return ": " + words
	}
	return ""
}

// runArgument is a run as commands take it: its name where it lies under runs, else its folder.
func runArgument(folder journal.Folder) string {
	if filepath.Base(filepath.Dir(string(folder))) == "runs" {
		return filepath.Base(string(folder))
	}
	return string(folder)
}
