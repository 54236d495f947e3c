package readiness

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"
)

// Pattern names the failure class of a log line.
type Pattern struct {
	Class string         // a failure class, such as "oom"
	Log   *regexp.Regexp // tested against each line, cleaned of escape sequences
	Fatal bool           // seen before ready, it ends the wait at once
}

// Conditions says what a server must meet to count as ready. What is asked
// must all hold; a zero field is not asked, but one of Log, HTTP and TCP must be.
type Conditions struct {
	Log           *regexp.Regexp // a line of one of the logs
	Count         int            // how many lines must match; 0 is 1
	HTTP          string         // a URL whose GET must answer 2xx; redirects are not followed
	HTTPThreshold int            // how many times in a row; 0 is 1
	TCP           string         // host:port that must accept a connection

	// Timeout is the longest time from the call of Wait, or from the last
	// progress, to ready; 0: no limit.
	Timeout time.Duration
	Silence time.Duration // longest stretch without new output in any log; 0: no limit
	// Progress matches a line that shows how far the start is, such as a state
	// of a progress bar. A state that was not seen before is progress; the same
	// again, as when a server starts over and over, is none. Its groups together
	// are the state, without any the match is.
	Progress *regexp.Regexp
	Failures []Pattern // most important first
}

// Target is the server that is waited for.
type Target struct {
	Logs   []string        // its log files; they need not exist yet, their folders should
	Exited <-chan struct{} // closed when the server's main process has ended; nil: not watched
	Alive  func() bool     // is the main process alive; nil: not checked

	// Owns returns nil when the listener on the server's port belongs to the
	// server's own processes, an error that is ErrNotListening when nobody
	// listens, and any other error when a stranger does. nil: not checked.
	Owns func() error
}

// ErrNotListening is what Target.Owns returns (or wraps) while nobody listens
// on the port yet: some servers print their ready line a moment before.
var ErrNotListening = errors.New("nothing listens on the port yet")

// Ready is how and when a server became ready.
type Ready struct {
	At     time.Time // when the last condition was met and checked
	Line   string    // the log line that counted, cleaned; empty without a log condition
	File   string    // its file, as named in Target.Logs
	LineNo int       // its number in the file, from 1, as an editor counts
	By     []string  // "log", "http", "tcp" in the order met
}

// Failure classes that Wait gives by itself; all others come from a Pattern.
const (
	StartFailed  = "start_failed"  // the server ended before it was ready
	ReadyTimeout = "ready_timeout" // Conditions.Timeout ran out without progress
	Silent       = "silent"        // Conditions.Silence ran out
	PortBusy     = "port_busy"     // somebody else listens on the port
)

// Failure is why a server did not become ready.
type Failure struct {
	Class   string   // a failure class of the contract
	Message string   // the log line that explains it, or a sentence; at most 500 characters
	File    string   // the log file of that line; empty when no line explains it
	Line    int      // its number, from 1
	Lines   []Line   // the log lines that matter, the most telling first
	Tail    []string // the last lines of the log
	Err     error    // what ended the wait, for example that the server exited
}

// Error gives class, message, place and what ended the wait in one line.
func (f *Failure) Error() string {
	var b strings.Builder
	b.WriteString(f.Class + ": " + f.Message)
	if f.File != "" {
		fmt.Fprintf(&b, " (%s:%d)", f.File, f.Line)
	}
	if f.Err != nil && f.Err.Error() != f.Message {
		b.WriteString(": " + f.Err.Error())
	}
	return b.String()
}

// Unwrap gives what ended the wait.
func (f *Failure) Unwrap() error { return f.Err }
