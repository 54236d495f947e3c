package chart

// Pareto draws two metrics of each cell against each other and the frontier: the points that
// no other point beats in both.
type Pareto struct {
	Frame
	X, Y     Axis // Less says which way is good
	Series   []Series
	Frontier string // what the frontier's line is called
}
