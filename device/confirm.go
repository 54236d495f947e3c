package device

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"servematrix/process"
)

// nodes are the beginnings of the device files through which programs reach an accelerator.
var nodes = []string{"/dev/nvidia", "/dev/kfd", "/dev/dri/renderD", "/dev/davinci", "/dev/devmm_svm"}

// commMax is how much of a name the kernel keeps.
const commMax = 15

// firstPIDNamespace is the one in which drivers count; the kernel gives it this number.
const firstPIDNamespace = "pid:[4026531836]"

// Confirm finds the process in /proc. It is true only where /proc bears the tool out:
// the process lives, and has a device file open or goes by the printed name. In a
// container the printed pid can be of another pid namespace and mean another process
// here, or none; that one is told from ours by name and files alone, so a process of
// the same name with the same pid would be taken for it.
func (p Process) Confirm() (process.Survivor, bool) {
	s, err := process.Describe(p.PID)
	if err != nil {
		return s, false
	}
	open, known := opensDevice(p.PID)
	switch {
	case open:
	case p.Name != "":
		if !p.goesBy(s) {
			return s, false
		}
	case known || !inFirstPIDNamespace():
		return s, false
	}
	return s, s.Alive() // still the one that was looked at
}

// goesBy tells whether the printed name is one of the process's: its short name, its
// executable, or in its command line.
func (p Process) goesBy(s process.Survivor) bool {
	name := strings.ToLower(filepath.Base(p.Name)) // rocm-smi prints small letters only
	if exe, err := os.Readlink(filepath.Join("/proc", strconv.Itoa(p.PID), "exe")); err == nil && strings.ToLower(filepath.Base(exe)) == name {
		return true
	}
	comm := strings.ToLower(s.Comm)
	return name == comm || len(comm) == commMax && strings.HasPrefix(name, comm) || strings.Contains(strings.ToLower(s.Cmdline), name)
}

// opensDevice looks for a device file among what the process has open; known is false
// when that cannot be read.
func opensDevice(pid int) (open, known bool) {
	dir := filepath.Join("/proc", strconv.Itoa(pid), "fd")
	entries, err := os.ReadDir(dir)
	if err != nil {
		return false, false
	}
	for _, e := range entries {
		target, err := os.Readlink(filepath.Join(dir, e.Name()))
		if err != nil {
			continue
		}
		for _, node := range nodes {
			if strings.HasPrefix(target, node) {
				return true, true
			}
		}
	}
	return false, true
}

func inFirstPIDNamespace() bool {
	space, err := os.Readlink("/proc/self/ns/pid")
	return err == nil && space == firstPIDNamespace
}
