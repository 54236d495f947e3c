package readiness

import (
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

const (
	// statesMax bounds how many states of a start are remembered: a bar is drawn
	// at most ten times a second, and no start has shown more than some hundreds.
	// When it is reached nothing counts as progress any more.
	statesMax = 1 << 14
	// stateCap is the longest part of a state that is kept, in characters.
	stateCap = 200
)

// advance notes when a start last showed progress. The logs are read by one
// goroutine each.
type advance struct {
	match *matcher // nil: progress is not known
	start time.Time

	mu   sync.Mutex
	seen map[string]bool
	last string // newest state, for people

	at atomic.Int64 // nanoseconds after start; 0: never
}

func newAdvance(re *regexp.Regexp, start time.Time) *advance {
	a := &advance{start: start, seen: map[string]bool{}}
	if re != nil {
		m := newMatcher(re)
		a.match = &m
	}
	return a
}

// look takes a cleaned line.
func (a *advance) look(line []byte) {
	if a.match == nil || !a.match.match(line) {
		return
	}
	groups := a.match.re.FindSubmatch(line)
	parts := groups
	if len(groups) > 1 {
		parts = groups[1:]
	}
	words := make([]string, 0, len(parts))
	for _, part := range parts {
		words = append(words, text(part, stateCap))
	}
	state := strings.Join(words, " ")
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.seen[state] || len(a.seen) >= statesMax {
		return
	}
	a.seen[state], a.last = true, text(line, stateCap)
	a.at.Store(int64(time.Since(a.start)))
}

// quiet is how long there has been no progress.
func (a *advance) quiet() time.Duration { return time.Since(a.start) - time.Duration(a.at.Load()) }

// newest is the line of the last progress, "" when there was none.
func (a *advance) newest() string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.last
}
