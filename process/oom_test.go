package process

import (
	"os"
	"strconv"
	"strings"
	"testing"
)

// When memory runs out the kernel shall take the tree, not who looks after it.
func TestTreeIsTakenBeforeItsGuard(t *testing.T) {
	w := newWorld(t)
	ours := oomScoreAdj(t, os.Getpid())
	p := w.start(w.spec("spawn setsid+clean here,block", "here", "block"))
	w.here(2)
	if got := oomScoreAdj(t, p.Guard().PID); got != ours {
		t.Errorf("the guard's oom_score_adj is %d, want %d as before", got, ours)
	}
	want := min(ours+oomMargin, oomMost)
	for pid := range w.announced() { // the leader and its child
		if got := oomScoreAdj(t, pid); got != want {
			t.Errorf("process %d of the tree has oom_score_adj %d, want %d", pid, got, want)
		}
	}
	if got := oomScoreAdj(t, os.Getpid()); got != ours {
		t.Errorf("oom_score_adj of this process went from %d to %d", ours, got)
	}
	p.Stop(StopPolicy{Grace: -1})
	w.end(p)
}

func oomScoreAdj(t *testing.T, pid int) int {
	t.Helper()
	raw, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/oom_score_adj")
	if err != nil {
		t.Fatal(err)
	}
	n, err := strconv.Atoi(strings.TrimSpace(string(raw)))
	if err != nil {
		t.Fatal(err)
	}
	return n
}
