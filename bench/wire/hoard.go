package wire

import (
	"fmt"
	"sync"
	"sync/atomic"
)

// hoard is the room for long events of all streams together, so that it is bounded however many
// servers send lines without end.
//
// Many streams may have events longer than roomy for all of their time: /generate says the whole text
// again with each token, and 20,000 tokens are longer. Longer than large are the log probabilities of
// a whole prompt, which SGLang says again with each token, too, where they are asked for: few of
// these are on their way at once, unless the server is broken.
type hoard struct {
	long  limit     // what buffers have beyond roomy
	parts limit     // what of events is beyond large
	free  sync.Pool // of *[]byte, large bytes each
}

func newHoard() *hoard {
	return &hoard{
		long:  limit{most: 256 << 20, what: "64 KiB"},
		parts: limit{most: 64 << 20, what: "1 MiB"},
		free:  sync.Pool{New: func() any { return new(make([]byte, large)) }},
	}
}

// limit bounds what all streams hold of one kind.
type limit struct {
	most int64
	what string // how long an event is that needs it
	held atomic.Int64
}

func (l *limit) take(n int) error {
	if l.held.Add(int64(n)) > l.most {
		l.give(n)
		return tooMuch(fmt.Sprintf("events longer than %s hold more than %d MiB together", l.what, l.most>>20))
	}
	return nil
}

func (l *limit) give(n int) { l.held.Add(-int64(n)) }
