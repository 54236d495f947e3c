package process

import (
	"os/exec"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// TestHuntWithoutDescriptors: while the process table cannot be read nobody knows
// that nothing is left; the hunt goes on until it can.
func TestHuntWithoutDescriptors(t *testing.T) {
	quarry := exec.Command("sleep", "300")
	if err := quarry.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	defer func() { <-ended }()
	defer quarry.Process.Kill()
	var before unix.Rlimit
	if err := unix.Prlimit(0, unix.RLIMIT_NOFILE, nil, &before); err != nil {
		t.Fatal(err)
	}
	restore := func() { _ = unix.Prlimit(0, unix.RLIMIT_NOFILE, &before, nil) }
	defer restore()
	if err := unix.Prlimit(0, unix.RLIMIT_NOFILE, &unix.Rlimit{Cur: 0, Max: before.Max}, nil); err != nil {
		t.Fatal(err)
	}
	var looks, rounds int
	h := &hunt{find: func(t *table) (found []proc) {
		looks++
		if p, ok := t.get(quarry.Process.Pid); ok {
			found = append(found, p)
		}
		return found
	}}
	var once sync.Once
	left, err := h.end(time.Minute, func([]proc) {
		rounds++
		once.Do(func() {
			if looks > 0 {
				t.Error("the table could be read")
			}
			restore()
			go func() { ended <- quarry.Wait() }()
		})
	})
	if err != nil || len(left) > 0 || !h.killed || rounds < 2 {
		t.Errorf("left %v, %v, killed %v, %d rounds", left, err, h.killed, rounds)
	}
}
