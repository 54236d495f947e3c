package process

import (
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestNothingLeft plays every way in which a server's processes have been seen
// to escape a stop. After each, nothing lives.
func TestNothingLeft(t *testing.T) {
	const child = "ignore TERM,here,block" // a worker that only SIGKILL ends
	tests := []struct {
		name     string
		commands []string
		here     int // fakes that announce themselves
		stop     StopPolicy
		exit     string
		killed   bool
	}{
		{name: "plain", commands: []string{"here", "block"}, here: 1, exit: "signal 15 (SIGTERM)"},
		{name: "exits orderly", commands: []string{"on TERM exit 0", "here", "block"}, here: 1, exit: "exit 0"},
		{name: "exits with 137", commands: []string{"on TERM exit 137", "here", "block"}, here: 1, exit: "exit 137"},
		{name: "ends itself with SIGKILL", commands: []string{"on TERM die KILL", "here", "block"}, here: 1, exit: "signal 9 (SIGKILL)"},
		{name: "SIGINT", commands: []string{"on INT exit 4", "here", "block"}, here: 1, stop: StopPolicy{Signal: syscall.SIGINT}, exit: "exit 4"},
		{name: "ignores SIGTERM", commands: []string{"ignore TERM", "here", "block"}, here: 1, exit: "signal 9 (SIGKILL)", killed: true},
		{name: "children in the group", commands: []string{"spawn plain here,block", "spawn plain here,block", "here", "block"}, here: 3, exit: "signal 15 (SIGTERM)"},
		{name: "setsid", commands: []string{"spawn setsid " + child, "here", "block"}, here: 2, exit: "signal 15 (SIGTERM)", killed: true},
		{name: "double fork", commands: []string{"spawn double " + child, "here", "block"}, here: 2, exit: "signal 15 (SIGTERM)", killed: true},
		{name: "double fork, setsid, /dev/null", commands: []string{"spawn setsid+double+null " + child, "here", "block"}, here: 2, exit: "signal 15 (SIGTERM)", killed: true},
		{name: "double fork, setsid, /dev/null, clean environment", commands: []string{"spawn setsid+double+null+clean " + child, "here", "block"}, here: 2, exit: "signal 15 (SIGTERM)", killed: true},
		{name: "double fork, setproctitle", commands: []string{"spawn setsid+double+null ignore TERM,title VLLM::Worker,here,block", "here", "block"}, here: 2, exit: "signal 15 (SIGTERM)", killed: true},
		{name: "leader with a title", commands: []string{"title VLLM::EngineCore", "here", "block"}, here: 1, exit: "signal 15 (SIGTERM)"},
		{name: "stopped child", commands: []string{"spawn setsid here,die STOP,block", "here", "block"}, here: 2, exit: "signal 15 (SIGTERM)", killed: true},
		{name: "stopped leader", commands: []string{"here", "die STOP", "block"}, here: 1, exit: "signal 15 (SIGTERM)"},
		{name: "zombie children", commands: []string{"spawn plain here,exit 0", "spawn double here,exit 1", "here", "block"}, here: 3, exit: "signal 15 (SIGTERM)"},
		{name: "keeps the log open", commands: []string{"spawn setsid+double " + child, "here", "on TERM exit 0", "block"}, here: 2, exit: "exit 0", killed: true},
		{name: "deep", commands: []string{"spawn setsid spawn setsid " + strings.ReplaceAll(child, ",", ";") + ",here,block", "here", "block"}, here: 3, exit: "signal 15 (SIGTERM)", killed: true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t)
			p := w.start(w.spec(tt.commands...))
			w.here(tt.here)
			tt.stop.Grace, tt.stop.Linger = 300*time.Millisecond, 50*time.Millisecond
			p.Stop(tt.stop)
			r := w.end(p)
			if r.Exit.String() != tt.exit || r.Killed != tt.killed {
				t.Errorf("exit %v, killed %v; want %s, %v; steps %+v", r.Exit, r.Killed, tt.exit, tt.killed, r.Steps)
			}
			if got := actions(r); got[0] != ActionSignal || got[len(got)-1] != ActionGone {
				t.Errorf("steps %v", got)
			}
		})
	}
}

// TestLeaderEndsByItself: children get the linger time, then nothing is left,
// and nobody had to ask.
func TestLeaderEndsByItself(t *testing.T) {
	tests := []struct {
		name     string
		commands []string
		exit     string
		steps    []string
	}{
		{"alone", []string{"exit 7"}, "exit 7", []string{ActionLeaderExit, ActionGone}},
		{"by signal", []string{"die KILL"}, "signal 9 (SIGKILL)", []string{ActionLeaderExit, ActionGone}},
		{"dies before its children", []string{"spawn plain ignore TERM,here,block", "await 1", "die KILL"}, "signal 9 (SIGKILL)", []string{ActionLeaderExit, ActionKill, ActionGone}},
		{"forks and exits", []string{"spawn plain here,block", "await 1", "exit 0"}, "exit 0", []string{ActionLeaderExit, ActionGroup, ActionGone}},
		{"forks into a session and exits", []string{"spawn setsid+double here,block", "await 1", "exit 0"}, "exit 0", []string{ActionLeaderExit, ActionKill, ActionGone}},
		{"children follow", []string{"spawn plain here,sleep 50ms,exit 0", "await 1", "exit 0"}, "exit 0", []string{ActionLeaderExit, ActionGone}},
		{"children ignore SIGTERM", []string{"spawn plain ignore TERM,here,block", "await 1", "exit 0"}, "exit 0", []string{ActionLeaderExit, ActionGroup, ActionKill, ActionGone}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t)
			go_ := w.path("go")
			for i, c := range tt.commands {
				if c == "await 1" {
					tt.commands[i] = "await " + go_
				}
			}
			spec := w.spec(tt.commands...)
			spec.Stop.Linger = time.Second
			p := w.start(spec)
			if strings.Contains(tt.commands[0], "here") {
				w.here(1)
			}
			if err := os.WriteFile(go_, nil, 0o600); err != nil {
				t.Fatal(err)
			}
			w.wait("Exited", p.Exited())
			if p.Exit().String() != tt.exit || p.Alive() {
				t.Errorf("exit %v, alive %v", p.Exit(), p.Alive())
			}
			if r := w.end(p); !slices.Equal(actions(r), tt.steps) {
				t.Errorf("steps %v, want %v", actions(r), tt.steps)
			}
		})
	}
}

// storm is a shell that forks into sessions of their own for as long as it
// lives; relay is one that lives only to start its successor. Both end by
// themselves after a while, should the kill fail.
const (
	storm = `trap '' TERM; i=0; while [ $i -lt 2000 ]; do i=$((i+1)); setsid sleep 300 & done; wait`
	relay = `trap '' TERM; [ "$1" -gt 0 ] || exit 0; setsid sh -c "$2" "$0" "$(($1-1))" "$2" & exit 0`
)

func TestForksDuringTheKill(t *testing.T) {
	t.Run("storm", func(t *testing.T) {
		w := newWorld(t)
		spec := w.spec()
		spec.Argv = []string{"sh", "-c", storm, w.marker}
		p := w.start(spec)
		w.await("20 children", func() bool { return len(p.Tree()) > 20 })
		p.Stop(StopPolicy{Grace: -1})
		w.end(p)
	})
	t.Run("relay", func(t *testing.T) {
		w := newWorld(t)
		spec := w.spec()
		spec.Argv = []string{"sh", "-c", relay, w.marker, "20000", relay}
		spec.Stop.Linger = -1
		p := w.start(spec)
		w.wait("Exited", p.Exited())
		w.end(p)
	})
}

// TestManyCycles starts and stops servers whose children leave the session,
// double-fork and ignore SIGTERM.
func TestManyCycles(t *testing.T) {
	n := 200
	if testing.Short() {
		n = 20
	}
	for i := range n {
		w := newWorld(t) // of its own: a process may get the number of one before
		spec := w.spec("spawn setsid ignore TERM,here,block", "spawn setsid+double+null ignore TERM,here,block", "spawn double+clean here,block", "here", "block")
		p := w.start(spec)
		w.here(4)
		p.Stop(StopPolicy{Grace: time.Second, Linger: -1})
		w.wait("Done", p.Done())
		if r := p.Result(); len(r.Survivors) > 0 || r.Exit.Signal != syscall.SIGTERM {
			t.Fatalf("cycle %d: %+v", i, r)
		}
		w.empty()
	}
}
