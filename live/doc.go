// Package live serves a run's report as a page that grows, to browsers on this machine.
//
// It follows the journal of a run folder through package journal and draws through report and page.
// While no page is open it reads nothing and draws nothing; while some are, drawings cost them a
// fixed small share of a processor at most. It starts nothing and writes nothing: the command
// servematrix live and run --live, which runs that as a process of its own, call it.
package live
