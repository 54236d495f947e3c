package orchestrator

import (
	"fmt"

	"servematrix/journal"
	"servematrix/process"
)

// supervised is a tree that a launch started, and the files that it prints into.
type supervised struct {
	*process.Process
	logs []string
}

// clean tells of a tree that is Done whether nothing of it is left, as far as its guard could see.
func (s *supervised) clean() bool {
	return len(s.Result().Survivors) == 0 && !s.unseen()
}

// unseen tells of a tree that is Done whether its guard could not look what is left of it.
func (s *supervised) unseen() bool { return s.Result().Unknown != "" }

// trees are what this launch may have left when its server has ended: the server's,
// and that of a client of which not all is known to be gone.
func (l *launch) trees() []*supervised {
	all := []*supervised{{l.proc, l.logs}}
	if l.client != nil {
		all = append(all, l.client)
	}
	return all
}

// treeGone wants somebody to have looked for a tree whose guard could not, and to have
// found nothing of it: by cgroup, session, logs and the marker of its run.
func treeGone(t *supervised, marker string) demand {
	return demand{journal.Held{What: journal.HeldTree, Name: number(t.Identity().PID)}, func(h *journal.Held) {
		left, err := t.Escaped(t.logs...)
		if err == nil && len(left) == 0 {
			left, err = process.FindLeftovers(marker)
		}
		switch {
		case err != nil:
			h.By = fmt.Sprintf("nobody can look: %v", err)
		case len(left) > 0:
			h.By = left[0].String() + " does"
		}
	}}
}
