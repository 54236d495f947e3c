package process

import (
	"bytes"
	"errors"
	"os"
	"slices"
	"strconv"

	"golang.org/x/sys/unix"
)

// proc is one line of the process table.
type proc struct {
	pid, ppid, pgrp, sid, tty int
	threads                   int
	state                     byte
	start                     uint64
	cpu                       uint64 // user and system time in clock ticks
	comm                      string
}

// alive is false for zombies and for what is being removed. A process whose
// main thread ended before the others looks like a zombie and is none.
func (p proc) alive() bool {
	return p.state != 'Z' && p.state != 'X' && p.state != 'x' || p.threads > 1
}

func (p proc) identity() Identity {
	return Identity{PID: p.pid, StartTicks: p.start, BootID: bootID()}
}

func (p proc) survivor() Survivor {
	return Survivor{Identity: p.identity(), Comm: p.comm, Cmdline: cmdlineIn(p.folder())}
}

// folder is where /proc shows what p has open and how it was started. A process
// whose main thread has ended has nothing of that under its own number, but
// another of its threads has.
func (p proc) folder() string {
	own := "/proc/" + strconv.Itoa(p.pid)
	if p.state != 'Z' || !p.alive() {
		return own
	}
	threads, _ := os.ReadDir(own + "/task") // empty once it has gone
	for _, t := range threads {
		if t.Name() != strconv.Itoa(p.pid) {
			return own + "/task/" + t.Name()
		}
	}
	return own
}

// readProc reads one process from /proc/PID/stat.
func readProc(pid int) (proc, error) {
	var buf [1024]byte
	raw, err := readSmall("/proc/"+strconv.Itoa(pid)+"/stat", buf[:])
	if err != nil {
		return proc{}, err
	}
	p, ok := parseStat(raw)
	if !ok {
		return proc{}, unix.ESRCH
	}
	return p, nil
}

// readSmall reads a /proc file that fits into buf with three plain system
// calls: a scan of the whole table in the middle of a kill has no time for
// os.File's bookkeeping.
func readSmall(path string, buf []byte) ([]byte, error) {
	fd, err := retry(func() (int, error) { return unix.Open(path, unix.O_RDONLY|unix.O_CLOEXEC, 0) })
	if err != nil {
		return nil, &os.PathError{Op: "open", Path: path, Err: err}
	}
	n, err := retry(func() (int, error) { return unix.Read(fd, buf) })
	_ = unix.Close(fd)
	if err != nil {
		return nil, &os.PathError{Op: "read", Path: path, Err: err}
	}
	return buf[:n], nil
}

// retry repeats a system call that a signal cut short.
func retry[T any](call func() (T, error)) (T, error) {
	for {
		v, err := call()
		if err != unix.EINTR {
			return v, err
		}
	}
}

// parseStat takes /proc/PID/stat apart. The name in parentheses may hold
// spaces and parentheses of its own, so the last one ends it.
func parseStat(raw []byte) (proc, bool) {
	open, end := bytes.IndexByte(raw, '('), bytes.LastIndexByte(raw, ')')
	if open < 1 || end < open || end+2 >= len(raw) {
		return proc{}, false
	}
	p := proc{comm: string(raw[open+1 : end])}
	var ok bool
	if p.pid, ok = atoi(bytes.TrimSpace(raw[:open])); !ok {
		return proc{}, false
	}
	rest := raw[end+2:]
	for field := 3; field <= 22; field++ { // numbered as in proc_pid_stat(5)
		var word []byte
		if word, rest, ok = bytes.Cut(rest, []byte{' '}); !ok {
			return proc{}, false
		}
		switch field {
		case 3:
			p.state = word[0]
		case 4:
			p.ppid, ok = atoi(word)
		case 5:
			p.pgrp, ok = atoi(word)
		case 6:
			p.sid, ok = atoi(word)
		case 7:
			p.tty, ok = atoi(word)
		case 14, 15:
			var ticks uint64
			ticks, ok = atou(word)
			p.cpu += ticks
		case 20:
			p.threads, ok = atoi(word)
		case 22:
			p.start, ok = atou(word)
		}
		if !ok {
			return proc{}, false
		}
	}
	return p, true
}

func atou(b []byte) (uint64, bool) {
	var n uint64
	for _, c := range b {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = n*10 + uint64(c-'0')
	}
	return n, len(b) > 0
}

func atoi(b []byte) (int, bool) {
	if len(b) > 1 && b[0] == '-' { // pgrp and sid are -1 for a task that is going
		n, ok := atou(b[1:])
		return -int(n), ok
	}
	n, ok := atou(b)
	return int(n), ok
}

// table is one look at all processes that this user can see.
type table struct {
	procs []proc
	index map[int]int // pid → position in procs
}

// scan reads the process table. It is not atomic: who forks and ends while it
// is read may still be missed, so callers that must miss nothing scan again.
func scan() (*table, error) {
	t := &table{index: map[int]int{}}
	for range scanRounds {
		names, err := pids()
		if err != nil {
			return nil, err
		}
		more, err := t.add(names)
		if err != nil {
			return nil, err
		}
		if !more {
			break
		}
	}
	return t, nil
}

// scanRounds bounds the listings of one look: a process can be made by one that is gone by
// the time its own line is read, so the folder is read again until it has nobody new.
const scanRounds = 5

func pids() (names []string, err error) {
	dir, err := os.Open("/proc")
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	return dir.Readdirnames(-1)
}

// add reads the processes of these names that the table has not. It tells whether there was one.
func (t *table) add(names []string) (more bool, err error) {
	t.procs = slices.Grow(t.procs, len(names)-min(len(names), len(t.procs)))
	var buf [1024]byte
	path := make([]byte, 0, 32)
	for _, name := range names {
		pid, err := strconv.Atoi(name)
		if err != nil {
			continue
		}
		if _, known := t.index[pid]; known {
			continue
		}
		more = true
		path = append(append(append(path[:0], "/proc/"...), name...), "/stat"...)
		raw, err := readSmall(string(path), buf[:])
		if cannotLook(err) {
			return false, err // a table without those that live would look like the end of them
		}
		if err != nil {
			continue // gone since the folder was read
		}
		if p, ok := parseStat(raw); ok {
			t.index[p.pid] = len(t.procs)
			t.procs = append(t.procs, p)
		}
	}
	return more, nil
}

// cannotLook tells an error that says nothing about the process from one that says it is gone.
func cannotLook(err error) bool {
	return errors.Is(err, unix.EMFILE) || errors.Is(err, unix.ENFILE) || errors.Is(err, unix.ENOMEM)
}

func (t *table) get(pid int) (proc, bool) {
	i, ok := t.index[pid]
	if !ok {
		return proc{}, false
	}
	return t.procs[i], true
}

// below gives every process that descends from one of the roots, the roots
// themselves left out, zombies included.
func (t *table) below(roots ...int) []proc {
	children := make(map[int][]int, len(t.procs))
	for i, p := range t.procs {
		children[p.ppid] = append(children[p.ppid], i)
	}
	var found []proc
	seen := map[int]bool{}
	for len(roots) > 0 {
		pid := roots[0]
		roots = roots[1:]
		if seen[pid] {
			continue
		}
		seen[pid] = true
		for _, i := range children[pid] {
			found = append(found, t.procs[i])
			roots = append(roots, t.procs[i].pid)
		}
	}
	return found
}

// ancestors gives the pids from pid's parent up to the first process.
func (t *table) ancestors(pid int) []int {
	var chain []int
	for p, ok := t.get(pid); ok && p.ppid > 0 && len(chain) <= len(t.procs); p, ok = t.get(p.ppid) {
		chain = append(chain, p.ppid)
	}
	return chain
}

func living(procs []proc) []proc {
	var alive []proc
	for _, p := range procs {
		if p.alive() {
			alive = append(alive, p)
		}
	}
	return alive
}
