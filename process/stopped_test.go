package process

import (
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// TestStoppedGuard: a guard that somebody has stopped before its order holds
// nobody up for ever, neither who discards it nor who gives it an order that its
// pipe cannot take.
func TestStoppedGuard(t *testing.T) {
	soon(t, &answerBound)
	soon(t, &startBound)
	stopped := func(w *world) *Guard {
		g := w.prepare()
		if err := send(g.id, unix.SIGSTOP); err != nil {
			t.Fatal(err)
		}
		return g
	}
	w := newWorld(t)
	stopped(w).Discard()
	spec := w.spec("exit 0")
	spec.Env = append(spec.Env, "LARGE="+strings.Repeat("x", 100<<10))
	if _, err := stopped(w).Start(spec); err == nil {
		t.Error("a guard that does not run has started something")
	}
}

// soon makes a limit short for one test.
func soon(t *testing.T, limit *time.Duration) {
	before := *limit
	*limit = 100 * time.Millisecond
	t.Cleanup(func() { *limit = before })
}
