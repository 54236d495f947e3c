package report

import (
	"math"
	"slices"

	"servematrix/metric"
	"servematrix/result"
	"servematrix/stats"
)

// repeat is one cell over all its blocks: one line of the end table of a run with several. The
// server start is what counts as one measurement, because samples of one start are not
// independent of each other; what is not valid is counted and named, never averaged.
type repeat struct {
	server, client string // names of the server variant and of the workload
	former         bool   // of rows that the sweep, edited since, no longer has
	rows           []Row  // one for each block, in order
	starts         []start
}

// start is one server start with its valid samples of a cell.
type start struct {
	block   int // of the first of them
	launch  string
	samples []metric.Values
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
		if row.Status == result.StatusOK {
			r.measured(row)
		}
	}
	return out
}

// measured adds a valid row's sample, and the further ones of its start, to its start.
func (r *repeat) measured(row Row) {
	samples := append(slices.Clone(row.Others), row.Metrics)
	if i := slices.IndexFunc(r.starts, func(s start) bool { return row.Launch != "" && s.launch == row.Launch }); i >= 0 {
		r.starts[i].samples = append(r.starts[i].samples, samples...)
		return
	}
	r.starts = append(r.starts, start{row.Block, row.Launch, samples})
}

// of gives a metric of each start that has it, the mean of its samples, and the starts' blocks.
func (r *repeat) of(name string) (means []float64, blocks []int) {
	for _, s := range r.starts {
		if values := s.of(name); len(values) > 0 {
			means, blocks = append(means, stats.Mean(values, confidence).Mean), append(blocks, s.block)
		}
	}
	return means, blocks
}

// within gives the coefficient of variation of a metric inside single starts, pooled over those
// that have several samples; NaN when none has.
func (r *repeat) within(name string) float64 {
	squares, free := 0.0, 0
	for _, s := range r.starts {
		values := s.of(name)
		m := stats.Mean(values, confidence).Mean
		for _, v := range values {
			squares += (v/m - 1) * (v/m - 1)
		}
		free += max(len(values)-1, 0)
	}
	if free == 0 {
		return math.NaN()
	}
	return math.Sqrt(squares / float64(free))
}

func (s start) of(name string) []float64 {
	var values []float64
	for _, sample := range s.samples {
		if v, ok := sample.Get(name); ok {
			values = append(values, v)
		}
	}
	return values
}
