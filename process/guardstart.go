package process

import (
	"errors"
	"os"
	"slices"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// start opens the files, takes the lock and executes the leader. The lock is
// held until the returned file is closed, by the guard's end at the latest.
func (g *guardian) start(o *startOrder) (lock *os.File, err error) {
	r := o.resolved()
	var created []string
	defer func() {
		if err != nil {
			for _, path := range created {
				_ = os.Remove(path)
			}
		}
	}()
	if r.Lock != "" {
		if lock, err = takeLock(r.Lock); err != nil {
			return nil, err
		}
	}
	files, created, err := openStreams(r.Spec)
	for _, f := range files {
		defer f.Close()
	}
	if err != nil {
		return nil, err
	}
	fds := make([]uintptr, len(files))
	for i, f := range files {
		fds[i] = f.Fd()
	}
	restore := raiseOOM()
	inside, err := g.fork(r, fds)
	restore()
	started := time.Now()
	if err != nil {
		errno := syscall.EIO
		errors.As(err, &errno)
		return nil, execError(r.path, errno)
	}
	// Nothing reaps yet, so even a leader that is dead already can be read.
	p, err := readProc(g.leader)
	if err != nil {
		p = proc{pid: g.leader, sid: g.leader}
	}
	g.report(report{Started: &startedNote{Leader: p.identity(), SID: p.sid, Inside: inside}})
	g.pgrp, g.path = g.leader, r.Status
	g.status.Leader, g.status.SID, g.status.Started = p.identity(), p.sid, started
	if inside {
		g.status.Cgroup = string(g.cgroup)
	}
	g.ladder = &ladder{
		tree: g, own: r.Stop, bound: o.KillBound,
		note: func(s Step) { g.report(report{Step: &s}) },
	}
	g.reaper.begin <- g.leader
	g.save(func(*Status, time.Time) {})
	return lock, nil
}

// fork executes the leader, inside the cgroup if that can be.
func (g *guardian) fork(r resolved, fds []uintptr) (inside bool, err error) {
	attr := syscall.ProcAttr{
		Dir: r.Dir, Env: r.Env, Files: fds,
		Sys: &syscall.SysProcAttr{Setsid: r.Session, Setpgid: !r.Session},
	}
	if fd, ok := g.cgroup.open(); ok {
		defer unix.Close(fd)
		forkInto(attr.Sys, fd)
		if g.leader, err = syscall.ForkExec(r.path, r.Argv, &attr); err == nil {
			return true, nil
		}
		// The kernel's refusal of the cgroup and of the command look alike.
		forkInto(attr.Sys, -1)
	}
	g.leader, err = syscall.ForkExec(r.path, r.Argv, &attr)
	return false, err
}

func takeLock(path string) (*os.File, error) {
	lock, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fileError("create lock", path, err)
	}
	if _, err = retry(func() (struct{}, error) {
		return struct{}{}, unix.Flock(int(lock.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	}); err != nil {
		_ = lock.Close()
		if errors.Is(err, unix.EWOULDBLOCK) {
			err = errors.New("another guard holds it: the tree of this attempt still lives")
		}
		return nil, fileError("take lock", path, err)
	}
	return lock, nil
}

// openStreams opens what will be descriptors 0, 1 and 2. A log is a real file,
// never a pipe: a pipe's reader that stalls or dies stalls or kills the server.
func openStreams(spec Spec) (files []*os.File, created []string, err error) {
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return nil, nil, fileError("open", os.DevNull, err)
	}
	files = []*os.File{null}
	for i, path := range []string{spec.Stdout, spec.Stderr} {
		switch {
		case path == "":
			files = append(files, null)
		case i == 1 && path == spec.Stdout:
			files = append(files, files[1])
		default:
			f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND|os.O_CREATE|os.O_EXCL, 0o600)
			if err != nil {
				return files, created, fileError("create log", path, err)
			}
			files, created = append(files, f), append(created, path)
		}
	}
	return files, created, nil
}

// save brings the status file up to date by a rename. It is not synced: it
// tells of processes, and these do not outlive a power cut either.
func (g *guardian) save(change func(s *Status, now time.Time)) {
	g.status.Result = g.ladder.result
	change(&g.status, time.Now())
	if g.path == "" {
		return
	}
	temporary := g.path + ".new"
	if os.WriteFile(temporary, line(g.status), 0o600) == nil {
		_ = os.Rename(temporary, g.path)
	}
}

func (g *guardian) signalLeader(sig syscall.Signal) error {
	g.reaper.mu.Lock()
	defer g.reaper.mu.Unlock()
	p, err := readProc(g.leader)
	if cannotLook(err) && g.leaderHeld() {
		return errors.Join(unix.Kill(g.leader, sig), unix.Kill(g.leader, unix.SIGCONT))
	}
	if err != nil || p.ppid != os.Getpid() {
		return unix.ESRCH
	}
	return sendAwake(p.identity(), sig)
}

// signalGroup signals the whole group in one call while a child of ours that
// cannot be reaped meanwhile holds the group's id. Otherwise the id could be
// somebody else's by the time of the call, so each member is signalled alone.
func (g *guardian) signalGroup(sig syscall.Signal) (alive []proc, sent bool) {
	g.reaper.mu.Lock()
	defer g.reaper.mu.Unlock()
	t, err := scan()
	if err != nil {
		return nil, false
	}
	alive = living(t.below(os.Getpid()))
	held := false
	var members []proc
	for _, p := range alive {
		if p.pgrp == g.pgrp {
			members = append(members, p)
			held = held || p.ppid == os.Getpid()
		}
	}
	if held {
		_ = unix.Kill(-g.pgrp, sig)
		_ = unix.Kill(-g.pgrp, unix.SIGCONT)
		return alive, true
	}
	for _, p := range members {
		_ = sendAwake(p.identity(), sig)
	}
	return alive, len(members) > 0
}

func (g *guardian) groupAlive() bool {
	t, err := scan()
	return err != nil || slices.ContainsFunc(t.below(os.Getpid()), func(p proc) bool {
		return p.pgrp == g.pgrp && p.alive()
	})
}

func (g *guardian) kill(named func([]proc)) ([]proc, error) {
	self := os.Getpid()
	k := killer{cgroup: g.cgroup, home: true, find: func(t *table) []proc { return t.below(self) }}
	alive, err := k.round(named)
	if err != nil {
		g.killBlind()
	}
	return alive, err
}

// killBlind ends the leader's group without having seen who is in it, as long as the
// leader has not been reaped: the group's id is nobody else's until then.
func (g *guardian) killBlind() {
	g.reaper.mu.Lock()
	defer g.reaper.mu.Unlock()
	if g.leaderHeld() {
		_ = unix.Kill(-g.pgrp, unix.SIGKILL)
	}
}

// leaderHeld tells, without a look at the process table, whether the leader's number is
// still its own: it lives, or is dead and not reaped. The reaper's lock is held.
func (g *guardian) leaderHeld() bool {
	return isChild(g.leader)
}
