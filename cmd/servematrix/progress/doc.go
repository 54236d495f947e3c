// Package progress shows a run while it lives: history lines over a small block
// on a terminal, plain lines elsewhere, or the events themselves as JSON.
//
// It is a rendering of the journal and nothing else: what it shows can be shown
// again from the run folder, and a terminal that is slow, stopped or gone holds
// nothing up. The run, resume and status commands call it.
package progress
