package process

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// rows are the ways in which a process of a server gets out of sight, each with
// the signs by which it is still found when orchestrator and guard were killed.
// A cgroup finds all of them, where one can be made.
var rows = []struct{ name, command, signs string }{
	{"plain", "spawn plain here,block", "session marker log"},
	{"ignores SIGTERM", "spawn plain ignore TERM,here,block", "session marker log"},
	{"setsid", "spawn setsid ignore TERM,here,block", "marker log"},
	{"double fork", "spawn setsid+double ignore TERM,here,block", "marker log"},
	{"double fork, /dev/null", "spawn setsid+double+null ignore TERM,here,block", "marker"},
	{"double fork, setproctitle", "spawn setsid+double ignore TERM,title VLLM::Worker,here,block", "marker log"},
	{"double fork, setproctitle, /dev/null", "spawn setsid+double+null ignore TERM,title VLLM::Worker,here,block", "marker"},
	{"double fork, setproctitle that erases the environment", "spawn setsid+double ignore TERM,erase VLLM::Worker,here,block", "log"},
	{"double fork, clean environment", "spawn setsid+double+clean ignore TERM,here,block", "log"},
	{"double fork, clean environment, /dev/null", "spawn setsid+double+clean+null ignore TERM,here,block", ""},
	{"stopped", "spawn setsid+double here,die STOP,block", "marker log"},
	{"zombie main thread", "spawn setsid+double end-main-thread", "marker log"},
	{"dead and not waited for", "spawn plain here,exit 0", "none"},
}

// endings are what can happen to a tree that an orchestrator in a process of its
// own runs.
var endings = []struct {
	name string
	do   func(w *world, t *tree)
}{
	{"leader SIGKILL", func(w *world, t *tree) { w.must(send(t.leader, unix.SIGKILL)) }},
	{"guard SIGKILL", func(w *world, t *tree) { w.must(send(t.guard, unix.SIGKILL)) }},
	{"guard SIGTERM", func(w *world, t *tree) { w.must(send(t.guard, unix.SIGTERM)) }},
	{"orchestrator SIGKILL", func(w *world, t *tree) { w.must(t.orchestrator.Process.Kill()) }},
	{"orchestrator and guard SIGKILL", (*world).killBoth},
}

// tree is what a parent (see parentMain) started.
type tree struct {
	orchestrator        *exec.Cmd
	guard, leader, idle Identity
	spec                Spec
	signs               string
}

// TestEveryRow plays every row against every ending, as the user who runs the
// tests and, where that is root, as one who may do nothing: no cgroup can be
// made then, and there is no program in PATH, pgrep least of all.
func TestEveryRow(t *testing.T) {
	for _, nobody := range []bool{false, true} {
		for _, row := range rows {
			for _, ending := range endings {
				name := fmt.Sprintf("%s/%s/unprivileged=%v", row.name, ending.name, nobody)
				t.Run(name, func(t *testing.T) {
					if nobody && testing.Short() {
						t.Skip("the other half shows it")
					}
					if nobody && os.Getuid() != 0 {
						t.Skip("these tests are not run by root, so the other half is unprivileged already")
					}
					w := newWorld(t)
					tr := w.tree(row.command, row.signs, nobody)
					ending.do(w, tr)
					w.await("the end of the tree", func() bool { return len(w.lives()) == 0 })
					_ = tr.orchestrator.Process.Kill()
					_ = tr.orchestrator.Wait()
					w.await("the guards' end", func() bool { return !tr.guard.Alive() && !tr.idle.Alive() })
					w.await("nothing", func() bool { w.reapOrphans(); return len(w.left()) == 0 })
				})
			}
		}
	}
}

// tree starts a leader with one such child below a parent.
func (w *world) tree(child, signs string, nobody bool) *tree {
	w.Helper()
	tr := &tree{spec: w.spec(child, "here", "block"), signs: signs}
	tr.spec.Argv[0] = "/proc/self/exe" // the guard's, which is ours; its path may be closed to others
	tr.spec.Env = append(tr.spec.Env, "SPT_NOENV=1", "PATH=/nowhere")
	tr.spec.Status, tr.spec.Lock = w.path("status.json"), w.path("lock")
	tr.spec.Stop = StopPolicy{Grace: 50 * time.Millisecond, Linger: 50 * time.Millisecond}
	tr.orchestrator, tr.guard, tr.leader, tr.idle = w.parent(tr.spec, func(cmd *exec.Cmd) {
		cmd.Env = append(os.Environ(), "PATH=/nowhere")
		if nobody {
			w.openTo(65534)
			cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
		}
	})
	w.here(2)
	if signs == "none" {
		w.await("the child's end", func() bool { return len(w.lives()) == 1 })
	}
	return tr
}

// openTo gives the world's folder to another user.
func (w *world) openTo(uid int) {
	w.Helper()
	for dir := w.dir; dir != filepath.Clean(os.TempDir()) && dir != "/"; dir = filepath.Dir(dir) {
		w.must(os.Chmod(dir, 0o755))
	}
	w.must(os.Chown(w.dir, uid, uid))
	w.must(os.Chown(filepath.Dir(w.dir), uid, uid))
}

// killBoth leaves the tree to itself, checks by which signs each member is
// found, and ends it as the next run does.
func (w *world) killBoth(tr *tree) {
	w.must(tr.orchestrator.Process.Signal(unix.SIGSTOP)) // or it would clean up
	w.must(send(tr.guard, unix.SIGKILL))
	w.await("the guard's end", func() bool { return !tr.guard.Alive() })
	w.must(tr.orchestrator.Process.Kill())
	_ = tr.orchestrator.Wait()
	status, err := ReadStatus(tr.spec.Status)
	w.must(err)
	var child int
	for pid := range w.announced() {
		if pid != tr.leader.PID {
			child = pid
		}
	}
	log := w.path("server.log")
	found := map[string]bool{}
	for sign, look := range map[string]func() ([]Survivor, error){
		"session": func() ([]Survivor, error) { return FindSession(tr.leader.PID, tr.leader) },
		"marker":  func() ([]Survivor, error) { return FindLeftovers(w.marker) },
		"log":     func() ([]Survivor, error) { return FindWriters(log) },
		"cgroup":  func() ([]Survivor, error) { return FindCgroup(status.Cgroup) },
	} {
		members, err := look()
		w.must(err)
		found[sign] = slices.ContainsFunc(members, func(s Survivor) bool { return s.PID == child })
	}
	for _, sign := range []string{"session", "marker", "log"} {
		if want := strings.Contains(tr.signs, sign); found[sign] != want {
			w.Errorf("found by %s: %v, want %v", sign, found[sign], want)
		}
	}
	if want := status.Cgroup != "" && tr.signs != "none"; found["cgroup"] != want {
		w.Errorf("found by cgroup: %v, want %v", found["cgroup"], want)
	}
	all, err := FindAbandoned(tr.spec.Status, log)
	w.must(err)
	marked, err := FindLeftovers(w.marker)
	w.must(err)
	if left := EndLeftovers(context.Background(), append(all, marked...), 0); len(left) > 0 {
		w.Errorf("left %v", left)
	}
	if tr.signs == "" && status.Cgroup == "" { // docs/limits.md: this one cannot be found
		id, err := Identify(child)
		w.must(err)
		w.must(send(id, unix.SIGKILL))
	}
}

func (w *world) must(err error) {
	w.Helper()
	if err != nil {
		w.Fatal(err)
	}
}

// lives gives the fakes that live: announced, and not even a zombie's main thread.
func (w *world) lives() (alive []int) {
	for pid, start := range w.announced() {
		if p, err := readProc(pid); err == nil && p.alive() && fmt.Sprint(p.start) == start {
			alive = append(alive, pid)
		}
	}
	return alive
}

// reapOrphans takes the zombies of this world that came to this process.
func (w *world) reapOrphans() {
	pids := w.announced()
	raw, _ := os.ReadFile(fmt.Sprintf("/proc/self/task/%d/children", os.Getpid()))
	for _, word := range bytes.Fields(raw) {
		if pid, ok := atoi(word); ok && pids[pid] != "" {
			_, _ = unix.Wait4(pid, nil, unix.WNOHANG, nil)
		}
	}
}
