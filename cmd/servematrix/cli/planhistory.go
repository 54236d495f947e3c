package cli

import (
	"fmt"
	"os"
	"slices"

	"servematrix/cmd/servematrix/progress"
	"servematrix/journal"
)

// Limits of what plan reads of former runs: it has to answer at once.
const (
	historyRuns  = 5
	historyBytes = 4 << 20 // of all journals together
	historyCells = 10_000  // of the plan; beyond, looking would take longer than it tells
)

// duration says how long the plan may take, from the newest runs under ./runs
// that had the same servers and clients.
func (t planText) duration(env Env) string {
	const unknown = "duration unknown: no former run under ./runs tells"
	runs, err := journal.List(env.path(runsDir))
	if err != nil || len(t.plan.Cells) > historyCells {
		return unknown
	}
	slices.SortFunc(runs, func(a, b journal.Folder) int { return startOf(b).Compare(startOf(a)) })
	h := progress.NewHistory(t.plan)
	read := int64(0)
	for _, f := range runs[:min(len(runs), historyRuns)] {
		for _, name := range []string{journal.PlanFile, journal.EventsFile} {
			if info, err := os.Stat(f.Path(name)); err == nil {
				read += info.Size()
			}
		}
		if read > historyBytes {
			break
		}
		if s, err := takeSnapshot(f); err == nil {
			h.Learn(s.plan, s.events)
		}
	}
	low, high, ok := h.Estimate()
	if !ok {
		return unknown
	}
	return fmt.Sprintf("about %s, going by %s", progress.About(low, high), plural(h.Runs, "former run", "former runs"))
}
