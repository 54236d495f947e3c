package process

import (
	"os"
	"slices"
	"strings"
	"testing"
)

func TestParseStat(t *testing.T) {
	const rest = " S 1 4242 4242 34816 4242 4194304 100 0 0 0 1 2 0 0 20 0 3 0 98765 1 2 3\n"
	for comm, want := range map[string]string{
		"sh": "sh", "a b": "a b", "x) S 9 (": "x) S 9 (", "": "", "VLLM::EngineCor": "VLLM::EngineCor",
	} {
		p, ok := parseStat([]byte("4242 (" + comm + ")" + rest))
		if !ok || p != (proc{pid: 4242, ppid: 1, pgrp: 4242, sid: 4242, tty: 34816, threads: 3, state: 'S', start: 98765, cpu: 3, comm: want}) {
			t.Errorf("%q: %+v, %v", comm, p, ok)
		}
	}
	p, err := readProc(os.Getpid())
	if err != nil || p.ppid != os.Getppid() || !p.alive() || p.threads < 2 {
		t.Errorf("myself: %+v, %v", p, err)
	}
	zombie := proc{state: 'Z', threads: 1}
	headless := proc{state: 'Z', threads: 4} // its main thread ended, others work on
	if zombie.alive() || !headless.alive() {
		t.Error("zombie and headless process are not told apart")
	}
}

func FuzzParseStat(f *testing.F) {
	f.Add([]byte("1 (init) S 0 1 1 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 5 0 0\n"))
	f.Add([]byte("1 () \n"))
	f.Add([]byte(")("))
	f.Fuzz(func(t *testing.T, raw []byte) {
		if p, ok := parseStat(raw); ok && !strings.Contains(string(raw), "("+p.comm+")") {
			t.Errorf("%q: %+v", raw, p)
		}
	})
}

func TestTable(t *testing.T) {
	tab := &table{index: map[int]int{}}
	for pid, parent := range []int{0, 0, 1, 1, 2, 4, 9, 6} { // 6 and 7 have a parent that is gone
		if pid > 0 {
			tab.index[pid] = len(tab.procs)
			tab.procs = append(tab.procs, proc{pid: pid, ppid: parent})
		}
	}
	var below []int
	for _, p := range tab.below(2, 6) {
		below = append(below, p.pid)
	}
	slices.Sort(below)
	if !slices.Equal(below, []int{4, 5, 7}) {
		t.Errorf("below %v", below)
	}
	if got := tab.ancestors(5); !slices.Equal(got, []int{4, 2, 1}) {
		t.Errorf("ancestors %v", got)
	}
}

func TestIdentity(t *testing.T) {
	me, err := Identify(os.Getpid())
	if err != nil || !me.Alive() || me.StartTicks == 0 || !strings.Contains(me.BootID, "/pid:[") {
		t.Errorf("%+v, %v", me, err)
	}
	other := me
	other.StartTicks++
	if other.Alive() {
		t.Error("a process with another start time passes for this one")
	}
	if err := send(other, 0); err == nil {
		t.Error("a signal went to a process that was not meant")
	}
	for _, pid := range []int{-1, 0, 1} {
		if err := send(Identity{PID: pid}, 0); err == nil {
			t.Errorf("a signal went to %d", pid)
		}
	}
	if _, err := Identify(1 << 30); !os.IsNotExist(err) && err == nil {
		t.Errorf("%v", err)
	}
}
