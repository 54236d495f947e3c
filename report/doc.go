// Package report draws what a run folder holds: the combined text report, Markdown, CSV and
// JSON lines.
//
// Everything is a pure function of the plan, the events and the files beside them, so that a
// report can be drawn again at any time with the same bytes. It knows nothing of processes and
// decides nothing. The command tree gives Live the journal's events and calls the rest for report.
package report
