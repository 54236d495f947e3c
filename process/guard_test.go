package process

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// TestGuardHangs: a guard that somebody stopped is replaced by this process.
func TestGuardHangs(t *testing.T) {
	defer func(k, a time.Duration) { killBound, answerBound = k, a }(killBound, answerBound)
	killBound, answerBound = time.Second, 50*time.Millisecond
	w := newWorld(t)
	p := w.start(w.spec(escapes...))
	w.here(escaped)
	if err := send(p.Guard(), unix.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	p.Stop(StopPolicy{Linger: -1})
	if r := w.end(p); !slices.Contains(actions(r), ActionGuardHung) || !r.Killed {
		t.Errorf("steps %v", actions(r))
	}
}

// TestOrphanedGuardHangs: the last resort of the next run, when a guard was
// stopped and its parent is gone.
func TestOrphanedGuardHangs(t *testing.T) {
	w := newWorld(t)
	spec := w.spec(escapes...)
	spec.Status = w.path("status.json")
	orchestrator, guard, _, idle := w.parent(spec)
	w.here(escaped)
	if err := send(guard, unix.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	_ = orchestrator.Process.Kill()
	_ = orchestrator.Wait()
	abandoned, err := FindAbandoned(spec.Status)
	if err != nil || len(abandoned) == 0 || abandoned[0].Identity != guard {
		t.Errorf("abandoned: %v, %v", abandoned, err)
	}
	if left := EndLeftovers(context.Background(), abandoned, 20*time.Second); len(left) > 0 {
		t.Errorf("left %v", left)
	}
	w.empty()
	w.await("the idle guard's end", func() bool { return !idle.Alive() })
	reapAdopted(t, idle.PID)
}

// TestSurvivors: a process that not even SIGKILL ends is named, and the guard
// goes all the same. Only the old freezer makes one on purpose.
func TestSurvivors(t *testing.T) {
	freezer := fmt.Sprintf("/sys/fs/cgroup/freezer/servematrix-test-%d", os.Getpid())
	if err := os.Mkdir(freezer, 0o700); err != nil {
		t.Skipf("no cgroup v1 freezer to write to: %v", err)
	}
	defer os.Remove(freezer)
	set := func(file, value string) {
		t.Helper()
		if err := os.WriteFile(freezer+"/"+file, []byte(value), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	defer func(k time.Duration) { killBound = k }(killBound)
	killBound = 100 * time.Millisecond
	w := newWorld(t)
	p := w.start(w.spec("here", "block"))
	w.here(1)
	set("cgroup.procs", fmt.Sprint(p.Identity().PID))
	set("freezer.state", "FROZEN")
	p.Stop(StopPolicy{Grace: -1})
	w.wait("Done", p.Done())
	r := p.Result()
	if want := []string{ActionKill, ActionSurvivors}; !slices.Equal(actions(r), want) {
		t.Errorf("steps %v", actions(r))
	}
	if len(r.Survivors) != 1 || r.Survivors[0].Identity != p.Identity() || !r.Killed {
		t.Errorf("%+v", r)
	}
	if p.Alive() || p.Exit().String() != "exit unknown" {
		t.Errorf("alive %v, exit %v", p.Alive(), p.Exit())
	}
	set("freezer.state", "THAWED")
	reapAdopted(t, p.Identity().PID)
	w.empty()
	if got, err := FindCgroup(p.Cgroup()); err != nil || got != nil { // removes it
		t.Errorf("cgroup: %v, %v", got, err)
	}
}

// TestGuardMainForgotten: without GuardMain a guard would be one more
// orchestrator, which starts a guard, which …
func TestGuardMainForgotten(t *testing.T) {
	t.Setenv(guardEnv, "1")
	if g, err := Prepare(context.Background()); err == nil {
		g.Discard()
		t.Error("a guard started a guard")
	}
}

// TestPrepareGivesUp: nothing is left of a guard that nobody waited for.
func TestPrepareGivesUp(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for range 20 {
		if g, err := Prepare(ctx); err == nil { // it was ready at once
			g.Discard()
		} else if !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	}
	if len(guards.live) != 0 {
		t.Errorf("guards left: %v", guards.live)
	}
}

// TestGuardTold: SIGTERM to a guard ends its tree; the other signals of a
// terminal or a dying worker do not.
func TestGuardTold(t *testing.T) {
	w := newWorld(t)
	spec := w.spec("on TERM exit 6", "here", "block")
	spec.Stop.Grace = 10 * time.Second
	p := w.start(spec)
	w.here(1)
	for _, sig := range []unix.Signal{unix.SIGHUP, unix.SIGINT, unix.SIGQUIT, unix.SIGPIPE, unix.SIGUSR1} {
		if err := send(p.Guard(), sig); err != nil {
			t.Fatal(err)
		}
	}
	if err := send(p.Guard(), unix.SIGTERM); err != nil {
		t.Fatal(err)
	}
	r := w.end(p)
	if want := []string{ActionGuardTerm, ActionSignal, ActionLeaderExit, ActionGone}; !slices.Equal(actions(r), want) || r.Exit.Code != 6 {
		t.Errorf("steps %v, exit %v", actions(r), r.Exit)
	}
}

func ExampleExit_String() {
	fmt.Println(Exit{Code: 1})
	fmt.Println(Exit{Code: -1, Signal: unix.SIGKILL})
	// Output:
	// exit 1
	// signal 9 (SIGKILL)
}

// TestGuardWithoutDescriptors: a guard that cannot look who is left ends the
// leader's group all the same, and does not say that nothing is left.
func TestGuardWithoutDescriptors(t *testing.T) {
	defer func(k time.Duration) { killBound = k }(killBound)
	killBound = 100 * time.Millisecond
	w := newWorld(t)
	p := w.start(w.spec("spawn setsid here,block", "spawn plain here,block", "on TERM print told", "here", "block"))
	w.here(3)
	if err := unix.Prlimit(p.Guard().PID, unix.RLIMIT_NOFILE, &unix.Rlimit{Cur: 0, Max: 1 << 10}, nil); err != nil {
		t.Fatal(err)
	}
	p.Stop(StopPolicy{Grace: time.Hour})
	w.await("the leader to be told", func() bool { return strings.Contains(w.log(), "told") })
	p.Stop(StopPolicy{Grace: -1})
	w.wait("Done", p.Done())
	r := p.Result()
	if got := actions(r); got[len(got)-1] != ActionUnknown || slices.Contains(got, ActionGone) || r.Unknown == "" || len(r.Survivors) > 0 {
		t.Errorf("steps %v, unknown %q, survivors %v", got, r.Unknown, r.Survivors)
	}
	if r.Exit.Signal != unix.SIGKILL {
		t.Errorf("the leader ended with %v", r.Exit)
	}
	left, err := p.Escaped(w.path("server.log"))
	if err != nil || len(left) != 1 {
		t.Fatalf("left: %v, %v", left, err)
	}
	if left := EndLeftovers(context.Background(), left, 0); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
	w.empty()
	if got, err := FindCgroup(p.Cgroup()); err != nil || got != nil { // removes it
		t.Errorf("cgroup: %v, %v", got, err)
	}
}
