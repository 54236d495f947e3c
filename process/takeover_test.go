package process

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"slices"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// escapes is a tree in which one process got out by each way.
var escapes = []string{
	"spawn plain ignore TERM,here,block",
	"spawn setsid ignore TERM,here,block",
	"spawn double ignore TERM,here,block",
	"spawn setsid+double+null+clean ignore TERM,here,block",
	"spawn setsid+double+null ignore TERM,title VLLM::Worker,here,block",
	"here", "block",
}

const escaped = 6

// TestGuardKilled: the tree comes to this process, which ends it.
func TestGuardKilled(t *testing.T) {
	t.Run("while the server runs", func(t *testing.T) {
		w := newWorld(t)
		p := w.start(w.spec(escapes...))
		other := newWorld(t)
		bystander := other.start(other.spec("here", "block"))
		plain := exec.Command("sleep", "300") // a child of ours that is none of theirs
		if err := plain.Start(); err != nil {
			t.Fatal(err)
		}
		defer plain.Wait()
		defer plain.Process.Kill()
		idle := w.prepare()
		defer idle.Discard()
		w.here(escaped)
		other.here(1)

		killGuard(t, p)
		r := w.end(p)
		if want := []string{ActionGuardLost, ActionKill, ActionGone}; !slices.Equal(actions(r), want) {
			t.Errorf("steps %v, want %v", actions(r), want)
		}
		if r.Exit.Signal != unix.SIGKILL || !r.Killed || r.Steps[1].Alive != escaped {
			t.Errorf("exit %v, killed %v, %d alive", r.Exit, r.Killed, r.Steps[1].Alive)
		}
		if !bystander.Alive() || plain.Process.Signal(unix.Signal(0)) != nil {
			t.Error("a process of another tree was ended")
		}
		q, err := idle.Start(other.spec2("exit 5"))
		if err != nil {
			t.Fatalf("an idle guard was ended: %v", err)
		}
		if other.wait("Done", q.Done()); q.Exit().Code != 5 {
			t.Errorf("exit %v", q.Exit())
		}
	})
	t.Run("after the leader's exit", func(t *testing.T) {
		w := newWorld(t)
		spec := w.spec("spawn setsid+double+clean ignore TERM,here,block", "await "+w.path("go"), "exit 3")
		spec.Stop.Linger = time.Minute
		p := w.start(spec)
		w.here(1)
		if err := os.WriteFile(w.path("go"), nil, 0o600); err != nil {
			t.Fatal(err)
		}
		w.wait("Exited", p.Exited())
		killGuard(t, p)
		if r := w.end(p); r.Exit != (Exit{Code: 3}) || !slices.Contains(actions(r), ActionGuardLost) {
			t.Errorf("exit %v, steps %v", r.Exit, actions(r))
		}
	})
	t.Run("while it waits", func(t *testing.T) {
		w := newWorld(t)
		g := w.prepare()
		if err := g.cmd.Kill(); err != nil {
			t.Fatal(err)
		}
		w.wait("the guard's end", g.gone)
		if p, err := g.Start(w.spec("block")); err == nil {
			t.Fatalf("started %v", p.Identity())
		} else if class(err) != ClassStartFailed {
			t.Errorf("%v", err)
		}
	})
}

// spec2 is a further start in the same world: it needs a log of its own.
func (w *world) spec2(commands ...string) Spec {
	s := w.spec(commands...)
	s.Stdout, s.Stderr = w.path("second.log"), w.path("second.log")
	return s
}

func killGuard(t *testing.T, p *Process) {
	t.Helper()
	if err := send(p.Guard(), unix.SIGKILL); err != nil {
		t.Fatal(err)
	}
}

// parentMain is an orchestrator in a process of its own: it starts a tree,
// tells its identities, and waits.
func parentMain(args []string) {
	var spec Spec
	check(json.Unmarshal([]byte(args[0]), &spec))
	check(BecomeSubreaper())
	g, err := Prepare(context.Background())
	check(err)
	p, err := g.Start(spec)
	check(err)
	idle, err := Prepare(context.Background()) // dies with this process, too
	check(err)
	check(json.NewEncoder(os.Stdout).Encode([]Identity{p.Guard(), p.Identity(), idle.id}))
	select {}
}

// parent starts parentMain and gives the identities of guard and leader.
func (w *world) parent(spec Spec, change ...func(*exec.Cmd)) (orchestrator *exec.Cmd, guard, leader, idle Identity) {
	w.Helper()
	raw, err := json.Marshal(spec)
	if err != nil {
		w.Fatal(err)
	}
	orchestrator = exec.Command("/proc/self/exe", "parent", string(raw))
	orchestrator.Stderr = os.Stderr
	for _, f := range change {
		f(orchestrator)
	}
	out, err := orchestrator.StdoutPipe()
	if err != nil {
		w.Fatal(err)
	}
	if err := orchestrator.Start(); err != nil {
		w.Fatal(err)
	}
	w.Cleanup(func() {
		_ = orchestrator.Process.Kill()
		_ = orchestrator.Wait()
	})
	var ids []Identity
	if err := json.NewDecoder(out).Decode(&ids); err != nil || len(ids) != 3 {
		w.Fatalf("parent said %v, %v", ids, err)
	}
	return orchestrator, ids[0], ids[1], ids[2]
}

// TestParentKilled: the guard cleans up by itself and leaves its account.
func TestParentKilled(t *testing.T) {
	w := newWorld(t)
	spec := w.spec(append([]string{"ignore TERM"}, escapes...)...)
	spec.Status, spec.Lock = w.path("status.json"), w.path("lock")
	spec.Stop = StopPolicy{Grace: 100 * time.Millisecond}
	orchestrator, guard, leader, idle := w.parent(spec)
	w.here(escaped)
	if err := orchestrator.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = orchestrator.Wait()
	w.await("the guards' end", func() bool { return !guard.Alive() && !idle.Alive() })
	w.empty()
	s, err := ReadStatus(spec.Status)
	if err != nil {
		t.Fatal(err)
	}
	if s.Leader != leader || s.Ended == nil || s.Exited == nil || s.Exit.Signal != unix.SIGKILL || len(s.Survivors) > 0 {
		t.Errorf("status %+v", s)
	}
	if got := actions(s.Result); got[0] != ActionLifeline || got[len(got)-1] != ActionGone {
		t.Errorf("steps %v", got)
	}
	reapAdopted(t, guard.PID, idle.PID)
}

// TestBothKilled: what then is left is found by session and by marker, as the
// next run would.
func TestBothKilled(t *testing.T) {
	w := newWorld(t)
	spec := w.spec(
		"spawn plain ignore TERM,title VLLM::EngineCore,here,block",
		"spawn setsid+double+null ignore TERM,here,block",
		"spawn setsid+double+clean ignore TERM,here,block", "here", "block")
	spec.Status = w.path("status.json")
	orchestrator, guard, leader, _ := w.parent(spec)
	w.here(4)
	if got, err := FindLeftovers(w.marker); err != nil || len(got) != 0 {
		t.Errorf("a tree below a living guard is no leftover: %v, %v", got, err)
	}
	if err := orchestrator.Process.Signal(unix.SIGSTOP); err != nil { // or it would clean up
		t.Fatal(err)
	}
	if err := send(guard, unix.SIGKILL); err != nil {
		t.Fatal(err)
	}
	w.await("the guard's end", func() bool { return !guard.Alive() })
	if err := orchestrator.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = orchestrator.Wait()

	byMarker, err := FindLeftovers(w.marker)
	if err != nil || len(byMarker) != 2 { // leader and the second child
		t.Errorf("by marker: %v, %v", byMarker, err)
	}
	bySession, err := FindSession(leader.PID, leader)
	if err != nil || len(bySession) != 2 { // leader and the first child
		t.Errorf("by session: %v, %v", bySession, err)
	}
	byLog, err := FindWriters(w.path("server.log"))
	if err != nil || len(byLog) != 3 { // all but the one with /dev/null
		t.Errorf("by log: %v, %v", byLog, err)
	}
	status, err := ReadStatus(spec.Status)
	if err != nil {
		t.Fatal(err)
	}
	byCgroup, err := FindCgroup(status.Cgroup)
	if err != nil || status.Cgroup != "" && len(byCgroup) != 4 {
		t.Errorf("by cgroup: %v, %v", byCgroup, err)
	}
	abandoned, err := FindAbandoned(spec.Status, w.path("server.log"))
	if want := 4; err != nil || len(abandoned) != want && status.Cgroup != "" {
		t.Errorf("abandoned: %v, %v", abandoned, err)
	}
	elsewhere := leader
	elsewhere.BootID = "another boot"
	if got, err := FindSession(leader.PID, elsewhere); err != nil || got != nil {
		t.Errorf("after a reboot: %v, %v", got, err)
	}
	later := leader
	later.StartTicks--
	if got, err := FindSession(leader.PID, later); err != nil || got != nil {
		t.Errorf("a session with a reused id: %v, %v", got, err)
	}

	stale := byMarker[0]
	stale.StartTicks++ // the pid is somebody else's now
	if left := EndLeftovers(context.Background(), []Survivor{stale}, 0); len(left) != 0 {
		t.Errorf("left %v", left)
	}
	if !byMarker[0].Alive() {
		t.Fatal("ended a process that was not meant")
	}
	all := slices.Concat(byMarker, bySession, byLog, abandoned)
	if left := EndLeftovers(context.Background(), all, 50*time.Millisecond); len(left) != 0 {
		t.Errorf("left %v", left)
	}
	w.empty()
	if got, err := FindCgroup(status.Cgroup); err != nil || got != nil {
		t.Errorf("cgroup: %v, %v", got, err)
	}
	if _, err := os.Stat(status.Cgroup); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("its cgroup is left: %v", err)
	}
}

// TestTornStatus: after a power cut or on a full disk a status file can hold
// anything. Who still writes to the log is found all the same.
func TestTornStatus(t *testing.T) {
	for _, text := range []string{"", `{"leader":{"pid":1`, "\x00\x00\x00"} {
		w := newWorld(t)
		spec := w.spec("here", "block")
		spec.Status = w.path("status.json")
		orchestrator, guard, leader, idle := w.parent(spec)
		w.here(1)
		_ = orchestrator.Process.Signal(unix.SIGSTOP)
		_ = send(guard, unix.SIGKILL)
		w.await("the guard's end", func() bool { return !guard.Alive() })
		_ = orchestrator.Process.Kill()
		_ = orchestrator.Wait()
		if err := os.WriteFile(spec.Status, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		found, err := FindAbandoned(spec.Status, w.path("server.log"))
		if err != nil || len(found) != 1 || found[0].Identity != leader {
			t.Errorf("%q: %v, %v", text, found, err)
		}
		if left := EndLeftovers(context.Background(), found, 0); len(left) > 0 {
			t.Errorf("%q: left %v", text, left)
		}
		w.empty()
		w.await("the idle guard's end", func() bool { return !idle.Alive() })
		reapAdopted(t, idle.PID)
	}
}

// reapAdopted takes the zombies that came to this process as a subreaper.
func reapAdopted(t *testing.T, pids ...int) {
	t.Helper()
	for _, pid := range pids {
		if _, err := unix.Wait4(pid, nil, 0, nil); err != nil {
			t.Errorf("reap %d: %v", pid, err)
		}
	}
}
