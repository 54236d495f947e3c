// Package result turns what a benchmark client left behind into metrics under the contract's
// names, and judges whether a measurement can be trusted.
//
// It reads the text, JSON and JSONL of known clients and whole combined reports; it knows
// neither who ran the client nor how a report looks. orchestrator calls Read and Judge for a
// sample that has just ended, the command tree calls Import, report writes Samples.
package result
