// Package oneline makes one line out of text that somebody else wrote: no name, message or value of
// a sweep, a server or a client can move a terminal's cursor, break a table's line or turn the
// direction of writing. report, chart, result and the command line call it.
package oneline
