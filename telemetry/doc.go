// Package telemetry keeps what server, client, host and devices were like while a client
// ran: readings on one monotonic clock, one object a line of telemetry.jsonl beside the
// sample, and reads them back. It judges nothing, and whatever befalls it, such as a full
// disk or an engine that hangs, ends no sample. The orchestrator lets it run for as long
// as a client does; the terminal and the reports read the file.
package telemetry
