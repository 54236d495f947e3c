package chart

// Timeline draws what happened when: a row for each launch or cell, with its phases.
type Timeline struct {
	Frame
	X      Axis     // seconds since the start of the run, or seconds of the day
	Phases []string // their names; a phase's place gives it its colour
	Failed string   // what a failed span is called in the legend
	Rows   []TimelineRow
}

// TimelineRow is one launch or cell.
type TimelineRow struct {
	Mark
	Name  string
	Spans []Span
}

// Span is one phase, in the axis's seconds.
type Span struct {
	Phase    int // place in Phases
	From, To float64
	Failed   bool // it ended in a failure
}
