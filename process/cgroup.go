package process

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// cgroup is a leaf of the cgroup v2 tree for one supervised tree; "" where
// there is none. It adds two things to what the subreaper can do, where it can
// be had at all (as root outside a container, mostly): cgroup.kill ends all
// members at once, however fast they fork, and the members can still be found
// when guard and parent were both killed. See cgroups(7).
type cgroup string

// cgroupPrefix begins the names of our leaves: FindCgroup touches no other.
const cgroupPrefix = "servematrix-"

// newCgroup makes a leaf below the cgroup of this process. A leaf has no
// limits of its own, so that the members feel none of it.
func newCgroup(owner Identity) cgroup {
	parent, _ := OwnCgroup()
	if parent == "" {
		return ""
	}
	c := cgroup(filepath.Join(parent, fmt.Sprintf("%s%d-%d", cgroupPrefix, owner.PID, owner.StartTicks)))
	if os.Mkdir(string(c), 0o700) != nil {
		return ""
	}
	return c
}

// open gives the folder to clone3(2).
func (c cgroup) open() (fd int, ok bool) {
	if c == "" {
		return -1, false
	}
	fd, err := unix.Open(string(c), openPath|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	return fd, err == nil
}

// kill sends SIGKILL to all members, also those that are being forked. Kernels
// before 5.14 cannot; the kill loop does it alone then.
func (c cgroup) kill() {
	if c != "" {
		_ = os.WriteFile(filepath.Join(string(c), "cgroup.kill"), []byte("1"), 0)
	}
}

// remove takes an empty leaf away, with the empty ones that its members made
// below it; one with members stays.
func (c cgroup) remove() {
	if c == "" {
		return
	}
	var dirs []string
	_ = filepath.WalkDir(string(c), func(path string, entry fs.DirEntry, err error) error {
		if err == nil && entry.IsDir() {
			dirs = append(dirs, path)
		}
		return nil
	})
	for _, dir := range slices.Backward(dirs) {
		_ = unix.Rmdir(dir)
	}
}

// pids lists the members, those of cgroups that they made below theirs too.
func (c cgroup) pids() (pids []int, err error) {
	err = filepath.WalkDir(string(c), func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.Name() != "cgroup.procs" {
			return err
		}
		raw, err := os.ReadFile(path)
		for word := range strings.FieldsSeq(string(raw)) {
			if pid, err := strconv.Atoi(word); err == nil && pid > 0 {
				pids = append(pids, pid)
			}
		}
		return err
	})
	return pids, err
}

// members picks the leaf's processes from a look at the table.
func (c cgroup) members(t *table) []proc {
	if c == "" {
		return nil
	}
	pids, err := c.pids()
	if err != nil {
		return nil
	}
	var found []proc
	for _, pid := range pids {
		if p, ok := t.get(pid); ok {
			found = append(found, p)
		}
	}
	return found
}

// FindCgroup finds the living members of a journalled cgroup (Process.Cgroup);
// "" and one that no longer exists have none. It finds what hides from session
// and marker. An empty cgroup is removed.
func FindCgroup(path string) ([]Survivor, error) {
	if path == "" {
		return nil, nil
	}
	if !strings.HasPrefix(filepath.Base(path), cgroupPrefix) {
		return nil, fmt.Errorf("find members of cgroup %s: its name does not begin with %s", path, cgroupPrefix)
	}
	c := cgroup(path)
	if _, err := c.pids(); errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	} else if err != nil {
		return nil, fmt.Errorf("find members of cgroup: %w", err)
	}
	t, err := scan()
	if err != nil {
		return nil, fmt.Errorf("find members of cgroup %s: %w", path, err)
	}
	spared := t.spared()
	var found []Survivor
	for _, p := range living(c.members(t)) {
		if !spared[p.pid] {
			found = append(found, p.survivor())
		}
	}
	if len(found) == 0 {
		c.remove()
	}
	return found, nil
}
