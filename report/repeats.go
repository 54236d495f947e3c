package report

import (
	"math"
	"slices"

	"servematrix/compare"
)

// repeat is one cell over all its blocks: one line of the end table of a run with several. What
// is not valid is counted and named, never averaged.
type repeat struct {
	server, client string // names of the server variant and of the workload
	former         bool   // of rows that the sweep, edited since, no longer has
	rows           []Row  // one for each block, in order
	starts         []*Row // what counts, one for each server start
	asked          int    // server starts of all rows
}

// severalBlocks tells whether cells are measured more than once: then a row of the end table is
// a cell, else a cell in its only block.
func severalBlocks(rows []Row) bool {
	return slices.ContainsFunc(rows, func(r Row) bool { return !r.Former && r.Block > 1 })
}

// repeats groups rows, in the order of the table, by cell; those of a former sweep stand apart.
func repeats(rows []Row) (out []*repeat) {
	for len(rows) > 0 {
		first, n := &rows[0], 1
		for n < len(rows) && rows[n].Cell == first.Cell && rows[n].Former == first.Former {
			n++
		}
		of := rows[:n:n]
		out = append(out, &repeat{server: first.Server, client: first.Client, former: first.Former, rows: of, starts: startsOf(of), asked: askedOf(of)})
		rows = rows[n:]
	}
	return out
}

// askedOf counts the starts that rows belong to. Imported samples of which nobody knows the start
// are one together; a run knows the start of each row.
func askedOf(rows []Row) int {
	unknown, known := 0, 0
	for _, r := range rows {
		if r.Attempt > 0 && r.start.Block == 0 {
			unknown = 1
		} else {
			known++
		}
	}
	return known + unknown
}

// startsOf gives what counts, as compare does: of each start its last valid attempt, and the mean of
// samples of which nobody knows the start.
func startsOf(rows []Row) (starts []*Row) {
	var all []*Row
	for i := range rows {
		if rows[i].valid != nil {
			all = append(all, rows[i].valid)
		}
		all = append(all, &rows[i])
	}
	valid, _ := compare.Starts(all, func(r *Row) compare.Attempt {
		return r.start
	})
	for _, samples := range valid {
		starts = append(starts, together(samples))
	}
	return starts
}

// together is one row for the samples of one start: their mean, of the metrics that all of them have.
func together(samples []*Row) *Row {
	if len(samples) == 1 {
		return samples[0]
	}
	one := *samples[0]
	one.Metrics = figures{one.Metrics.names, slices.Clone(one.Metrics.values)}
	for i, name := range one.Metrics.names {
		sum := 0.0
		for _, s := range samples {
			v, ok := s.Metrics.Get(name)
			if !ok {
				v = math.NaN()
			}
			sum += v
		}
		one.Metrics.values[i] = sum / float64(len(samples))
	}
	return &one
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
