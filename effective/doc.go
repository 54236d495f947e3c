// Package effective finds out what a server really ran with: its arguments, version and the
// choices that the engine made by itself, from its log up to the ready line and from what it
// answers over HTTP; and in what two servers differ. What to look for is data in the engine
// profiles. It is no judge of a measurement and writes no report.
//
// The orchestrator gathers a Config for each start, the readers of run folders (report, compare)
// use Read and Diff.
package effective
