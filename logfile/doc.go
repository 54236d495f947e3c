// Package logfile knows the files that servers and clients print into: it keeps
// one that grows without end small by a hole in its middle, and reads it past
// such holes.
//
// It knows nothing of what a log says or of runs. orchestrator caps the logs;
// readiness, result, report, secret and the command line read them.
package logfile
