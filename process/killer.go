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
	// home says that the orphans of the set come to this process, where find sees
	// them: it is a guard. Then nobody is stopped before he is killed, for who has
	// a SIGKILL pending cannot fork any more either, and nobody gets lost by it.
	home bool
}

// round first stops every process, looking again until no new one turns up
// (a stopped process cannot fork), then kills them all. It returns those it
// found alive; named sees them before they are killed, while their command
// lines can still be read. The caller repeats it until nothing is alive: a
// table read while processes fork and end is never the whole truth. The error
// says that the table could not be read: nobody knows then who is alive.
func (k killer) round(named func([]proc)) ([]proc, error) {
	met := map[Identity]bool{}
	var alive []proc // the last look's, of a guard the first's: the later ones see them end
	for pass := range stopPasses {
		t, err := scan()
		if err != nil && pass == 0 {
			k.name(named, nil)
			return nil, err
		}
		if err != nil {
			break
		}
		found := living(k.find(t))
		if pass == 0 || !k.home {
			alive = found
		}
		if pass == 0 && k.home {
			k.name(named, alive)
		}
		fresh := false
		for _, p := range found {
			if id := p.identity(); !met[id] {
				met[id], fresh = true, true
				_ = send(id, k.signal())
			}
		}
		if !fresh {
			break
		}
	}
	if !k.home {
		k.name(named, alive)
		for _, p := range alive {
			_ = send(p.identity(), syscall.SIGKILL)
		}
	}
	return alive, nil
}

// name tells of those whose end comes now, and begins with the cgroup's.
func (k killer) name(named func([]proc), alive []proc) {
	if named != nil {
		named(alive)
	}
	k.cgroup.kill()
}

// signal is what each one gets when it is met.
func (k killer) signal() syscall.Signal {
	if k.home {
		return syscall.SIGKILL
	}
	return unix.SIGSTOP
}
