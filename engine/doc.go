// Package engine knows serving engines and benchmark clients, as data.
//
// A profile, a YAML document under profiles/ or in a sweep's own file, says how
// a command is recognised and what is known of it: port flag, ready line,
// failure patterns, how to stop and flush it, which result flags to add. Adding
// an engine means adding a document, no code. The command tree lets a Catalog
// complete a plan; the orchestrator asks profiles for what a plan does not
// hold. The package starts nothing and does not know how a plan came to be.
package engine
