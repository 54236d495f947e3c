package process

import (
	"os"
	"syscall"
	"time"
)

// hunt ends processes from outside a guard, where no ECHILD tells that nothing
// is left: it remembers whom it has seen, so that a child stays in the set
// when its parent is gone.
type hunt struct {
	// find picks where to begin; everything below those is added.
	find func(*table) []proc
	// cgroup holds some or all of them; "" none.
	cgroup cgroup
	// reap is told of each child of this process that was reaped; may be nil.
	reap func(pid int, ws syscall.WaitStatus)

	known  map[Identity]bool
	killed bool
}

// members is the whole set in one look at the table, zombies included.
func (h *hunt) members(t *table) []proc {
	if h.known == nil {
		h.known = map[Identity]bool{}
	}
	begin := h.find(t)
	for _, p := range t.procs {
		if h.known[p.identity()] {
			begin = append(begin, p)
		}
	}
	roots := make([]int, len(begin))
	for i, p := range begin {
		roots[i] = p.pid
	}
	var set []proc
	seen := map[int]bool{os.Getpid(): true, 0: true, 1: true}
	for _, p := range append(begin, t.below(roots...)...) {
		if !seen[p.pid] {
			seen[p.pid] = true
			h.known[p.identity()] = true
			set = append(set, p)
		}
	}
	return set
}

// end kills in rounds until nothing of the set is left or the bound has
// passed, and gives what is alive then. A table that cannot be read, such as for
// want of a descriptor, does not tell that nothing is left; the error says that
// none could be read up to the end.
func (h *hunt) end(bound time.Duration, named func([]proc)) ([]proc, error) {
	limit := time.Now().Add(bound)
	pause := killPause / 10
	var alive []proc // when last seen
	seen := false
	for rounds := 1; ; rounds++ {
		guards.Lock()
		found, err := killer{find: h.members, cgroup: h.cgroup}.round(named)
		guards.Unlock()
		if err == nil {
			seen, alive, named = true, found, nil
			h.killed = h.killed || len(alive) > 0
			h.reapOwn()
			if len(alive) == 0 {
				return nil, nil
			}
		}
		// Those of the first round were alive before any SIGKILL.
		if rounds > 1 && time.Now().After(limit) {
			if seen {
				err = nil
			}
			return alive, err
		}
		time.Sleep(pause)
		pause = min(2*pause, killPauseMax)
	}
}

// reapOwn reaps the dead of the set that are children of this process, one by
// one: wait4(-1) would steal the exits of processes that others started.
func (h *hunt) reapOwn() {
	self := os.Getpid()
	for id := range h.known {
		p, err := readProc(id.PID)
		if err != nil || p.identity() != id || p.ppid != self || p.alive() {
			continue
		}
		var ws syscall.WaitStatus
		pid, err := retry(func() (int, error) { return syscall.Wait4(id.PID, &ws, syscall.WNOHANG, nil) })
		if err == nil && pid == id.PID && h.reap != nil {
			h.reap(pid, ws)
		}
	}
}
