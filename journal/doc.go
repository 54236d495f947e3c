// Package journal keeps the run folder and its events.
//
// events.jsonl is the only truth about a run: one writer appends, durably where
// the next step depends on it; everybody else replays or follows it. The package
// creates run folders whole or not at all, locks them, and mends the torn last
// line of a crash. What the events are for is the orchestrator's and report's matter.
package journal
