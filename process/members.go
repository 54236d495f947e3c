package process

import (
	"cmp"
	"fmt"
)

// Member is one living process of a tree.
type Member struct {
	Identity
	// Parent is the pid of its parent.
	Parent int
	// Comm is the kernel's short name, at most 15 bytes.
	Comm string
	// Cmdline is the command line, or the title that the process gave itself,
	// with spaces between its words; at most 256 bytes.
	Cmdline string
}

// String is "VLLM::EngineCore (pid 123)".
func (m Member) String() string {
	return fmt.Sprintf("%s (pid %d)", cmp.Or(m.Cmdline, m.Comm), m.PID)
}

// Members gives the living processes of the tree now with their names, the
// guard left out. It costs a scan of /proc and one more read for each member,
// a few milliseconds on a busy host.
func (p *Process) Members() []Member {
	t, err := scan()
	if err != nil {
		return nil
	}
	var all []Member
	for _, q := range p.members(t) {
		all = append(all, Member{Identity: q.identity(), Parent: q.ppid, Comm: q.comm, Cmdline: cmdline(q.pid)})
	}
	return all
}
