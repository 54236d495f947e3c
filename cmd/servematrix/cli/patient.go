package cli

import (
	"io"
	"time"
)

// patience is how long a finished run waits for a terminal or a pipe that takes
// no output: one that Ctrl-S stopped, or an ssh connection that hangs.
const patience = 2 * time.Second

// patient writes to somebody who may take nothing any more. What is not taken in
// time is lost; the night's next command is not kept waiting for it.
type patient struct {
	w       io.Writer
	pending chan error // of a write that was given up; nil: none
}

// Write never fails: whoever does not listen misses something.
func (p *patient) Write(b []byte) (int, error) {
	if p.pending != nil {
		select {
		case <-p.pending:
			p.pending = nil
		default:
			return len(b), nil
		}
	}
	done := make(chan error, 1)
	text := append([]byte(nil), b...) // the caller may use its own again
	go func() {
		_, err := p.w.Write(text)
		done <- err
	}()
	timeout := time.NewTimer(patience)
	defer timeout.Stop()
	select {
	case <-done:
	case <-timeout.C:
		p.pending = done
	}
	return len(b), nil
}
