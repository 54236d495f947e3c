package report

import (
	"cmp"
	"slices"

	"servematrix/compare"
	"servematrix/journal"
	"servematrix/result"
)

// Statuses of rows without a result; the others are those of results.jsonl.
const (
	StatusMissing = "missing" // not tried yet
	// StatusInterrupted is that of a cell whose last attempt was cut short: failed, with class
	// interrupted, in results.jsonl. A resume measures it again.
	StatusInterrupted = "interrupted"
)

// classInterrupted is the failure class of an attempt that a signal, a stop or a crash cut short.
const classInterrupted = "interrupted"

// Row is one line of the end table: a cell in a block, as its last attempt left it.
type Row struct {
	Cell    string // id of the cell
	Server  string // name of the server variant
	Client  string // name of the workload
	Block   int
	Attempt int    // 0 for a cell that was never tried
	Status  string // one of results.jsonl, StatusMissing or StatusInterrupted
	// Failure says why a failed or skipped cell is that; of its tail the last lines.
	Failure *journal.Failure
	// Log is the server's log, relative to the run folder, where its start failed and Failure
	// names no file.
	Log       string
	Former    bool            // of a cell or a block that the sweep, edited since, no longer has
	After     string          // what befell the attempt before this one: a class, a reason or a status
	Reasons   []result.Reason // validity findings, also those that did not invalidate; each reason once
	Simulated bool            // the numbers come from the simulated server
	Metrics   figures         // those that a column shows; absent where nothing was measured
	Start     string          // the server start in which it failed; "" where nothing failed or none was begun
	Launch    string          // the server start that was measured; "" where nothing was
	Source    *result.Source  // of an imported sample, where it was read
	start     compare.Attempt // which server start it was
	valid     *Row            // the last valid attempt before this one; nil where this one is valid, or none was
}

// why says in one word what befell the row's attempt.
func (r *Row) why() string {
	switch {
	case r.Failure != nil:
		return r.Failure.Class
	case len(r.Reasons) > 0:
		return r.Reasons[0].Reason
	}
	return r.Status
}

// follow notes the attempt before this one.
func (r *Row) follow(before *Row) {
	r.After = before.why()
	switch {
	case r.Status == result.StatusOK:
	case before.Status == result.StatusOK:
		r.valid = before
	default:
		r.valid = before.valid
	}
}

// tailMost is how many of a log's last lines the end of a report repeats. The section of the
// attempt has them all.
const tailMost = 10

// table gives the rows in plan order, then by block; cells that are no longer in the plan come
// last. Cells of which nothing is known yet are missing; with --only it is not known which
// ones were selected, so only those with a result are there.
func (t *tally) table() []Row {
	type placed struct { // a row is too large to be moved about while it is sorted
		at int
		*Row
	}
	all := make([]placed, 0, len(t.rows))
	cut := t.cut()
	if cut != nil {
		all = append(all, placed{t.place(cut.Cell), cut})
	}
	isCut := func(cell string, block int) bool { return cut != nil && cut.Cell == cell && cut.Block == block }
	for u, row := range t.rows {
		if !isCut(u.cell, u.block) {
			all = append(all, placed{t.place(row.Cell), row})
		}
	}
	if t.session.Only == "" && t.plan.Imported == nil {
		blocks := t.session.Blocks
		if t.sessions == 0 && !t.began.IsZero() { // the event that tells is lost
			blocks = t.plan.Run.Blocks
		}
		for at, c := range t.plan.Cells {
			for block := 1; block <= blocks; block++ {
				if t.rows[unit{c.ID, block}] == nil && !isCut(c.ID, block) {
					all = append(all, placed{at, &Row{Cell: c.ID, Server: t.serverName(c.Server), Client: t.clientName(c.Client), Block: block, Status: StatusMissing}})
				}
			}
		}
	}
	slices.SortFunc(all, func(a, b placed) int {
		return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.Cell, b.Cell), cmp.Compare(a.Block, b.Block))
	})
	rows := make([]Row, 0, len(all))
	for _, one := range all {
		row := *one.Row
		row.Former = t.isFormer(row.Cell, row.Block)
		rows = append(rows, row)
	}
	return rows
}

// isFormer tells a cell or a block that the sweep, edited since, no longer has. Where no plan can be
// read nobody knows of any.
func (t *tally) isFormer(cell string, block int) bool {
	_, planned := t.order[cell]
	return !planned && len(t.order) > 0 || t.session.Blocks > 0 && block > t.session.Blocks
}

// place is a cell's position in the plan, behind all others when it is not in it.
func (t *tally) place(cell string) int {
	if at, ok := t.order[cell]; ok {
		return at
	}
	return len(t.order)
}

// count counts rows by status, and those of a former sweep, which nobody judges any more.
func count(rows []Row) (by map[string]int, former int) {
	by = map[string]int{}
	for _, row := range rows {
		if row.Former {
			former++
			continue
		}
		by[row.Status]++
	}
	return by, former
}
