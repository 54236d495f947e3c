package cli

import (
	"fmt"
	"os"
	"slices"

	"servematrix/cmd/servematrix/progress"
	"servematrix/journal"
	"servematrix/matrix"
)

// Limits of what plan reads of former runs: it has to answer at once.
const (
	historyRuns  = 5
	historyBytes = 4 << 20 // of all journals together
	historyCells = 10_000  // of the plan; beyond, looking would take longer than it tells
)

// formerRuns learns from the newest runs in dir that had servers or clients of plan; not from the run itself.
func formerRuns(dir string, plan *matrix.Plan, self journal.Folder) *progress.History {
	h := progress.NewHistory(plan)
	runs, err := journal.List(dir)
	if err != nil || len(plan.Cells) > historyCells {
		return h
	}
	runs = slices.DeleteFunc(runs, func(f journal.Folder) bool { return f == self })
	slices.SortFunc(runs, func(a, b journal.Folder) int { return startOf(b).Compare(startOf(a)) })
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
		if s, err := takeSnapshot(Env{}, f); err == nil {
			h.Learn(s.plan, s.events())
		}
	}
	return h
}

// starts says what the isolation costs, or would save.
func (t planText) starts(h *progress.History) {
	blocks := max(t.plan.Run.Blocks, 1)
	cells := map[string]int{}
	for _, c := range t.plan.Cells {
		cells[c.Server]++
	}
	saved, spare := 0, map[string]int{}
	for _, s := range t.plan.Servers {
		if s.Isolation != "launch" && cells[s.ID] > 1 {
			spare[s.ID] = (cells[s.ID] - 1) * blocks
			saved += spare[s.ID]
		}
	}
	t.printf("\n%s", count(t.plan.Launches, "server start"))
	if saved > 0 {
		t.printf("; isolation: launch would take %d and save %s", t.plan.Launches-saved, count(saved, "start"))
		if took, ok := h.Launches(spare); ok {
			t.printf(", about %s going by former runs", progress.About(took, took))
		}
	}
	fmt.Fprintln(t)
}

// duration says how long the whole plan may take.
func (t planText) duration(h *progress.History) {
	low, high, ok := h.Estimate()
	if !ok {
		fmt.Fprintln(t, "duration unknown: no former run under ./runs tells")
		return
	}
	t.printf("about %s, going by %s\n", progress.About(low, high), plural(h.Runs, "former run", "former runs"))
}
