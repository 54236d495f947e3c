package readiness

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"
)

// TestStrangerWhoNeverAnswers: the port was taken while the server loaded, by
// somebody who accepts and is silent. No probe's answer tells, nor its absence.
func TestStrangerWhoNeverAnswers(t *testing.T) {
	held := errors.New("port 8000 is answered by pid 77 (other), not by the server that was started")
	for name, tc := range map[string]struct {
		owns func(look int) error
		want string
	}{
		"a stranger":              {func(int) error { return held }, PortBusy},
		"nobody yet":              {func(int) error { return fmt.Errorf("%w on port 8000", ErrNotListening) }, ReadyTimeout},
		"ourselves":               {func(int) error { return nil }, ReadyTimeout},
		"a stranger now and then": {func(look int) error { return map[bool]error{true: held}[look%2 == 0] }, ReadyTimeout},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancel(t.Context())
				looks := 0
				w := &waiter{
					c: Conditions{Timeout: time.Minute}, cancel: cancel, met: make(chan string),
					t: Target{Owns: func() error { looks++; return tc.owns(looks) }},
				}
				w.begin()
				w.want++ // an answer that does not come
				_, err := w.race(ctx, ctx)
				w.end()
				var f *Failure
				if !errors.As(err, &f) || f.Class != tc.want {
					t.Fatalf("got %v, want %s", err, tc.want)
				}
				if took := time.Since(w.start); tc.want == PortBusy && took > 2*strangerLook {
					t.Errorf("noticed after %v", took)
				}
			})
		})
	}
}
