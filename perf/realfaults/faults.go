package main

import (
	"fmt"
	"net"
	"slices"
	"strings"
	"syscall"
)

// stage is when a fault strikes.
type stage int

const (
	never    stage = iota // the fault lies in what is started
	starting              // after the start, before it is ready
	idle                  // ready, and its client does nothing
	busy                  // its client has streams in flight
)

// fault is one way for things to go wrong, and what has to come of it.
type fault struct {
	name    string
	when    stage
	server  func(engine) engine // what is started instead
	strike  func(*sweep) error  // what is done at its stage
	before  func(*sweep) error  // what is done before the tool starts
	classes []string            // one of them is right; "" is a sample without failure
	says    string              // in the message
	exits   []int               // of the tool
	fits    func(e engine) bool // can this engine have it?
}

var (
	always    = func(engine) bool { return true }
	hasCore   = func(e engine) bool { return e.core != "" }
	hasWorker = func(e engine) bool { return e.worker != "" }
	slow      = func(e engine) engine {
		if e.booting != "" {
			return e.with(e.booting)
		}
		return e
	}
)

// Exit codes of the tool.
const failed, refused, interrupted, terminated = 3, 6, 130, 143

var faults = []fault{
	{name: "bad-flag", classes: []string{"bad_flag"}, says: "no-such-flag", exits: []int{failed}, fits: always,
		server: func(e engine) engine { return e.with(e.usual + " " + e.badFlag) }},
	{name: "missing-model", classes: []string{"model"}, says: "nope", exits: []int{failed}, fits: always,
		server: func(e engine) engine { e.server = strings.Replace(e.server, e.model[0], e.model[1], 1); return e }},
	{name: "context-too-long", classes: []string{"bad_flag"}, says: "10000000", exits: []int{failed},
		fits: func(e engine) bool { return e.context != "" }, server: func(e engine) engine { return e.with(e.context) }},
	{name: "kv-cache-too-large", classes: []string{"kv_memory"}, exits: []int{failed},
		fits: func(e engine) bool { return e.memory != nil }, server: func(e engine) engine { return e.memory(e) }},
	{name: "port-held", classes: []string{"refused"}, says: "held by pid", exits: []int{refused}, fits: always,
		before: func(s *sweep) error { return s.holdPort() }},
	{name: "port-stolen-while-loading", when: starting, classes: []string{"port_busy", "start_failed"}, exits: []int{failed},
		fits: func(e engine) bool { return e.steals }, strike: func(s *sweep) error { return s.holdPort() }},

	{name: "TERM-leader-starting", when: starting, server: slow, classes: []string{"start_failed", ""}, exits: []int{failed, 0}, fits: always,
		strike: func(s *sweep) error { return s.signal("leader", syscall.SIGTERM) }},
	{name: "KILL-leader-starting", when: starting, server: slow, classes: []string{"start_failed"}, says: "signal 9", exits: []int{failed}, fits: always,
		strike: func(s *sweep) error { return s.signal("leader", syscall.SIGKILL) }},
	{name: "TERM-tool-starting", when: starting, server: slow, classes: []string{"interrupted"}, exits: []int{terminated}, fits: always,
		strike: func(s *sweep) error { return s.signal("tool", syscall.SIGTERM) }},

	{name: "KILL-leader-idle", when: idle, classes: []string{"server_died"}, says: "signal 9", exits: []int{failed}, fits: always,
		strike: func(s *sweep) error { return s.signal("leader", syscall.SIGKILL) }},
	{name: "KILL-core-idle", when: idle, classes: []string{"server_died"}, exits: []int{failed}, fits: hasCore,
		strike: func(s *sweep) error { return s.signal("core", syscall.SIGKILL) }},
	{name: "KILL-worker-idle", when: idle, classes: []string{"server_died"}, exits: []int{failed}, fits: hasWorker,
		strike: func(s *sweep) error { return s.signal("worker", syscall.SIGKILL) }},

	{name: "KILL-leader-busy", when: busy, classes: []string{"server_died"}, says: "signal 9", exits: []int{failed}, fits: always,
		strike: func(s *sweep) error { return s.signal("leader", syscall.SIGKILL) }},
	{name: "KILL-core-busy", when: busy, classes: []string{"server_died"}, exits: []int{failed}, fits: hasCore,
		strike: func(s *sweep) error { return s.signal("core", syscall.SIGKILL) }},
	{name: "KILL-worker-busy", when: busy, classes: []string{"server_died"}, exits: []int{failed}, fits: hasWorker,
		strike: func(s *sweep) error { return s.signal("worker", syscall.SIGKILL) }},
	// Somebody else stops the server. SGLang serves on until nobody asks any more.
	{name: "TERM-leader-busy", when: busy, classes: []string{"server_died", "client_failed", "invalid", ""}, exits: []int{failed, 0}, fits: always,
		strike: func(s *sweep) error { return s.signal("leader", syscall.SIGTERM) }},
	{name: "INT-tool-busy", when: busy, classes: []string{"interrupted"}, exits: []int{interrupted}, fits: always,
		strike: func(s *sweep) error { return s.signal("tool", syscall.SIGINT) }},
	{name: "KILL-tool-busy", when: busy, classes: []string{"none"}, exits: []int{-1}, fits: always,
		strike: func(s *sweep) error { return s.signal("tool", syscall.SIGKILL) }},
}

// signal sends to the process that plays a part in the sweep.
func (s *sweep) signal(part string, sig syscall.Signal) error {
	var target proc
	switch part {
	case "tool":
		return s.tool.Process.Signal(sig)
	case "leader":
		target = s.seen.find(func(p proc) bool { return p.pid == s.leader })
	case "core":
		target = s.seen.find(func(p proc) bool { return p.alive() && strings.HasPrefix(p.name(), s.engine.core) })
	case "worker":
		target = s.seen.find(func(p proc) bool { return p.alive() && strings.HasPrefix(p.name(), s.engine.worker) })
	}
	if target.pid == 0 {
		return fmt.Errorf("the engine has no %s among its processes: %s", part, s.seen.names())
	}
	s.victim = target
	return syscall.Kill(target.pid, sig)
}

// holdPort takes the server's port, as a stranger would.
func (s *sweep) holdPort() error {
	l, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", s.port)) // with SO_REUSEADDR, as servers do
	if err != nil {
		return err
	}
	s.stranger = l
	return nil
}

// judge compares what came of the fault with what had to.
func (f fault) judge(o *outcome, exit int) {
	if !slices.Contains(f.classes, o.class) {
		o.wrong = append(o.wrong, fmt.Sprintf("class %q, expected one of %q", o.class, f.classes))
	}
	if !strings.Contains(o.message, f.says) {
		o.wrong = append(o.wrong, fmt.Sprintf("the message does not say %q", f.says))
	}
	if !slices.Contains(f.exits, exit) {
		o.wrong = append(o.wrong, fmt.Sprintf("exit code %d, expected one of %v", exit, f.exits))
	}
	if len(o.left) > 0 {
		o.wrong = append(o.wrong, "something is left")
	}
}
