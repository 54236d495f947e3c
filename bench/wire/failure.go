package wire

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"syscall"

	"servematrix/oneline"
)

// Classes of failed requests.
const (
	Refused     = "refused"      // nobody listens
	Reset       = "reset"        // the connection was reset or closed before an answer began
	TimedOut    = "timeout"      // the answer was not complete within --timeout
	HTTP3xx     = "http_3xx"     // the server sends the request elsewhere, where it is not sent
	HTTP4xx     = "http_4xx"     // the server refused the request
	HTTP5xx     = "http_5xx"     // the server failed
	StreamError = "stream_error" // an error in the midst of an answer with status 200
	Truncated   = "truncated"    // the answer ended early
	Malformed   = "malformed"    // the answer is none that the protocol knows, or is too long
	WrongTokens = "wrong_tokens" // the number of tokens is not what was asked for, or not what came
	NotAsked    = "not_asked"    // an earlier turn of the conversation failed
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
	var stream streamError
	switch {
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &timeout) && timeout.Timeout():
		return failf(TimedOut, "%v", err)
	case errors.Is(err, syscall.ECONNREFUSED), errors.Is(err, fs.ErrNotExist): // no socket of that name
		return failf(Refused, "%v", err)
	case errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE), errors.As(err, &stream):
		return failf(Reset, "%v", err)
	case begun && (errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF)):
		return failf(Truncated, "the connection closed in the midst of the answer: %v", err)
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return failf(Reset, "the connection closed before an answer: %v", err)
	case errors.Is(err, syscall.EMFILE):
		return failf(Other, "%v (this process may open no more files: see ulimit -Hn)", err)
	case errors.Is(err, context.Canceled):
		return failf(Other, "%v", err)
	case begun:
		return failf(Malformed, "%s", oneline.Of(err.Error()))
	}
	return failf(Other, "%v", err)
}

// closed tells of a connection that was closed or reset.
func closed(err error) bool {
	for _, end := range []error{io.EOF, io.ErrUnexpectedEOF, syscall.ECONNRESET, syscall.EPIPE} {
		if errors.Is(err, end) {
			return true
		}
	}
	return false
}

// streamError has the fields of net/http's error of an HTTP/2 stream that the server resets, which
// errors.As fills in on request: see http2.StreamError of golang.org/x/net.
type streamError struct {
	StreamID uint32
	Code     uint32
	Cause    error
}

func (e streamError) Error() string { return fmt.Sprintf("HTTP/2 stream reset, code %d", e.Code) }

// statusFailure reads the beginning of an error's body.
func (c *Client) statusFailure(response *http.Response) *Failure {
	text, _ := io.ReadAll(io.LimitReader(response.Body, 512)) // an unreadable explanation is an empty one
	class := Other
	switch {
	case response.StatusCode >= 500:
		class = HTTP5xx
	case response.StatusCode >= 400:
		class = HTTP4xx
	case response.StatusCode >= 300:
		return failf(HTTP3xx, "%s to %s, which is not followed: give the address that answers itself", response.Status, oneline.Of(response.Header.Get("Location")))
	}
	hint := ""
	if response.StatusCode == http.StatusNotFound && c.endpoint == native {
		hint = " (only SGLang has " + native.path() + ": give --backend openai or vllm)"
	}
	return failf(class, "%s: %s%s", oneline.Of(response.Status), quoted(text), hint)
}

// quoted is the beginning of what a server sent, made fit to be shown.
func quoted(text []byte) string {
	const enough = 300
	return oneline.Of(string(bytes.TrimSpace(text[:min(enough, len(text))])))
}

// contentHint says of an answer that cannot be read that it is no stream at all.
func contentHint(header http.Header) string {
	if kind := header.Get("Content-Type"); kind != "" {
		return " (Content-Type " + oneline.Of(kind) + ")"
	}
	return ""
}
