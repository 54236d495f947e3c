package process

import (
	"syscall"

	"golang.org/x/sys/unix"
)

// stopPasses bounds how often one round looks for processes that were forked
// while it stopped their parents.
const stopPasses = 16

// killer ends a set of processes that may fork while it is being ended.
type killer struct {
	// find picks the set from one look at the process table.
	find func(*table) []proc
	// cgroup holds some or all of them; "" none.
	cgroup cgroup
}

// round first stops every process, looking again until no new one turns up
// (a stopped process cannot fork), then kills them all. It returns those it
// found alive; named sees them before they are killed, while their command
// lines can still be read. The caller repeats it until nothing is alive: a
// table read while processes fork and end is never the whole truth.
func (k killer) round(named func([]proc)) []proc {
	stopped := map[Identity]bool{}
	var alive []proc
	for range stopPasses {
		t, err := scan()
		if err != nil {
			break
		}
		alive = living(k.find(t))
		fresh := false
		for _, p := range alive {
			if id := p.identity(); !stopped[id] {
				stopped[id], fresh = true, true
				_ = send(id, unix.SIGSTOP)
			}
		}
		if !fresh {
			break
		}
	}
	if named != nil {
		named(alive)
	}
	k.cgroup.kill()
	for _, p := range alive {
		_ = send(p.identity(), syscall.SIGKILL)
	}
	return alive
}
