// Package find searches for the largest request rate or concurrency at which a server still meets
// its service level objectives (SLO). It sends nothing: all it asks is "measure at this level", and
// what it gets are metrics. So the search can be held against servers that are a formula.
//
// The search assumes that a server that misses the SLO at one level misses it at all higher ones.
// It doubles the level until one fails, narrows the gap down by bisection on a logarithmic scale,
// and measures both ends of what is left once more, for twice as long. What is close to a limit is
// measured again before it decides. Where the assumption turns out to be wrong the result says so.
//
// Package bench calls it for `servematrix bench --find`.
package find
