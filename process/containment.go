package process

import (
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// Containment is what this host gives a guard to hold a tree with.
type Containment struct {
	// Subreaper: orphans of a tree come to its guard (Linux 3.4). Without it nothing starts.
	Subreaper bool `json:"subreaper"`
	// PIDFD: a signal reaches the process that was looked at and no other (Linux 5.3).
	PIDFD bool `json:"pidfd"`
	// Leaf: a cgroup v2 leaf can be made for each tree.
	Leaf bool `json:"cgroup_leaf"`
	// Kill: all in a leaf can be ended at once, however fast they fork (Linux 5.14).
	Kill bool `json:"cgroup_kill"`
}

// ProbeContainment finds it out by trying: it makes a leaf and removes it again.
func ProbeContainment() (c Containment) {
	c.Subreaper = canSubreap()
	if fd, err := pidfdOpen(os.Getpid()); err == nil {
		c.PIDFD = unix.Close(fd) == nil
	}
	me, err := Identify(os.Getpid())
	if err != nil {
		return c
	}
	if leaf := newCgroup(me); leaf != "" {
		defer leaf.remove()
		c.Leaf = unix.Access(filepath.Join(string(leaf), "cgroup.procs"), unix.W_OK) == nil
		c.Kill = c.Leaf && unix.Access(filepath.Join(string(leaf), "cgroup.kill"), unix.W_OK) == nil
	}
	return c
}
