package process

import "time"

// tick is the unit of the times in /proc/PID/stat: USER_HZ, which Linux fixes at 100 a second
// for programs on all architectures that Go has.
const tick = 10 * time.Millisecond

// Usage is the processor time that a process has used since its start, in user and in
// kernel mode, in all its threads.
type Usage struct {
	Identity
	CPU time.Duration
}

// UsageOf gives what the living processes of each tree have used, the guards left out. One
// scan of /proc, a few milliseconds on a busy host, serves all trees. It fails where /proc cannot be read.
func UsageOf(trees ...*Process) ([][]Usage, error) {
	t, err := scan()
	if err != nil {
		return nil, err
	}
	all := make([][]Usage, len(trees))
	for i, p := range trees {
		for _, q := range p.members(t) {
			all[i] = append(all[i], q.usage())
		}
	}
	return all, nil
}

func (p proc) usage() Usage { return Usage{p.identity(), time.Duration(p.cpu) * tick} }

// Usage reads what one process has used by now; false when it has ended.
func (id Identity) Usage() (Usage, bool) {
	p, err := readProc(id.PID)
	if err != nil || p.identity() != id {
		return Usage{}, false
	}
	return p.usage(), true
}
