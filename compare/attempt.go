package compare

import "slices"

// Attempt is what Starts asks of a sample: its block and its number in it, 0 where nobody knows
// them, and whether it is valid.
type Attempt struct {
	Block, Number int
	Valid         bool
}

// Starts sorts the samples of one cell, oldest first, into the server starts that measured it, and
// says which samples count: of each block the last valid attempt, even where one behind it failed.
// lost are the last samples of blocks without a valid one. The start is what counts as one
// measurement everywhere, for samples of one start are not independent of each other.
//
// Samples without block and attempt are one start together, and of them nobody knows which takes
// the place of which: each that is not valid is lost.
func Starts[S any](samples []S, of func(S) Attempt) (starts [][]S, lost []S) {
	for _, sample := range samples {
		m := of(sample)
		replaces := func(s S) bool {
			l := of(s)
			return l.Block == m.Block && (l.Block > 0 || l.Number > 0 && m.Number > 0)
		}
		at := slices.IndexFunc(starts, func(s []S) bool { return of(s[0]).Block == m.Block })
		before := slices.IndexFunc(lost, replaces)
		switch {
		case m.Valid && at < 0:
			starts = append(starts, []S{sample})
		case m.Valid && m.Number == of(starts[at][0]).Number:
			starts[at] = append(starts[at], sample)
		case m.Valid:
			starts[at] = []S{sample}
		case at >= 0 && replaces(starts[at][0]):
			continue // a valid attempt stays
		case before >= 0:
			lost[before] = sample
		default:
			lost = append(lost, sample)
		}
		if m.Valid && before >= 0 {
			lost = slices.Delete(lost, before, before+1)
		}
	}
	return starts, lost
}
