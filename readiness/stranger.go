package readiness

import (
	"errors"
	"time"
)

// strangerLook is how often it is asked, while an answer is awaited, who listens.
const strangerLook = time.Second

// lookForStranger fires when it is time to ask who listens on the port. A stranger
// who took it while the server loaded may never answer, and the server, which
// cannot listen any more, may live on: vLLM does.
func (w *waiter) lookForStranger() <-chan time.Time {
	if w.t.Owns == nil {
		return nil
	}
	return time.After(strangerLook)
}

// stranger is the failure of a port on which somebody else listens. It takes two
// looks: a worker that was forked while the tree was being listed looks like a
// stranger once.
func (w *waiter) stranger() error {
	err := w.t.Owns()
	if err == nil || errors.Is(err, ErrNotListening) {
		w.alien = 0
		return nil
	}
	if w.alien++; w.alien < 2 {
		return nil
	}
	return &Failure{Class: PortBusy, Message: err.Error(), Tail: tailOf(w.t.Logs), Err: err}
}
