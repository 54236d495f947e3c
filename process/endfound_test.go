package process

import (
	"errors"
	"os/exec"
	"testing"
)

// The second process comes while the first is being ended; what cannot be looked at is said at the end.
func TestEndFoundLooksUntilNothingIsFound(t *testing.T) {
	start := func() Survivor {
		cmd := exec.Command("sleep", "300")
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			_ = cmd.Process.Kill()
			_ = cmd.Wait()
		})
		s, err := Describe(cmd.Process.Pid)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	first, looks := start(), 0
	unseen := errors.New("nobody may look there")
	ended, still, err := EndFound(t.Context(), func() ([]Survivor, error) {
		switch looks++; looks {
		case 1:
			return []Survivor{first}, nil
		case 2:
			return []Survivor{start()}, nil
		}
		return nil, unseen
	}, 0)
	if len(ended) != 2 || len(still) > 0 || looks != 3 || !errors.Is(err, unseen) {
		t.Errorf("after %d looks %d were ended, %d are left: %v", looks, len(ended), len(still), err)
	}
}
