package compare

import (
	"servematrix/result"
	"servematrix/stats"
)

// Measured is what one source measured of one cell, for those who compare it with something else
// than another arm.
type Measured struct {
	Server, Client *result.Side
	// Last is the valid sample that was measured last.
	Last   *result.Sample
	starts []start
}

// MeasuredOf gives the cells of a source that have a valid start, in the order in which they were
// first measured. What a start is, Compare says too: of each block the last valid attempt, and all
// samples of a cell whose block is unknown together.
func MeasuredOf(samples []*result.Sample) []Measured {
	var out []Measured
	for _, c := range cellsOf([]Source{{Samples: samples}}) {
		m := Measured{Server: c.server, Client: c.client, starts: tallyOf([]*cell{c}).starts}
		last := -1
		for _, s := range m.starts {
			for _, one := range s.samples {
				if one.at > last {
					m.Last, last = one.Sample, one.at
				}
			}
		}
		if m.Last != nil {
			out = append(out, m)
		}
	}
	return out
}

// Starts is how many valid server starts there are.
func (m *Measured) Starts() int { return len(m.starts) }

// Mean gives a metric's mean over the starts that have it; its N is 0 where none has.
func (m *Measured) Mean(metric string) stats.Estimate {
	return stats.Mean(values(m.starts, metric), Confidence)
}

// Against gives a metric's ratio to that of a baseline of the same source, start by start where
// Compare would pair them; false where one of them has no value or no ratio is possible.
func (m *Measured) Against(base *Measured, metric string) (stats.Ratio, bool) {
	x, y, paired := facing(base.starts, m.starts)
	c, ok := (&Result{Confidence: Confidence}).compare(metric, x, y, paired)
	return c.Ratio, ok && c.Note == ""
}
