package compare

import (
	"cmp"
	"math"
	"slices"

	"servematrix/result"
)

// start is one server start that measured a cell: a block of a source. Block 0 holds all samples
// of the source of which no block is known.
type start struct {
	source, block int
	samples       []measured // the valid ones of its last attempt; more than one only where no attempt is known
}

// tally is what an arm of a pair has.
type tally struct {
	starts []start // valid ones, by source and block
	lost   Lost
}

// Lost are the blocks of a cell that no average takes in, by what the last attempt was.
type Lost struct {
	Invalid, Failed, Skipped int
	// Why names each reason or failure class once.
	Why []string
}

// Total is how many blocks were lost.
func (l Lost) Total() int { return l.Invalid + l.Failed + l.Skipped }

func (l *Lost) add(s *result.Sample) {
	why := ""
	switch s.Status {
	case result.StatusInvalid:
		l.Invalid++
		if s.Validity != nil {
			for _, r := range s.Validity.Reasons {
				if r.Severity == result.SeverityError || why == "" {
					why = r.Reason
				}
			}
		}
	case result.StatusSkipped:
		l.Skipped++
	default:
		l.Failed++
	}
	if s.Failure != nil {
		why = s.Failure.Class
	}
	if why != "" && !slices.Contains(l.Why, why) {
		l.Why = append(l.Why, why)
	}
}

// tallyOf finds the starts of cells: of each block the last valid attempt; a block without one is
// lost. All samples of one source whose block is unknown are one start, whichever of the cells they
// belong to: nobody knows that the server was started anew between them.
func tallyOf(cells []*cell) tally {
	var t tally
	for _, c := range cells {
		starts, lost := c.starts()
		for _, s := range starts {
			at := -1
			if s.block == 0 {
				at = slices.IndexFunc(t.starts, func(o start) bool { return o.source == s.source && o.block == 0 })
			}
			if at >= 0 {
				t.starts[at].samples = append(t.starts[at].samples, s.samples...)
			} else {
				t.starts = append(t.starts, s)
			}
		}
		for _, m := range lost {
			t.lost.add(m.Sample)
		}
	}
	slices.SortStableFunc(t.starts, func(a, b start) int {
		return cmp.Or(cmp.Compare(a.source, b.source), cmp.Compare(a.block, b.block))
	})
	return t
}

// starts gives a cell's starts, and the last sample of each block that has no valid one.
func (c *cell) starts() (starts []start, lost []measured) {
	valid, lost := Starts(c.samples, func(m measured) Attempt { return Attempt{m.Block, m.Attempt, m.Status == result.StatusOK} })
	for _, samples := range valid {
		starts = append(starts, start{c.source, samples[0].Block, samples})
	}
	return starts, lost
}

// value is the mean of a metric over the samples of a start; false where one lacks it.
func (s start) value(name string) (float64, bool) {
	sum := 0.0
	for _, m := range s.samples {
		v, ok := m.Metrics.Get(name)
		if !ok {
			return math.NaN(), false
		}
		sum += v
	}
	return sum / float64(len(s.samples)), true
}

// values gives a metric's value of each start that has it.
func values(starts []start, name string) []float64 {
	out := make([]float64, 0, len(starts))
	for _, s := range starts {
		if v, ok := s.value(name); ok {
			out = append(out, v)
		}
	}
	return out
}
