package orchestrator

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strings"
	"time"

	"servematrix/journal"
)

const (
	flushLimit   = 10 * time.Second // a server that still winds down its last requests says "busy"
	flushTimeout = 5 * time.Second  // one request
	flushBody    = 4 << 10          // bytes of an answer that are kept
)

// What follows where the caches are not known to be empty.
const (
	freshStart   = "the next cell gets a fresh start"
	notMeasured  = "the cell is not measured on what its warm-up left there"
	warmMeasured = "the cell is measured on what its warm-up left there"
)

// flush empties the server's caches between two cells, or behind a warm-up, and verifies its answer.
// False means that what was to come next cannot be measured on this start; the warning then says
// what follows. Of a server that has died the caller tells.
func (l *launch) flush(ctx context.Context, follows string) (bool, error) {
	if !l.sound() {
		return false, nil
	}
	if l.server.Flush == nil {
		l.warn(fmt.Sprintf("%s: no request is known that empties the server's caches; %s", l.server.Name, follows))
		return false, nil
	}
	began := time.Now()
	var done journal.Flushed
	for wait := 20 * time.Millisecond; ; wait = min(2*wait, 500*time.Millisecond) {
		done = l.flushOnce(ctx)
		if done.OK || missing(done.Status) || ctx.Err() != nil || !l.sound() || time.Since(began)+wait > flushLimit {
			break
		}
		select {
		case <-ctx.Done():
		case <-time.After(wait):
		}
	}
	done.Seconds = time.Since(began).Seconds()
	if !done.OK && ctx.Err() == nil && l.sound() {
		why := done.Error
		if why == "" {
			why = fmt.Sprintf("status %d, %q", done.Status, done.Body)
		}
		l.warn(fmt.Sprintf("%s: %s did not empty the caches; %s (%s)", l.server.Name, done.Request, follows, why))
	}
	return done.OK, l.emit(l.event(journal.CacheFlushed), done, false)
}

// missing tells whether the server has no such request: to ask again helps nothing.
func missing(status int) bool {
	return status == http.StatusNotFound || status == http.StatusMethodNotAllowed || status == http.StatusNotImplemented
}

func (l *launch) flushOnce(ctx context.Context) journal.Flushed {
	f := l.server.Flush
	done := journal.Flushed{Request: f.Method + " " + f.Path}
	ctx, cancel := context.WithTimeout(ctx, flushTimeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, f.Method, l.late.url+f.Path, nil)
	if err != nil {
		done.Error = err.Error()
		return done
	}
	res, err := direct.Do(req)
	if err != nil {
		done.Error = err.Error()
		return done
	}
	defer res.Body.Close()
	body, err := io.ReadAll(io.LimitReader(res.Body, flushBody))
	if err != nil {
		done.Error = err.Error()
		return done
	}
	done.Status, done.Body = res.StatusCode, l.Redactor.String(strings.TrimSpace(string(body)))
	expected, err := regexp.MatchString(f.Expect, string(body)) // an empty expression matches
	if err != nil {
		done.Error = err.Error()
	}
	done.OK = res.StatusCode/100 == 2 && expected
	return done
}

// direct reaches the server without any proxy.
var direct = &http.Client{Transport: &http.Transport{Proxy: nil, DisableKeepAlives: true}}
