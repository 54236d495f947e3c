package main

import (
	"bytes"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"servematrix/perf/program"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// proc is a process by its identity: a pid is used again, a pid with its start is not.
type proc struct {
	pid   int
	start string
}

// status reads /proc/PID/stat: state, parent, session and start.
func status(pid int) (state string, parent, session int, start string) {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return "", 0, 0, ""
	}
	_, rest, _ := bytes.Cut(data, []byte(") ")) // good enough: no engine has such a name
	f := strings.Fields(string(rest))
	if len(f) < 20 {
		return "", 0, 0, ""
	}
	parent, _ = strconv.Atoi(f[1])
	session, _ = strconv.Atoi(f[3])
	return f[0], parent, session, f[19]
}

// alive tells whether it is there and no zombie.
func (p proc) alive() bool {
	state, _, _, start := status(p.pid)
	return start == p.start && state != "" && state != "Z" && state != "X"
}

func (p proc) name() string {
	comm, _ := os.ReadFile(fmt.Sprintf("/proc/%d/comm", p.pid))
	return strings.TrimSpace(string(comm))
}

// watched is what one sweep has brought into the world: processes, and what they hold in /dev/shm.
type watched struct {
	sync.Mutex
	dir, tool string          // working folder and binary of the sweep, both its own
	procs     map[proc]string // → name when last seen
	shm       map[string]bool // files
	last      time.Time       // when an engine's process was last seen alive
	stopped   chan struct{}
}

func watch(dir, tool string) *watched {
	w := &watched{dir: dir, tool: tool, procs: map[proc]string{}, shm: map[string]bool{}, stopped: make(chan struct{})}
	go func() {
		for n := 0; ; n++ {
			select {
			case <-w.stopped:
				return
			case <-time.After(200 * time.Millisecond):
				w.look(n%5 == 0)
			}
		}
	}()
	return w
}

// look finds the processes of the sweep: by working folder, by binary, by parent
// and by session, each enough alone. An engine renames its processes and erases
// their environment, but changes neither.
func (w *watched) look(deep bool) {
	w.Lock()
	defer w.Unlock()
	entries, err := os.ReadDir("/proc")
	program.Check(err)
	sessions, pids := map[int]bool{}, map[int]bool{}
	for p := range w.procs {
		if p.alive() {
			pids[p.pid] = true
			if _, _, sid, _ := status(p.pid); sid > 1 && sid != ownSession {
				sessions[sid] = true
			}
		}
	}
	for _, entry := range entries {
		pid, err := strconv.Atoi(entry.Name())
		if err != nil || pid == self {
			continue
		}
		state, parent, session, start := status(pid)
		if state == "" || state == "Z" {
			continue
		}
		p := proc{pid, start}
		cwd, _ := os.Readlink(fmt.Sprintf("/proc/%d/cwd", pid))
		exe, _ := os.Readlink(fmt.Sprintf("/proc/%d/exe", pid))
		if _, known := w.procs[p]; !known && cwd != w.dir && exe != w.tool && !pids[parent] && !sessions[session] {
			continue
		}
		w.procs[p] = p.name()
		pids[pid] = true
		if exe != w.tool {
			w.last = time.Now()
			if deep {
				w.holds(pid)
			}
		}
	}
}

// holds notes the files in /dev/shm that a process has mapped or open.
func (w *watched) holds(pid int) {
	mapped, _ := os.ReadFile(fmt.Sprintf("/proc/%d/maps", pid))
	for line := range strings.Lines(string(mapped)) {
		if i := strings.Index(line, "/dev/shm/"); i >= 0 {
			w.shm[strings.TrimSuffix(strings.TrimSpace(line[i:]), " (deleted)")] = true
		}
	}
	fds, _ := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", pid))
	for _, fd := range fds {
		if target, err := os.Readlink(fd); err == nil && strings.HasPrefix(target, "/dev/shm/") {
			w.shm[strings.TrimSuffix(target, " (deleted)")] = true
		}
	}
}

// find gives a process that fits, the zero one if none does.
func (w *watched) find(fits func(proc) bool) proc {
	w.look(false)
	w.Lock()
	defer w.Unlock()
	for p := range w.procs {
		if fits(p) {
			return p
		}
	}
	return proc{}
}

func (w *watched) anyAlive() bool {
	return w.find(proc.alive).pid != 0
}

func (w *watched) names() string {
	w.Lock()
	defer w.Unlock()
	return strings.Join(slices.Sorted(maps.Values(w.procs)), ", ")
}

// left names what the sweep has left behind.
func (w *watched) left(temp string, port int) []string {
	w.look(true)
	w.Lock()
	defer w.Unlock()
	var all []string
	for p, name := range w.procs {
		if p.alive() {
			all = append(all, fmt.Sprintf("process %d %s", p.pid, name))
		}
	}
	for file := range w.shm {
		if _, err := os.Lstat(file); err == nil {
			all = append(all, file)
		}
	}
	_ = filepath.WalkDir(temp, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type()&fs.ModeSocket != 0 {
			all = append(all, "socket "+filepath.Base(path))
		}
		return nil
	})
	if listens(port) {
		all = append(all, fmt.Sprintf("a listener on port %d", port))
	}
	slices.Sort(all)
	return all
}

// listens tells whether anybody listens on the port.
func listens(port int) bool {
	for _, table := range []string{"/proc/net/tcp", "/proc/net/tcp6"} {
		data, _ := os.ReadFile(table)
		for line := range strings.Lines(string(data)) {
			f := strings.Fields(line)
			if len(f) > 3 && f[3] == "0A" && strings.HasSuffix(f[1], fmt.Sprintf(":%04X", port)) {
				return true
			}
		}
	}
	return false
}

var (
	self                = os.Getpid()
	_, _, ownSession, _ = status(self)
)
