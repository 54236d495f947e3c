package report

import (
	"slices"

	"servematrix/compare"
	"servematrix/result"
)

// repeat is one cell over all its blocks: one line of the end table of a run with several. What
// is not valid is counted and named, never averaged.
type repeat struct {
	server, client string // names of the server variant and of the workload
	former         bool   // of rows that the sweep, edited since, no longer has
	rows           []Row  // one for each block, in order
	starts         []*Row // the attempts that count, one for each server start
}

// severalBlocks tells whether cells are measured more than once: then a row of the end table is
// a cell, else a cell in its only block.
func severalBlocks(rows []Row) bool {
	return slices.ContainsFunc(rows, func(r Row) bool { return !r.Former && r.Block > 1 })
}

// repeats groups rows, in the order of the table, by cell; those of a former sweep stand apart.
func repeats(rows []Row) []*repeat {
	type key struct {
		cell   string
		former bool
	}
	var out []*repeat
	known := map[key]*repeat{}
	for _, row := range rows {
		k := key{row.Cell, row.Former}
		r := known[k]
		if r == nil {
			r = &repeat{server: row.Server, client: row.Client, former: row.Former}
			known[k] = r
			out = append(out, r)
		}
		r.rows = append(r.rows, row)
	}
	for _, r := range out {
		r.starts = startsOf(r.rows)
	}
	return out
}

// startsOf gives the attempts that count, as compare does: a run knows block and attempt of each
// sample, so that each start has one.
func startsOf(rows []Row) (starts []*Row) {
	var all []*Row
	for i := range rows {
		if rows[i].valid != nil {
			all = append(all, rows[i].valid)
		}
		all = append(all, &rows[i])
	}
	valid, _ := compare.Starts(all, func(r *Row) compare.Attempt {
		return compare.Attempt{Block: r.Block, Number: r.Attempt, Valid: r.Status == result.StatusOK}
	})
	for _, attempts := range valid {
		starts = append(starts, attempts[0])
	}
	return starts
}

// of gives a metric of each start that has it, and the starts' blocks.
func (r *repeat) of(name string) (values []float64, blocks []int) {
	for _, s := range r.starts {
		if v, ok := s.Metrics.Get(name); ok {
			values, blocks = append(values, v), append(blocks, s.Block)
		}
	}
	return values, blocks
}
