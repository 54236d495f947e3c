package orchestrator

import (
	"testing"

	"servematrix/process"
)

// TestDeadGuardIsReplaced: a prepared guard that was killed costs no sample.
func TestDeadGuardIsReplaced(t *testing.T) {
	dead, err := process.Prepare(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	dead.Discard()
	ch := make(chan prepared, 1)
	ch <- prepared{guard: dead}
	pool := &guards{ready: []chan prepared{ch}}
	got, err := pool.take()
	if err != nil {
		t.Fatal(err)
	}
	defer got.Discard()
	if got == dead || !got.Waits() {
		t.Error("a dead guard was given")
	}
}
