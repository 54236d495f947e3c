package wire

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"syscall"
)

// Classes of failed requests.
const (
	Refused     = "refused"      // nobody listens
	Reset       = "reset"        // the connection was reset or closed before an answer began
	TimedOut    = "timeout"      // the answer was not complete within --timeout
	HTTP4xx     = "http_4xx"     // the server refused the request
	HTTP5xx     = "http_5xx"     // the server failed
	StreamError = "stream_error" // an error in the midst of an answer with status 200
	Truncated   = "truncated"    // the answer ended early
	WrongTokens = "wrong_tokens" // the number of tokens is not what was asked for, or not what came
	Other       = "other"
)

// Failure is why a request does not count.
type Failure struct {
	// Class is one of the constants above, Message what happened, for people.
	Class, Message string
}

func failf(class, format string, args ...any) *Failure {
	return &Failure{class, fmt.Sprintf(format, args...)}
}

// classify tells what kind of failure err is, which came before the answer began or within it.
func classify(err error, begun bool) *Failure {
	var timeout net.Error
	switch {
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &timeout) && timeout.Timeout():
		return failf(TimedOut, "%v", err)
	case errors.Is(err, syscall.ECONNREFUSED):
		return failf(Refused, "%v", err)
	case errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE):
		return failf(Reset, "%v", err)
	case begun && (errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF)):
		return failf(Truncated, "the connection closed in the midst of the answer: %v", err)
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return failf(Reset, "the connection closed before an answer: %v", err)
	}
	return failf(Other, "%v", err)
}
