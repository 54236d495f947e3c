package process

import (
	"context"
	"errors"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// workers starts a leader with three titled children and gives their identities.
func workers(t *testing.T) (*world, *Process, []Identity) {
	w := newWorld(t)
	p := w.start(w.spec("spawn plain title VLLM::EngineCore,here,block", "spawn plain title VLLM::Worker_TP0,here,block",
		"spawn setsid title VLLM::Worker_TP1,here,block", "here", "block"))
	w.here(4)
	var ids []Identity
	for _, m := range p.Members() {
		if strings.HasPrefix(m.Cmdline, "VLLM::") {
			ids = append(ids, m.Identity)
		}
	}
	if len(ids) != 3 {
		t.Fatalf("workers %v of members %v", ids, p.Members())
	}
	return w, p, ids
}

func TestMembersHaveNames(t *testing.T) {
	_, p, _ := workers(t)
	var names []string
	for _, m := range p.Members() {
		if m.Identity == p.Guard() {
			t.Error("the guard is a member")
		}
		if m.Identity != p.Identity() {
			names = append(names, m.Cmdline)
		}
	}
	slices.Sort(names)
	if want := []string{"VLLM::EngineCore", "VLLM::Worker_TP0", "VLLM::Worker_TP1"}; !slices.Equal(names, want) {
		t.Errorf("members %q, want %q", names, want)
	}
}

// TestFirstDeath has a poll that no test outlasts, so only the kernel's word can wake it.
func TestFirstDeath(t *testing.T) {
	defer func(d time.Duration) { deathPoll = d }(deathPoll)
	deathPoll = time.Hour
	_, _, ids := workers(t)
	type answer struct {
		id  Identity
		err error
	}
	ctx, cancel := context.WithCancelCause(context.Background())
	said := make(chan answer, 1)
	ask := func() {
		go func() {
			id, err := FirstDeath(ctx, ids)
			said <- answer{id, err}
		}()
	}
	ask()
	select {
	case a := <-said:
		t.Fatalf("all live, and yet %+v", a)
	case <-time.After(30 * time.Millisecond):
	}
	if err := send(ids[1], syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	if a := <-said; a.id != ids[1] || a.err != nil {
		t.Errorf("%+v, want %v", a, ids[1])
	}
	ask() // dead already, and perhaps still a zombie
	if a := <-said; a.id != ids[1] || a.err != nil {
		t.Errorf("%+v, want %v", a, ids[1])
	}
	ids = slices.Delete(ids, 1, 2)
	ask()
	enough := errors.New("enough")
	cancel(enough)
	if a := <-said; !errors.Is(a.err, enough) {
		t.Errorf("%+v, want the context's cause", a)
	}
}

func TestFirstDeathWithoutPidfds(t *testing.T) {
	defer func(d time.Duration) { deathPoll = d }(deathPoll)
	deathPoll = time.Millisecond
	_, _, ids := workers(t)
	said := make(chan Identity, 1)
	go func() {
		id, err := firstDeath(context.Background(), ids, nil)
		if err != nil {
			t.Error(err)
		}
		said <- id
	}()
	if err := send(ids[2], syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	if id := <-said; id != ids[2] {
		t.Errorf("%v, want %v", id, ids[2])
	}
}

// TestFirstDeathOfAReusedPid: a pid whose process is not the one that was meant counts as dead.
func TestFirstDeathOfAReusedPid(t *testing.T) {
	_, _, ids := workers(t)
	ids[0].StartTicks--
	if id, err := FirstDeath(context.Background(), ids); id != ids[0] || err != nil {
		t.Errorf("%v, %v; want %v", id, err, ids[0])
	}
	if _, err := FirstDeath(context.Background(), nil); err == nil {
		t.Error("nothing to wait for, and no error")
	}
}
