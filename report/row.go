package report

import (
	"cmp"
	"slices"

	"servematrix/journal"
	"servematrix/matrix"
	"servematrix/metric"
)

// StatusMissing is the status of a row without a result yet; the others are those of results.jsonl.
const StatusMissing = "missing"

// Row is one line of the end table: a cell in a block, as its last attempt left it.
type Row struct {
	Cell    string // id of the cell
	Server  string // name of the server variant
	Client  string // name of the workload
	Block   int
	Attempt int    // 0 for a cell that was never tried
	Status  string // one of results.jsonl, or StatusMissing
	// Failure says why a failed or skipped cell is that; of its tail the last lines.
	Failure   *journal.Failure
	Reasons   []string      // validity reasons, also those that did not invalidate
	Simulated bool          // the numbers come from the simulated server
	Metrics   metric.Values // those that a column shows; absent where nothing was measured
}

// tailMost is how many of a log's last lines the end of a report repeats. The section of the
// attempt has them all.
const tailMost = 10

// shown are the metrics that rows keep: a run has thousands of rows, and they stay in memory.
var shown = []string{
	"output_throughput", "total_throughput", "mean_ttft_ms", "p99_ttft_ms", "mean_tpot_ms", "mean_itl_ms",
	"mean_e2e_latency_ms", "completed", "num_prompts",
}

// Rows folds events into the rows of the end table: every cell and block in plan order, the
// last attempt of each. It reads the samples from the folder for their metrics.
func Rows(folder journal.Folder, plan *matrix.Plan, events []journal.Event) ([]Row, error) {
	t := newTally(folder, plan, events)
	for _, e := range events {
		if _, err := t.apply(e); err != nil {
			return nil, err
		}
	}
	return t.table(), nil
}

// table gives the rows in plan order, then by block; cells that are no longer in the plan come
// last. Cells of which nothing is known yet are missing; with --only it is not known which
// ones were selected, so only those with a result are there.
func (t *tally) table() []Row {
	rows := make([]Row, 0, len(t.rows))
	for _, row := range t.rows {
		rows = append(rows, *row)
	}
	if t.session.Only == "" {
		for block := 1; block <= t.session.Blocks; block++ {
			for _, c := range t.plan.Cells {
				if t.rows[unit{c.ID, block}] == nil {
					rows = append(rows, Row{Cell: c.ID, Server: t.serverName(c.Server), Client: t.clientName(c.Client), Block: block, Status: StatusMissing})
				}
			}
		}
	}
	slices.SortFunc(rows, func(a, b Row) int {
		return cmp.Or(cmp.Compare(t.place(a.Cell), t.place(b.Cell)), cmp.Compare(a.Cell, b.Cell), cmp.Compare(a.Block, b.Block))
	})
	return rows
}

// place is a cell's position in the plan, behind all others when it is not in it.
func (t *tally) place(cell string) int {
	if at, ok := t.order[cell]; ok {
		return at
	}
	return len(t.order)
}

// count counts rows by status.
func count(rows []Row) map[string]int {
	n := map[string]int{}
	for _, row := range rows {
		n[row.Status]++
	}
	return n
}
