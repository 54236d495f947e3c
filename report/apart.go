package report

import (
	"math"
	"slices"

	"servematrix/stats"
)

// apartP is how improbable a start must be beside the others before the report points at it.
const apartP = 0.01

// apart finds the start that lies apart from the cell's others: improbable beside them (Grubbs'
// test) and farther away than minEffect, the change that matters to the sweep. away is the share
// by which it differs from the others' mean. It is a hint and no more: the start stays in every
// mean, because a rare start is as true as a usual one until somebody knows its cause.
func (r *repeat) apart(name string, minEffect float64) (block int, away float64, ok bool) {
	values, blocks := r.of(name)
	i, p := stats.Grubbs(values)
	if i < 0 || p >= apartP {
		return 0, 0, false
	}
	others := stats.Mean(slices.Delete(slices.Clone(values), i, i+1), confidence)
	away = values[i]/others.Mean - 1
	return blocks[i], away, math.Abs(away) >= minEffect
}
