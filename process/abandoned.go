package process

import (
	"encoding/json"
	"errors"
	"io/fs"
)

// FindAbandoned finds whatever lives of the tree whose guard wrote this status
// file: by cgroup, by session, and by who writes to these logs, each process
// once. It is for after a crash, when the attempt's lock is free or has been
// held for longer than GuardBound; a guard that then still lives comes first,
// and EndLeftovers ends all below it together with it. A status file that says
// that the tree has ended, or that never was, has nothing left.
//
// One process escapes where no cgroup can be made: one that left the session,
// closed the log and cleaned its environment.
func FindAbandoned(status string, logs ...string) ([]Survivor, error) {
	s, err := ReadStatus(status)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if _, torn := errors.AsType[*json.SyntaxError](err); torn {
		s, err = Status{}, nil // by a power cut or a full disk: the logs tell who still writes to them
	}
	if err != nil {
		return nil, err
	}
	if s.Ended != nil && len(s.Survivors) == 0 && s.Unknown == "" {
		return nil, nil
	}
	var found []Survivor
	if p, err := readProc(s.Guard.PID); err == nil && p.alive() && p.identity() == s.Guard {
		found = append(found, p.survivor())
	}
	more, err := s.astray(logs)
	return append(found, more...), err
}

// Escaped finds whatever lives of a tree that is Done, by the same signs as
// FindAbandoned.
func (p *Process) Escaped(logs ...string) ([]Survivor, error) {
	return Status{Leader: p.id, SID: p.sid, Guard: p.guard.id, Cgroup: p.cgroup}.astray(logs)
}

// astray finds members of cgroup and session and writers of the logs, each once.
func (s Status) astray(logs []string) ([]Survivor, error) {
	var each []Survivor
	seen := map[Identity]bool{}
	for _, look := range []func() ([]Survivor, error){
		s.cgroupMembers,
		s.sessionMembers,
		func() ([]Survivor, error) { return FindWriters(logs...) },
	} {
		found, err := look()
		if err != nil {
			return each, err
		}
		for _, p := range found {
			if !seen[p.Identity] {
				seen[p.Identity] = true
				each = append(each, p)
			}
		}
	}
	return each, nil
}

// cgroupMembers looks only on the boot that made the cgroup.
func (s Status) cgroupMembers() ([]Survivor, error) {
	if s.Guard.BootID != bootID() {
		return nil, nil
	}
	return FindCgroup(s.Cgroup)
}

// sessionMembers is empty for a leader without a session of its own: the
// session is then its guard's.
func (s Status) sessionMembers() ([]Survivor, error) {
	if s.SID != s.Leader.PID {
		return nil, nil
	}
	return FindSession(s.SID, s.Leader)
}
