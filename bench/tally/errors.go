package tally

import (
	"cmp"
	"slices"
	"time"

	"servematrix/bench/wire"
)

// ErrorClass counts the failed requests of one class.
type ErrorClass struct {
	// Class is one of wire.Refused, wire.Reset and so on.
	Class string `json:"class"`
	// Count is how many requests failed so.
	Count int `json:"count"`
	// Examples are different messages, at most three, those of requests that were sent first.
	Examples []string `json:"examples"`
}

const examplesMost = 3

// failures gathers those of one class.
type failures struct {
	class    string
	count    int
	examples []example
}

type example struct {
	message string
	start   time.Duration // when the first request that failed so was sent
}

func (t *Tally) addFailed(r *wire.Record) {
	t.failed++
	i := slices.IndexFunc(t.errors, func(f failures) bool { return f.class == r.Failed.Class })
	if i < 0 {
		i = len(t.errors)
		t.errors = append(t.errors, failures{class: r.Failed.Class})
	}
	t.errors[i].add(r)
}

func (f *failures) add(r *wire.Record) {
	f.count++
	i := slices.IndexFunc(f.examples, func(e example) bool { return e.message == r.Failed.Message })
	if i < 0 {
		i = len(f.examples)
		f.examples = append(f.examples, example{r.Failed.Message, r.Start})
	}
	f.examples[i].start = min(f.examples[i].start, r.Start)
	slices.SortFunc(f.examples, func(a, b example) int { return cmp.Compare(a.start, b.start) })
	f.examples = f.examples[:min(len(f.examples), examplesMost)]
}

// Errors are the failed requests by class.
func (t *Tally) Errors() []ErrorClass {
	t.mu.Lock()
	defer t.mu.Unlock()
	list := []ErrorClass{}
	for _, f := range t.errors {
		class := ErrorClass{Class: f.class, Count: f.count}
		for _, e := range f.examples {
			class.Examples = append(class.Examples, e.message)
		}
		list = append(list, class)
	}
	return list
}
