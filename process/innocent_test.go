package process

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"slices"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// TestInnocentSurvive plants processes that look like what is ended in every way
// but one, and takes every way in which something is ended past them.
func TestInnocentSurvive(t *testing.T) {
	w := newWorld(t)
	port := itoa(freePort(t))
	crowd := map[string]Identity{
		"the same command line and name": w.stranger(func(cmd *exec.Cmd) {
			cmd.Args = w.spec("listen "+port, "here", "block").Argv[:2]
			cmd.Args = append(cmd.Args, "another marker", t.TempDir(), "sleep 1h")
		}),
		"the marker of a run that lives": w.stranger(func(cmd *exec.Cmd) {
			cmd.Env = append(os.Environ(), RunMarkerEnv+"="+newWorld(t).marker)
		}),
		"a reader of the log": w.stranger(func(cmd *exec.Cmd) {
			w.must(os.WriteFile(w.path("server.log"), nil, 0o600))
			log, err := os.Open(w.path("server.log"))
			w.must(err)
			t.Cleanup(func() { log.Close() })
			cmd.Stdout, cmd.Stderr = log, log
		}),
		"the same port": w.stranger(func(cmd *exec.Cmd) {
			cmd.Args = append(w.spec().Argv[:2], "another marker", t.TempDir(), "listen "+port+" 127.0.0.2", "sleep 1h")
		}),
		"the name of a guard": w.stranger(func(cmd *exec.Cmd) { cmd.Args[0] = guardName }),
	}
	alive := func(when string) {
		t.Helper()
		for who, id := range crowd {
			if !id.Alive() {
				t.Errorf("%s: the process with %s was ended", when, who)
			}
		}
	}
	spec := w.spec("spawn setsid+double ignore TERM,here,block", "listen "+port, "here", "block")
	spec.Stdout, spec.Stderr = w.path("out.log"), w.path("out.log")
	spec.Status = w.path("status.json")

	p := w.start(spec)
	w.here(2)
	p.Stop(StopPolicy{Grace: 50 * time.Millisecond, Linger: -1})
	w.end(p)
	alive("after a stop")

	spec.Stdout, spec.Stderr = w.path("out2.log"), w.path("out2.log")
	p = w.start(spec)
	w.here(4)
	killGuard(t, p)
	w.end(p)
	alive("after a guard's death")

	spec.Stdout, spec.Stderr = w.path("out3.log"), w.path("out3.log")
	tr := &tree{spec: spec}
	tr.orchestrator, tr.guard, tr.leader, tr.idle = w.parent(spec)
	w.here(6)
	w.must(tr.orchestrator.Process.Signal(unix.SIGSTOP))
	w.must(send(tr.guard, unix.SIGKILL))
	w.await("the guard's end", func() bool { return !tr.guard.Alive() })
	w.must(tr.orchestrator.Process.Kill())
	_ = tr.orchestrator.Wait()
	found, err := FindAbandoned(spec.Status, w.path("out3.log"), w.path("server.log"))
	w.must(err)
	marked, err := FindLeftovers(w.marker)
	w.must(err)
	for _, s := range slices.Concat(found, marked) {
		for who, id := range crowd {
			if s.Identity == id {
				t.Errorf("the process with %s was found", who)
			}
		}
	}
	if left := EndLeftovers(context.Background(), slices.Concat(found, marked), 0); len(left) > 0 {
		t.Errorf("left %v", left)
	}
	alive("after the leftovers' end")
	w.await("nothing", func() bool { w.reapOrphans(); return len(w.left()) == 0 })
}

// TestOlderThanItsLeader: a member of a session that began before the leader
// shows that the session's id is somebody else's, or was.
func TestOlderThanItsLeader(t *testing.T) {
	w := newWorld(t)
	p := w.start(w.spec("spawn plain here,block", "await "+w.path("go"), "exit 0"))
	w.here(1)
	older := p.Identity()
	child, err := Identify(slices.Collect(maps.Keys(w.announced()))[0])
	w.must(err)
	younger := older
	younger.StartTicks = child.StartTicks + 1 // as if the leader had been started after the child
	for _, leader := range []Identity{younger, {PID: older.PID, StartTicks: older.StartTicks - 1, BootID: older.BootID}} {
		if found, err := FindSession(older.PID, leader); err != nil || len(found) != 0 {
			t.Errorf("leader %+v: found %v, %v", leader, found, err)
		}
	}
	if found, err := FindSession(older.PID, older); err != nil || len(found) != 2 {
		t.Errorf("the leader itself: found %v, %v", found, err)
	}
}

// TestSignalNeedsTheIdentity: a pid alone reaches nobody, whoever has it now.
func TestSignalNeedsTheIdentity(t *testing.T) {
	w := newWorld(t)
	id := w.stranger(nil)
	for _, other := range []Identity{
		{PID: id.PID, StartTicks: id.StartTicks + 1, BootID: id.BootID},
		{PID: id.PID, StartTicks: id.StartTicks - 1, BootID: id.BootID},
		{PID: id.PID, StartTicks: id.StartTicks, BootID: "another boot"},
		{PID: id.PID, StartTicks: id.StartTicks},
	} {
		if err := send(other, syscall.SIGKILL); !errors.Is(err, unix.ESRCH) {
			t.Errorf("%+v: %v", other, err)
		}
		if left := EndLeftovers(context.Background(), []Survivor{{Identity: other}}, 0); len(left) > 0 {
			t.Errorf("%+v: left %v", other, left)
		}
	}
	for _, pid := range []int{-1, 0, 1, -id.PID} {
		if err := send(Identity{PID: pid, BootID: bootID()}, syscall.SIGKILL); !errors.Is(err, unix.EPERM) {
			t.Errorf("pid %d: %v", pid, err)
		}
	}
	if !id.Alive() {
		t.Error("a process was ended whose identity was not given")
	}
	w.must(send(id, syscall.SIGKILL))
}

// TestStormWithoutItsGuard: a fork bomb is beaten also by those who clean up
// after a guard, and by a guard that is alone.
func TestStormWithoutItsGuard(t *testing.T) {
	start := func(t *testing.T) (*world, *tree) {
		w := newWorld(t)
		tr := &tree{spec: w.spec()}
		tr.spec.Argv = []string{"sh", "-c", storm, w.marker}
		tr.spec.Status = w.path("status.json")
		tr.orchestrator, tr.guard, tr.leader, tr.idle = w.parent(tr.spec)
		w.await("20 children", func() bool {
			table, err := scan()
			return err == nil && len(table.below(tr.guard.PID)) > 20
		})
		return w, tr
	}
	for _, ending := range endings[1:] {
		t.Run(ending.name, func(t *testing.T) {
			w, tr := start(t)
			if ending.name == "orchestrator and guard SIGKILL" {
				w.must(tr.orchestrator.Process.Signal(unix.SIGSTOP))
				w.must(send(tr.guard, unix.SIGKILL))
				w.await("the guard's end", func() bool { return !tr.guard.Alive() })
				w.must(tr.orchestrator.Process.Kill())
				_ = tr.orchestrator.Wait()
				for range 5 { // what is forked while one looks is found by the next look
					found, err := FindLeftovers(w.marker)
					w.must(err)
					if len(found) == 0 {
						break
					}
					EndLeftovers(context.Background(), found, 0)
				}
			} else {
				ending.do(w, tr)
			}
			w.await("the end of the tree", func() bool {
				left := w.left()
				return len(left) == 0 || len(left) == 1 && slices.Contains(left, w.line(tr.orchestrator.Process.Pid))
			})
			_ = tr.orchestrator.Process.Kill()
			_ = tr.orchestrator.Wait()
			w.await("the guards' end", func() bool { return !tr.guard.Alive() && !tr.idle.Alive() })
		})
	}
}

// line is how left shows a process.
func (w *world) line(pid int) string {
	p, _ := readProc(pid)
	args, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
	return fmt.Sprintf("%d %s %s", pid, string(p.state), args)
}

// stranger starts a fake that is none of servematrix's.
func (w *world) stranger(change func(*exec.Cmd)) Identity {
	w.Helper()
	exe, err := os.Executable()
	w.must(err)
	cmd := &exec.Cmd{Path: exe, Args: []string{exe, "fake", "another marker", w.TempDir(), "sleep 1h"}, SysProcAttr: &syscall.SysProcAttr{Setsid: true}}
	if change != nil {
		change(cmd)
	}
	w.must(cmd.Start())
	w.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	id, err := Identify(cmd.Process.Pid)
	w.must(err)
	return id
}
