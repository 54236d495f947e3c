package process

import (
	"os/exec"
	"testing"
)

// A process that is made after the folder was listed is found by the next listing of the same look.
func TestScanFindsWhoCameMeanwhile(t *testing.T) {
	before, err := pids()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("sleep", "60")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	look := &table{index: map[int]int{}}
	if more, err := look.add(before); err != nil || !more {
		t.Fatalf("the first listing: more %v, error %v", more, err)
	}
	if _, found := look.get(cmd.Process.Pid); found {
		t.Fatal("the first listing holds a process that came later")
	}
	after, err := pids()
	if err != nil {
		t.Fatal(err)
	}
	if more, err := look.add(after); err != nil || !more {
		t.Fatalf("the second listing: more %v, error %v", more, err)
	}
	if _, found := look.get(cmd.Process.Pid); !found {
		t.Error("the process that came between two listings is missing")
	}
	if more, err := look.add(after); err != nil || more && len(look.procs) == len(after) {
		t.Errorf("the same listing again: more %v, error %v", more, err)
	}
}
