package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"servematrix/process"
)

// identity is one process for as long as the machine is up.
type identity struct {
	pid   int
	start string // field 22 of /proc/PID/stat
}

// proc is what this program knows of a process.
type proc struct {
	identity
	ppid, sid int
	state     string
	comm      string
	args      string // with spaces between the words
	exe       string
}

func (p proc) String() string {
	return fmt.Sprintf("pid %d (%s) state %s parent %d session %d: %s", p.pid, p.comm, p.state, p.ppid, p.sid, p.args)
}

// readStat reads /proc/PID/stat; the name in it may hold anything.
func readStat(pid int) (proc, bool) {
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	open, end := bytes.IndexByte(raw, '('), bytes.LastIndexByte(raw, ')')
	if err != nil || open < 0 || end < open {
		return proc{}, false
	}
	f := strings.Fields(string(raw[end+1:]))
	if len(f) < 20 {
		return proc{}, false
	}
	p := proc{identity: identity{pid, f[19]}, state: f[0], comm: string(raw[open+1 : end])}
	p.ppid, _ = strconv.Atoi(f[1])
	p.sid, _ = strconv.Atoi(f[3])
	if threads, _ := strconv.Atoi(f[17]); threads < 2 && (p.state == "Z" || p.state == "X") {
		return p, false // dead: it holds a pid and nothing else
	}
	return p, true
}

// alive says whether this very process lives.
func (id identity) alive() bool {
	p, ok := readStat(id.pid)
	return ok && p.identity == id
}

// signal reaches this very process or nobody: os.FindProcess holds a pidfd, and
// the start time is looked at after that.
func (id identity) signal(sig syscall.Signal) {
	p, err := os.FindProcess(id.pid)
	if err != nil {
		return
	}
	defer p.Release()
	if id.alive() {
		_ = p.Signal(sig) // it may end meanwhile
	}
}

// all gives the living processes by pid.
func all() map[int]proc {
	found := map[int]proc{}
	dirs, _ := filepath.Glob("/proc/[0-9]*")
	for _, dir := range dirs {
		pid, err := strconv.Atoi(filepath.Base(dir))
		if err != nil {
			continue
		}
		if p, ok := readStat(pid); ok {
			p.exe, _ = os.Readlink(dir + "/exe")
			found[pid] = p
		}
	}
	return found
}

// living gives the scenario's processes: those that execute a file of its folder
// or descend from one that does.
func (s *scenario) living() []proc {
	table := all()
	var found []proc
	for _, p := range table {
		for q, ok := p, true; ok; q, ok = table[q.ppid] {
			if strings.HasPrefix(q.exe, s.dir+"/") {
				raw, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", p.pid))
				p.args = string(bytes.ReplaceAll(bytes.TrimRight(raw, "\x00"), []byte{0}, []byte{' '}))
				found = append(found, p)
				break
			}
		}
	}
	slices.SortFunc(found, func(a, b proc) int { return a.pid - b.pid })
	for _, p := range found {
		s.procs[p.identity] = p
	}
	return found
}

// touching gives every process that has to do with the scenario's folder in any
// way that can be seen, and those that were seen while it ran. It is the slow and
// thorough look for the end.
func (s *scenario) touching() []proc {
	mark := []byte(s.dir)
	table := all()
	var found []proc
	for pid, p := range table {
		if pid == os.Getpid() {
			continue
		}
		args, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
		env, _ := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid))
		cwd, _ := os.Readlink(fmt.Sprintf("/proc/%d/cwd", pid))
		_, seen := s.procs[p.identity]
		ours := seen || bytes.Contains(args, mark) || bytes.Contains(env, mark) || within(cwd, s.dir) || within(p.exe, s.dir)
		fds, _ := os.ReadDir(fmt.Sprintf("/proc/%d/fd", pid))
		for _, fd := range fds {
			target, _ := os.Readlink(fmt.Sprintf("/proc/%d/fd/%s", pid, fd.Name()))
			ours = ours || within(target, s.dir)
		}
		if ours && p.identity.alive() {
			p.args = string(bytes.ReplaceAll(args, []byte{0}, []byte{' '}))
			found = append(found, p)
		}
	}
	return found
}

func within(path, dir string) bool { return path == dir || strings.HasPrefix(path, dir+"/") }

// clear ends whatever the scenario left, when it has failed or was cut short.
func (s *scenario) clear() {
	for limit := time.Now().Add(10 * time.Second); time.Now().Before(limit); time.Sleep(5 * time.Millisecond) {
		left := s.living()
		if len(left) == 0 {
			return
		}
		for _, p := range left {
			p.signal(syscall.SIGSTOP)
		}
		for _, p := range left {
			p.signal(syscall.SIGKILL)
		}
	}
}

// awaitGone waits until none of these lives and tells whom it waited for in vain.
func awaitGone(who []proc, limit time.Duration) (took time.Duration, left []proc) {
	began := time.Now()
	for {
		left = left[:0]
		for _, p := range who {
			if p.identity.alive() {
				left = append(left, p)
			}
		}
		took = time.Since(began)
		if len(left) == 0 || took > limit {
			return took, left
		}
		time.Sleep(time.Millisecond)
	}
}

// children are the processes that this program itself started and waits for.
var children = struct {
	sync.Mutex
	own map[int]bool
}{own: map[int]bool{}}

// becomeSubreaper brings the orphans here, where their zombies are reaped: the
// first process of a container may not do so.
func becomeSubreaper() error {
	if err := process.BecomeSubreaper(); err != nil {
		return err
	}
	go func() {
		for range time.Tick(100 * time.Millisecond) {
			reapOrphans()
		}
	}()
	return nil
}

func reapOrphans() {
	dirs, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", os.Getpid()))
	for _, dir := range dirs {
		raw, _ := os.ReadFile(dir)
		for word := range strings.FieldsSeq(string(raw)) {
			pid, _ := strconv.Atoi(word)
			children.Lock()
			if pid > 1 && !children.own[pid] {
				_, _ = unix.Wait4(pid, nil, unix.WNOHANG, nil)
			}
			children.Unlock()
		}
	}
}
