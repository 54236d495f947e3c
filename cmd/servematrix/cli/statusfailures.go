package cli

import (
	"servematrix/cmd/servematrix/progress"
	"servematrix/journal"
	"servematrix/orchestrator"
	"servematrix/report"
)

// explain says of the failures that the text lists what they mean and what to do, once for those
// that are alike.
func (st *standing) explain(s *snapshot) error {
	if len(st.Failures) == 0 {
		return nil
	}
	x := report.NewExplainer(s.folder, s.plan, st.Run, "en")
	launch := map[orchestrator.Unit]string{} // in which a unit failed
	for e, err := range s.events() {
		if err != nil {
			return err
		}
		if err := x.Apply(e); err != nil {
			continue // s.damage has it
		}
		switch e.Type {
		case journal.SampleEnded:
			launch[orchestrator.Unit{Cell: e.Cell, Block: e.Block}] = e.Launch
		case journal.CellSkipped:
			if d, err := journal.Decode[journal.Skip](e); err == nil {
				launch[orchestrator.Unit{Cell: e.Cell, Block: e.Block}] = d.Cause
			}
		}
	}
	known := map[string]bool{}
	for i := range st.Failures[:min(len(st.Failures), most)] {
		f := &st.Failures[i]
		if known[f.kind()] {
			continue
		}
		known[f.kind()] = true
		all := x.Explain(f.Failure, f.Cell, f.Block, launch[orchestrator.Unit{Cell: f.Cell, Block: f.Block}])
		f.more = adviceOf(all)
	}
	return nil
}

// kind is what failures have in common that are alike.
func (f failed) kind() string { return f.Class + "\n" + f.Phase + "\n" + f.Message }

// adviceOf is what stands under a failure, a line each.
func adviceOf(f report.Failure) (lines []string) {
	if f.Means != "" {
		lines = append(lines, f.Means)
	}
	for i, l := range f.Lines {
		if i > 0 && l.Place != "" { // the first stands above
			lines = append(lines, l.Place+" "+progress.Clean(l.Text))
		}
	}
	if f.Hint != "" {
		lines = append(lines, "what usually helps: "+f.Hint+" ("+f.Source+")")
	}
	for _, c := range f.Commands {
		what := "the client by hand: "
		if c.Server {
			what = "the server by hand: "
		}
		lines = append(lines, what+c.Line)
	}
	if f.Logs != "" {
		lines = append(lines, "logs: "+f.Logs)
	}
	return lines
}
