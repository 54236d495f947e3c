package cli

import (
	"fmt"
	"os"
	"strconv"
	"strings"
)

// What a node that serves large models should have; below it, doctor says what to do.
const (
	fewFiles     = 65_536
	fewProcesses = 8_192
	fewShared    = 8 << 30
	fewInotify   = 64
)

// contain says what holds the processes of a server.
func (h hostReport) contain() string {
	has := func(ok bool, what, since string) string {
		if ok {
			return what
		}
		return "no " + what + " (" + since + ")"
	}
	c := h.Contain
	return strings.Join([]string{has(c.Subreaper, "subreaper", "Linux 3.4"), has(c.PIDFD, "pidfd", "Linux 5.3"),
		has(c.Leaf, "cgroup v2 leaf", "not writable here"), has(c.Kill, "cgroup.kill", "needs a leaf, and Linux 5.14")}, ", ")
}

// String says where servers get a cgroup of their own.
func (c cgroup) String() string {
	switch {
	case c.Version < 2:
		return "no version 2"
	case c.Path == "":
		return "v2, but this process stands outside of what can be seen of it"
	case !c.Writable:
		return "v2 at " + c.Path + ", no leaf can be made there"
	}
	return "v2 at " + c.Path + ", a leaf was made there and removed again"
}

// advice says of each thing that is short what to do about it.
func (h hostReport) advice() (lines []string) {
	say := func(format string, args ...any) { lines = append(lines, fmt.Sprintf(format, args...)) }
	if !h.Contain.Leaf {
		say("without a cgroup a process that hides its session, log and environment outlives a night in which servematrix and its guard are both killed; run as root, or: systemd-run --user -p Delegate=yes")
	}
	if !h.Contain.PIDFD {
		say("without pidfd a tiny window stays between looking at a process and signalling it; Linux 5.3 closes it")
	}
	short := func(name string, least uint64) bool {
		l, known := h.Limits[name]
		return known && l.Soft != nil && *l.Soft < least
	}
	if short("nofile", fewFiles) {
		say("few open files: ulimit -n %d before run (LimitNOFILE= in a unit), or a benchmark with many connections fails", fewFiles)
	}
	if short("nproc", fewProcesses) {
		say("few processes and threads: ulimit -u %d before run (LimitNPROC= in a unit); engines start hundreds of threads for each device", fewProcesses)
	}
	if short("memlock", 1<<40) && len(h.Devices) > 0 {
		say("locked memory is limited: ulimit -l unlimited (LimitMEMLOCK=infinity); RDMA and pinned buffers want it")
	}
	if h.Shm != nil && h.Shm.Total < fewShared {
		say("/dev/shm is small: workers of one server share memory there; in a container --shm-size=16g or --ipc=host")
	}
	for _, name := range []string{"max_user_instances", "max_user_watches"} {
		raw, err := os.ReadFile("/proc/sys/fs/inotify/" + name)
		if n, nerr := strconv.Atoi(strings.TrimSpace(string(raw))); err == nil && nerr == nil && n < fewInotify {
			say("fs.inotify.%s is %d: sysctl -w fs.inotify.%s=128; without inotify logs are looked at by polling", name, n, name)
		}
	}
	return lines
}
