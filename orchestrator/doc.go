// Package orchestrator runs a plan: launch by launch, cell by cell.
//
// It decides the order, starts and stops servers and clients through process,
// waits with readiness, judges with result, and writes everything that happens to
// the journal, from which a later session goes on. It draws nothing and knows no
// engine by name: profiles have completed the plan. The run and resume commands call it.
package orchestrator
