package chart

// Bands draws measurements over time, panels under one another on one time axis, on a ground
// that shows the phases.
type Bands struct {
	Frame
	X      Axis
	Phases []string // their names; a phase's place gives it its colour
	Spans  []BandSpan
	Panels []Panel
}

// BandSpan is a phase behind the lines.
type BandSpan struct {
	Mark
	Span
	Name string // written at its top, where it fits
}

// Panel is one quantity, such as power, with a line for each device.
type Panel struct {
	Y     Axis
	Lines []Line
}

// Line is one series of samples, in the order of time. Long ones are thinned to their least
// and greatest values. NaN is a gap.
type Line struct {
	Name   string
	Times  []float64 // seconds
	Values []float64
}
