package process

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// leafOf is the leaf of ours in which a process lives, "" if in none.
func leafOf(pid int) cgroup {
	path, _ := placeOf(itoa(pid))
	for ; len(path) > 1; path = filepath.Dir(path) {
		if strings.HasPrefix(filepath.Base(path), cgroupPrefix) {
			return cgroup(path)
		}
	}
	return ""
}

// forsaken are the leaves beside which one of ours would stand whose guards
// are gone: guards that were killed could not remove them.
func forsaken() (leaves []cgroup) {
	parent, _ := OwnCgroup()
	if parent == "" {
		return nil
	}
	entries, err := os.ReadDir(parent)
	if err != nil {
		return nil
	}
	for _, e := range entries {
		owner := Identity{BootID: bootID()}
		n, _ := fmt.Sscanf(e.Name(), cgroupPrefix+"%d-%d", &owner.PID, &owner.StartTicks)
		if n == 2 && !owner.Alive() {
			leaves = append(leaves, cgroup(filepath.Join(parent, e.Name())))
		}
	}
	return leaves
}
