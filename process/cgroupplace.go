package process

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// OwnCgroup is the folder of this process's cgroup v2, where a leaf for each
// tree is made if that may be: as root, or in a part of the tree that was
// delegated to the user (systemd's Delegate=yes). mounted says whether this
// host has a cgroup v2 tree at all; path is "" where this process stands
// outside of what can be seen of it.
func OwnCgroup() (path string, mounted bool) {
	return placeOf("self")
}

func placeOf(pid string) (path string, mounted bool) {
	groups, err := os.ReadFile("/proc/" + pid + "/cgroup")
	if err != nil {
		groups = nil // the process is gone
	}
	mounts, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		return "", false
	}
	return cgroupPlace(string(groups), string(mounts))
}

// cgroupPlace reads a process's cgroup file and our mountinfo: the line "0::PATH"
// is the place in the v2 tree, and of the mounts of that tree one shows it. See
// cgroups(7) and proc_pid_mountinfo(5).
func cgroupPlace(groups, mounts string) (path string, mounted bool) {
	inside := ""
	for line := range strings.Lines(groups) {
		if p, ok := strings.CutPrefix(strings.TrimSuffix(line, "\n"), "0::"); ok {
			inside = strings.TrimSuffix(p, " (deleted)")
		}
	}
	for line := range strings.Lines(mounts) {
		before, after, _ := strings.Cut(line, " - ")
		fields := strings.Fields(before)
		if !strings.HasPrefix(after, "cgroup2 ") || len(fields) < 6 {
			continue
		}
		mounted = true
		root, mount := unescape(fields[3]), unescape(fields[4])
		below, err := filepath.Rel(root, inside)
		if err == nil && strings.HasPrefix(inside, "/") && !strings.HasPrefix(inside, "/../") && below != ".." && !strings.HasPrefix(below, "../") {
			return filepath.Join(mount, below), true
		}
	}
	return "", mounted
}

// unescape reads what the kernel writes for blanks and the like: \040.
func unescape(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+3 < len(s) {
			if c, err := strconv.ParseUint(s[i+1:i+4], 8, 8); err == nil {
				b.WriteByte(byte(c))
				i += 3
				continue
			}
		}
		b.WriteByte(s[i])
	}
	return b.String()
}
