package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Shared memory and sockets outlive the processes that made them. What a server
// has open in /dev/shm is written down here while it can be seen.

// tmp is the scenario's folder for temporary files: servers put their sockets there.
func (s *scenario) tmp() string { return filepath.Join(s.dir, "tmp") }

// noteSegments remembers what these processes have open in /dev/shm, by session.
func (s *scenario) noteSegments(procs []proc) {
	for _, p := range procs {
		fds, _ := os.ReadDir(fmt.Sprintf("/proc/%d/fd", p.pid)) // it may have ended
		for _, fd := range fds {
			path, _ := os.Readlink(fmt.Sprintf("/proc/%d/fd/%s", p.pid, fd.Name()))
			if strings.HasPrefix(path, "/dev/shm/") && !strings.HasSuffix(path, " (deleted)") && s.segments[path] == 0 {
				s.segments[path] = s.sessions
			}
		}
	}
}

// loseSegments is what a power cut does to them.
func (s *scenario) loseSegments() {
	for path := range s.segments {
		_ = os.Remove(path) // most are gone already
	}
	clear(s.segments)
}

// sessionSegments fails when something is left that a server of the session at
// hand had, though the session ended by itself and says nothing of it.
func (s *scenario) sessionSegments() error {
	found, err := events(s.journal())
	if err != nil {
		return err
	}
	for path, session := range s.segments {
		named := slices.ContainsFunc(found, func(e event) bool { return e.Type == "warning" && strings.Contains(e.Data.Message, path) })
		if _, err := os.Stat(path); err == nil && session == s.sessions && !named {
			return fmt.Errorf("left in shared memory: %s", path)
		}
	}
	return nil
}

// segmentsGone fails when something is left that the journal knows. What a server
// made in the moment before its orchestrator was killed nobody has written down;
// it is taken away here.
func (s *scenario) segmentsGone() error {
	found, err := events(s.journal())
	if err != nil {
		return err
	}
	for _, e := range found {
		for _, o := range e.Data.Objects {
			if _, err := os.Lstat(o.Path); e.Type == "launch.holds" && err == nil {
				return fmt.Errorf("launch %s held %s, and it is still there", e.Launch, o.Path)
			}
		}
	}
	for path := range s.segments {
		if os.Remove(path) == nil {
			s.unknown++
		}
	}
	return nil
}
