package chart

// Interval draws values with their intervals around a baseline: one row each, as beside the
// lines of an A/B table.
type Interval struct {
	Frame
	Axis Axis
	// Baseline is where nothing differs: 1 for ratios, 0 for differences. BaselineName stands
	// at its line.
	Baseline     float64
	BaselineName string
	// Same is the range in which a difference is too small to matter; nil for none.
	Same *Range
	Rows []IntervalRow
}

// IntervalRow is one comparison.
type IntervalRow struct {
	Mark
	Name    string
	Value   float64
	Range   *Range // nil where there is no interval
	Verdict Verdict
	// Text stands at the end of the row: the same in figures.
	Text string
}

// Verdict gives a row its colour and shape.
type Verdict int

// The verdicts of a comparison.
const (
	Inconclusive Verdict = iota
	Better
	Worse
	Equivalent
)
