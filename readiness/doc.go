// Package readiness says when a server is up, and if not, why.
//
// Wait races the conditions a server must meet (a log line, an HTTP answer, a
// TCP port) against everything that ends the wait: exit, a fatal log line, a
// deadline, silence. Diagnose reads a failed server's log once and names the
// class of the failure. The package starts and stops nothing and knows neither
// sweeps nor engines: the orchestrator calls it with patterns from an engine
// profile and with facts about the process from package process.
package readiness
