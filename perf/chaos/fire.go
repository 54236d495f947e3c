package main

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

// cleanLimit is how long those who clean up by themselves may take, on a machine
// that is busy with other work. What they really took is in the table.
const cleanLimit = 30 * time.Second

// cast is who plays which part in a session right now.
type cast struct {
	all     []proc
	guards  []proc // below the orchestrator, idle ones too
	leaders []proc // servers
	workers []proc // the rest of the servers' trees
	clients []proc
	looked  []proc // everything that a guard or the orchestrator looks after
}

func (r *session) cast() cast {
	c := cast{all: r.living()}
	r.noteSegments(c.all)
	byPID := map[int]proc{}
	for _, p := range c.all {
		byPID[p.pid] = p
	}
	program, client := filepath.Join(r.dir, programName), filepath.Join(r.dir, clientName)
	guard := func(p proc) bool { return p.exe == program && p.comm == "servematrix-gua" && p.ppid == r.id.pid }
	for _, p := range c.all {
		if p.identity == r.id {
			continue
		}
		top := p // the process below a guard that p descends from
		for !guard(byPID[top.ppid]) && byPID[top.ppid].pid != 0 {
			top = byPID[top.ppid]
		}
		below := guard(byPID[top.ppid])
		serves := strings.Contains(top.args, "serve") && top.exe == program
		switch {
		case guard(p):
			c.guards = append(c.guards, p)
		case below && top.pid == p.pid && serves:
			c.leaders = append(c.leaders, p)
		case below && top.pid == p.pid && p.exe == client && strings.Contains(p.args, "as-client"):
			c.clients = append(c.clients, p)
		case below && serves:
			c.workers = append(c.workers, p)
		}
		if below || p.ppid == r.id.pid { // a guard that is about to be executed is none yet
			c.looked = append(c.looked, p)
		}
	}
	return c
}

// strike does it. The error is a promise that was broken.
func (r *session) strike(ctx context.Context, k *strike) error {
	if k.hit = r.state; k.state == "hook" {
		k.hit = "hook"
	}
	c := r.cast()
	k.at = time.Now()
	switch k.kind {
	case "orchestrator SIGKILL":
		r.id.signal(syscall.SIGKILL)
		return r.cleans(k, c)
	case "orchestrator SIGKILL, resumed at once":
		r.id.signal(syscall.SIGKILL)
		k.owed = len(c.looked) > 0
	case "guards SIGKILL":
		return r.hits(k, c.guards, syscall.SIGKILL, without(c.looked, c.guards))
	case "orchestrator and guards SIGKILL", "orchestrator and guards SIGKILL, doctor --clean":
		r.id.signal(syscall.SIGSTOP)
		c = r.cast() // nothing is started any more
		signalAll(c.guards, syscall.SIGKILL)
		r.id.signal(syscall.SIGKILL)
		<-r.exited
		if k.owed = len(c.looked) > 0; strings.HasSuffix(k.kind, "clean") {
			return r.doctorCleans(k)
		}
	case "orchestrator and leader SIGKILL":
		r.id.signal(syscall.SIGSTOP)
		signalAll(c.leaders, syscall.SIGKILL)
		r.id.signal(syscall.SIGKILL)
		return r.cleans(k, c)
	case "leader SIGKILL", "leader SIGSEGV", "leader SIGABRT", "leader SIGBUS":
		sig := map[string]syscall.Signal{"SIGKILL": syscall.SIGKILL, "SIGSEGV": syscall.SIGSEGV, "SIGABRT": syscall.SIGABRT, "SIGBUS": syscall.SIGBUS}[strings.Fields(k.kind)[1]]
		return r.hits(k, c.leaders, sig, append(c.leaders, c.workers...))
	case "worker SIGKILL":
		return r.hits(k, one(r, c.workers), syscall.SIGKILL, nil)
	case "client SIGKILL":
		return r.hits(k, c.clients, syscall.SIGKILL, c.clients)
	case "power cut":
		return r.powerCut(k)
	case "SIGINT", "SIGINT twice", "SIGINT three times", "SIGTERM", "SIGTERM twice":
		sig := syscall.SIGINT
		if strings.HasPrefix(k.kind, "SIGTERM") {
			sig = syscall.SIGTERM
		}
		times := 1 + strings.Count(k.kind, "twice") + 2*strings.Count(k.kind, "three")
		for i := range times {
			if i > 0 {
				time.Sleep(time.Duration(r.rng.IntN(60)) * time.Millisecond)
			}
			r.id.signal(sig)
		}
	case "SIGHUP":
		if r.state == "boot" {
			k.fired = false // nobody listens yet; a shell's child dies of it then
			return nil
		}
		r.id.signal(syscall.SIGHUP)
	case "guards SIGSTOP, SIGCONT":
		return r.pauses(k, c.guards)
	case "orchestrator SIGSTOP, SIGCONT":
		return r.pauses(k, []proc{{identity: r.id}})
	case "second orchestrator":
		return r.second(k)
	case "doctor --clean beside it":
		_, _, err := r.tool("doctor", "--clean")
		return err
	case "stop", "stop --after-cell":
		if r.journal() == "" {
			k.fired = false
			return nil
		}
		_, _, err := r.tool(append(strings.Fields(k.kind), r.folder)...)
		return err // it may find that the run is over
	}
	return nil
}

// hits signals the victims, if there are any yet, and waits until nothing of
// what that orphans is left. The session goes on.
func (r *session) hits(k *strike, victims []proc, sig syscall.Signal, orphans []proc) error {
	if len(victims) == 0 {
		k.fired = false
		return nil
	}
	signalAll(victims, sig)
	took, left := awaitGone(orphans, cleanLimit)
	k.clean = took
	if len(left) > 0 {
		return fmt.Errorf("%v after %v there still is %v", cleanLimit, k, left)
	}
	return nil
}

// cleans waits until the guards of a dead orchestrator have cleaned up, also
// what was forked meanwhile. Who was left by an earlier session is not theirs.
func (r *session) cleans(k *strike, c cast) error {
	<-r.exited
	pending, sessions := map[identity]bool{}, map[int]bool{}
	for _, p := range without(c.all, c.looked) {
		pending[p.identity] = true
		sessions[p.sid] = true
	}
	left := c.looked
	for len(left) > 0 {
		if _, left = awaitGone(left, cleanLimit-time.Since(k.at)); len(left) > 0 {
			return fmt.Errorf("%v after %v there still is %v", cleanLimit, k, left)
		}
		k.clean = time.Since(k.at)
		left = slices.DeleteFunc(r.living(), func(p proc) bool { return pending[p.identity] || len(pending) > 0 && sessions[p.sid] })
	}
	return nil
}

// doctorCleans ends what a dead session left by servematrix doctor --clean.
func (r *session) doctorCleans(k *strike) error {
	k.owed = false
	args := []string{"doctor", "--clean"}
	if r.journal() != "" && !empty(r.journal()) {
		args = append(args, r.folder)
	}
	began := time.Now()
	code, out, err := r.tool(args...)
	if err != nil {
		return err
	}
	k.clean = time.Since(began)
	if left := r.living(); len(left) > 0 {
		return fmt.Errorf("doctor --clean (exit code %d) left %v; it said:\n%s", code, left, out)
	}
	return nil
}

// pauses stops processes for a while, shorter than what counts as hanging.
func (r *session) pauses(k *strike, who []proc) error {
	if len(who) == 0 {
		k.fired = false
		return nil
	}
	signalAll(who, syscall.SIGSTOP)
	time.Sleep(time.Duration(50+r.rng.IntN(400)) * time.Millisecond)
	signalAll(who, syscall.SIGCONT)
	return nil
}

// second starts another orchestrator on the same run folder.
func (r *session) second(k *strike) error {
	if r.journal() == "" || empty(r.journal()) {
		k.fired = false
		return nil
	}
	code, out, err := r.tool("resume", r.folder, "--progress", "none")
	if err != nil {
		return err
	}
	if code == 0 || code == 3 { // then the first one had let go of the folder, and ends
		select {
		case <-r.exited:
			return nil
		case <-time.After(cleanLimit):
		}
	}
	if code != 6 || !strings.Contains(out, "another servematrix is working on this run folder") {
		return fmt.Errorf("a second orchestrator ended with %d: %s", code, out)
	}
	return nil
}

func signalAll(who []proc, sig syscall.Signal) {
	for _, p := range who {
		p.signal(sig)
	}
}

// without gives those of a that are not in b.
func without(a, b []proc) []proc {
	return slices.DeleteFunc(slices.Clone(a), func(p proc) bool {
		return slices.ContainsFunc(b, func(q proc) bool { return q.identity == p.identity })
	})
}

func one(r *session, from []proc) []proc {
	if len(from) == 0 {
		return nil
	}
	i := r.rng.IntN(len(from))
	return from[i : i+1]
}
