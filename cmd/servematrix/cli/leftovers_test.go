package cli

import (
	"os/exec"
	"testing"

	"servematrix/process"
)

// What was made while a leftover was being ended is found and ended, too.
func TestEndLeftoversLooksAgain(t *testing.T) {
	var waves [][]process.Survivor
	for range 3 {
		cmd := exec.Command("sleep", "600")
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
		id, err := process.Identify(cmd.Process.Pid)
		if err != nil {
			t.Fatal(err)
		}
		waves = append(waves, []process.Survivor{{Identity: id, Comm: "sleep"}})
	}
	all := waves
	ended, err := endLeftovers(t.Context(), func() (found []process.Survivor, err error) {
		if len(waves) > 0 {
			found, waves = waves[0], waves[1:]
		}
		return found, nil
	})
	if err != nil || len(ended) != len(all) {
		t.Fatalf("%d were ended, error %v; want %d", len(ended), err, len(all))
	}
	for _, wave := range all {
		if wave[0].Identity.Alive() {
			t.Errorf("pid %d lives", wave[0].PID)
		}
	}
}
