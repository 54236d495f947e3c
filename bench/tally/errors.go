package tally

import (
	"slices"

	"servematrix/bench/wire"
)

// ErrorClass counts the failed requests of one class.
type ErrorClass struct {
	// Class is one of wire.Refused, wire.Reset and so on.
	Class string `json:"class"`
	// Count is how many requests failed so.
	Count int `json:"count"`
	// First is the message of the one that was sent first.
	First string `json:"first"`
}

func (t *Tally) addFailed(r *wire.Record) {
	t.failed++
	i := slices.IndexFunc(t.errors, func(e ErrorClass) bool { return e.Class == r.Failed.Class })
	if i < 0 {
		i = len(t.errors)
		t.errors, t.firsts = append(t.errors, ErrorClass{Class: r.Failed.Class}), append(t.firsts, r.Start)
	}
	e := &t.errors[i]
	e.Count++
	if e.Count == 1 || r.Start < t.firsts[i] {
		e.First, t.firsts[i] = r.Failed.Message, r.Start
	}
}

// Errors are the failed requests by class.
func (t *Tally) Errors() []ErrorClass {
	t.mu.Lock()
	defer t.mu.Unlock()
	return append([]ErrorClass{}, t.errors...)
}
