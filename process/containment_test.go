package process

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// The probe tells what a guard then gets, and leaves nothing behind.
func TestProbeContainment(t *testing.T) {
	c := ProbeContainment()
	if !c.Subreaper {
		t.Error("no subreaper, and yet the other tests run")
	}
	place, _ := OwnCgroup()
	me, err := Identify(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	if left, _ := filepath.Glob(filepath.Join(place, fmt.Sprintf("%s%d-%d", cgroupPrefix, me.PID, me.StartTicks))); place != "" && len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	w := newWorld(t)
	p := w.start(w.spec("here", "block"))
	if got := p.Cgroup() != ""; got != c.Leaf {
		t.Errorf("the tree is in a cgroup: %v; the probe said %v", got, c.Leaf)
	}
	p.Stop(StopPolicy{Grace: -1})
	w.end(p)
}
