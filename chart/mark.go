package chart

import (
	"math"
	"strings"

	"servematrix/oneline"
)

// Mark is what every drawn thing that stands for a cell carries. Several marks, also of
// several charts, may have the same cell: they are hidden and shown together.
type Mark struct {
	// Cell becomes data-cell; "" is a mark that stands for no cell.
	Cell string
	// Tip becomes data-tip, lines separated by \n. Leave it empty where there are thousands of
	// marks and the tip can be found by the cell.
	Tip string
	// State is how the cell ended; only a Measured one has a value.
	State State

	class  markup // what the composition calls it, besides mark and the state
	silent bool   // one of so many that none is a stop for the keyboard
}

// State tells three things apart that must never look alike: a value, a failure, nothing yet.
type State int

// The states of a mark.
const (
	Measured State = iota
	Failed
	NotRun
)

// class gives the class of a state; measured marks need none.
func (s State) class() markup {
	switch s {
	case Measured:
		return ""
	case Failed:
		return " failed"
	}
	return " notrun"
}

// focusable is how many marks of a chart the keyboard may stop at. They can take the focus, but
// the tab key does not stop at each: the page around makes one of them its stop, and lets the
// arrows go from one to the next. A chart of more is read in the table beside it.
const focusable = 240

// as gives the mark a further class, and says whether it is one of n marks too many to
// stop at.
func (m Mark) as(class markup, n int) Mark {
	m.class, m.silent = class, n > focusable
	return m
}

// mark appends the attributes of a mark.
func (p *picture) mark(m Mark) {
	p.put(` class="mark%%"`, m.class, m.State.class())
	if m.Cell != "" {
		p.put(` data-cell="%"`, oneline.Of(m.Cell))
	}
	stop := !m.silent && (m.Cell != "" || m.Tip != "")
	if stop {
		p.put(` tabindex="-1"`)
	}
	if m.Tip == "" {
		return
	}
	lines := strings.Split(m.Tip, "\n")
	for i := range lines {
		lines[i] = oneline.Of(lines[i])
	}
	p.put(` data-tip="%"`, strings.Join(lines, "\n"))
	if stop {
		p.put(` role="img" aria-label="%"`, strings.Join(lines, "; "))
	}
}

// Range is an interval on an axis, ends included. One end that is not finite is open; if
// neither is, there is no interval.
type Range struct {
	Low, High float64
}

// known tells whether there is an interval to draw.
func (r *Range) known() bool {
	return r != nil && (finite(r.Low) || finite(r.High)) && !(r.Low > r.High)
}

// finite tells whether a value can be drawn. NaN and infinities are gaps, never 0.
func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }
