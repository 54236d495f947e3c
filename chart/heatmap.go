package chart

// Heatmap draws one metric over two axes of the matrix. A value, a failure and a cell that
// has not run are three different things.
type Heatmap struct {
	Frame
	XTitle, YTitle string   // what the columns and the rows are
	XNames, YNames []string // the columns from left to right, the rows from top to bottom
	Value          Axis     // the metric; Format Change and a diverging ramp go together
	Cells          []HeatCell
	Failed, NotRun string // what the two are called in the legend
}

// HeatCell is one field. Several cells in one field lie over each other: leave all but one
// out, or draw a chart for each.
type HeatCell struct {
	Mark
	X, Y  int // column and row
	Value float64
}
