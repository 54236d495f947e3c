package orchestrator

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"servematrix/journal"
	"servematrix/process"
)

// shm gives a name in /dev/shm that is this test's alone.
func shm(t *testing.T, word string) string {
	t.Helper()
	path := fmt.Sprintf("/dev/shm/servematrix-test-%d-%d-%s", os.Getpid(), time.Now().UnixNano(), word)
	t.Cleanup(func() { os.Remove(path) })
	return path
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// lastHolds is what the journal says last of what a server held.
func (b *bench) lastHolds() process.Holdings {
	b.t.Helper()
	all := b.events(journal.LaunchHolds)
	if len(all) == 0 {
		b.t.Fatal("there is no launch.holds")
	}
	h, err := journal.Decode[process.Holdings](all[len(all)-1])
	if err != nil {
		b.t.Fatal(err)
	}
	return h
}

func TestWhatAKilledServerLeavesIsTakenAway(t *testing.T) {
	segment, unused, socket := shm(t, "segment"), shm(t, "unused"), filepath.Join(t.TempDir(), "socket")
	b := newBench(t, `
server: {command: "SERVER deaf shm=`+segment+` unused=`+unused+` socket=`+socket+` port=0", ready: READY, stop: {grace: 100ms}}
client: {command: "CLIENT"}
`)
	verdict, err := b.run(context.Background(), Again{}, nil)
	if err != nil || verdict != (journal.Verdict{OK: 1}) { // to need SIGKILL is no failure of a sample
		t.Fatalf("verdict %+v, err %v", verdict, err)
	}
	h := b.lastHolds()
	if len(h.Ports) != 1 || h.Ports[0].Port == b.state().Last().Launch.Port {
		t.Errorf("ports %+v, want the one besides the server's own", h.Ports)
	}
	end := b.state().Last().Ended
	slices.Sort(end.Removed)
	if want := []string{segment, socket}; !slices.Equal(end.Removed, want) || !end.Killed || len(end.Held) != 0 || !end.PortFree {
		t.Errorf("launch.ended %+v, want %q removed", end, want)
	}
	if exists(segment) || exists(socket) || !exists(unused) {
		t.Errorf("there: segment %v, socket %v, unused %v", exists(segment), exists(socket), exists(unused))
	}
	if w := b.state().Warnings; len(w) != 2 || !strings.Contains(w[0], "needed SIGKILL (orchestrator.te") || !strings.Contains(w[1], unused) || !strings.Contains(w[1], "not proven") {
		t.Errorf("warnings %q, want one that says whom SIGKILL ended and one that names %s", w, unused)
	}
}

func TestSegmentThatAStrangerUsesStays(t *testing.T) {
	segment, held := shm(t, "shared"), filepath.Join(t.TempDir(), "held")
	b := newBench(t, `
server: {command: "SERVER shm=`+segment+`", ready: READY, stop: {signal: KILL}}
client: {command: "CLIENT await `+held+`"}
`)
	var stranger *exec.Cmd
	verdict, err := b.run(context.Background(), Again{}, func(e journal.Event) {
		if e.Type != journal.ClientStarted {
			return
		}
		f, err := os.Open(segment)
		if err != nil {
			t.Error(err)
		}
		defer f.Close()
		stranger = exec.Command("sleep", "600")
		stranger.Stdin = f
		if err := stranger.Start(); err != nil {
			t.Error(err)
		}
		if err := os.WriteFile(held, nil, 0o600); err != nil {
			t.Error(err)
		}
	})
	defer func() {
		stranger.Process.Kill()
		stranger.Wait()
	}()
	if err != nil || verdict.OK != 1 {
		t.Fatalf("verdict %+v, err %v", verdict, err)
	}
	want := fmt.Sprintf("pid %d (sleep 600)", stranger.Process.Pid)
	if w := b.state().Warnings; !exists(segment) || len(w) != 1 || !strings.Contains(w[0], segment) || !strings.Contains(w[0], want) {
		t.Errorf("there %v, warnings %q, want %q", exists(segment), w, want)
	}
}

// steal gives this process a copy of a listening socket of another one, as no
// engine can hide it: the port is held on when the server is gone.
func steal(pid, port int) (*os.File, error) {
	pidfd, err := unix.PidfdOpen(pid, 0)
	if err != nil {
		return nil, err
	}
	defer unix.Close(pidfd)
	fds, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", pid))
	if err != nil {
		return nil, err
	}
	for _, entry := range fds {
		fd, _ := strconv.Atoi(entry.Name())
		mine, err := unix.PidfdGetfd(pidfd, fd, 0)
		if errors.Is(err, unix.EPERM) {
			return nil, err
		}
		if err != nil {
			continue
		}
		sa, _ := unix.Getsockname(mine)
		if v4, ok := sa.(*unix.SockaddrInet4); ok && v4.Port == port {
			return os.NewFile(uintptr(mine), "stolen"), nil
		}
		unix.Close(mine)
	}
	return nil, fmt.Errorf("pid %d has no socket on port %d", pid, port)
}

func TestExtraPortThatIsHeldOnEndsTheRun(t *testing.T) {
	hastenGate(t)
	port, err := process.FreePort()
	if err != nil {
		t.Fatal(err)
	}
	held := filepath.Join(t.TempDir(), "held")
	b := newBench(t, `
server: {axes: {s: [x, y]}, command: "SERVER port=`+number(port)+` ${{ s }}", ready: READY}
client: {command: "CLIENT await `+held+`"}
`)
	var stolen *os.File
	var stealing error
	server := 0
	verdict, err := b.run(context.Background(), Again{}, func(e journal.Event) {
		switch e.Type {
		case journal.LaunchRunning:
			d, _ := journal.Decode[journal.Running](e)
			server = d.PID
		case journal.ClientStarted:
			stolen, stealing = steal(server, port)
			if err := os.WriteFile(held, nil, 0o600); err != nil {
				t.Error(err)
			}
		}
	})
	if errors.Is(stealing, unix.EPERM) {
		t.Skip("this host lets no process take another's descriptors")
	}
	if stealing != nil {
		t.Fatal(stealing)
	}
	if _, ok := errors.AsType[*NotCleanError](err); !ok || verdict.OK != 1 || verdict.ExitCode != ExitPreflight {
		t.Fatalf("verdict %+v, err %v", verdict, err)
	}
	end := b.state().Last().Ended
	if !end.PortFree || len(end.Held) != 1 || end.Held[0].Name != number(port) || end.Held[0].Process == nil || end.Held[0].Process.PID != os.Getpid() {
		raw, _ := json.Marshal(end)
		t.Errorf("launch.ended %s, want port %d held by pid %d", raw, port, os.Getpid())
	}
	stolen.Close()
}

func TestRemainsOfACrashedRun(t *testing.T) {
	segment, other := shm(t, "segment"), shm(t, "other")
	b := newBench(t, "server: {command: \"SERVER\", ready: READY}\nclient: {command: \"CLIENT\"}\n")
	w, err := b.folder.Append(journal.End{})
	if err != nil {
		t.Fatal(err)
	}
	tell := func(typ journal.Type, data any) {
		t.Helper()
		if _, err := w.Write(journal.Event{Type: typ, Launch: "0001-x"}, data, false); err != nil {
			t.Fatal(err)
		}
	}
	// A server that made shared memory and was killed, as another process of this test plays it.
	guard, err := process.Prepare(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(t.TempDir(), "out")
	p, err := guard.Start(process.Spec{Argv: []string{os.Args[0], "fake-server", "0", "shm=" + segment, "port=0"}, Stdout: out, Stderr: out, Session: true})
	if err != nil {
		t.Fatal(err)
	}
	survey := p.Survey()
	for len(survey.Held().Objects) == 0 || len(survey.Held().Ports) < 2 {
		if _, err := survey.Look(context.Background()); err != nil {
			t.Fatal(err)
		}
	}
	tell(journal.RunStarted, journal.Session{})
	tell(journal.LaunchStarted, journal.Launch{})
	tell(journal.LaunchHolds, survey.Held())

	r, err := FindRemains(b.folder)
	if err != nil {
		t.Fatal(err)
	}
	if held := r.Held(); len(r.Objects()) != 1 || len(held) != 2 || held[0].Process.PID != p.Identity().PID {
		t.Errorf("while the server lives: %v, held %v", r.Objects(), held)
	}
	if removed, problems := r.GiveBack(); len(removed) != 0 || len(problems) != 1 || !strings.Contains(problems[0], fmt.Sprint("pid ", p.Identity().PID)) {
		t.Errorf("while the server lives: removed %q, problems %q", removed, problems)
	}
	p.Stop(process.StopPolicy{Grace: -1})
	<-p.Done()
	makeUnused(t, other)
	if held := r.Held(); len(r.Objects()) != 1 || len(held) != 0 {
		t.Errorf("after its end: %v, held %v", r.Objects(), held)
	}
	if removed, problems := r.GiveBack(); !slices.Equal(removed, []string{segment}) || len(problems) != 0 || exists(segment) || !exists(other) {
		t.Errorf("removed %q, problems %q", removed, problems)
	}

	tell(journal.LaunchEnded, journal.Gone{})
	if r, err = FindRemains(b.folder); err != nil || len(r.objects)+len(r.demands) != 0 {
		t.Errorf("a server that was seen to its end left %+v, err %v", r, err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
}

func makeUnused(t *testing.T, path string) {
	t.Helper()
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestHostIsCleanAgainWhenItsHolderIsGone(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	me, err := process.Identify(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	gone := me
	gone.StartTicks++
	held := journal.Held{What: journal.HeldPort, Name: number(l.Addr().(*net.TCPAddr).Port), Host: "127.0.0.1"}
	for _, tt := range []struct {
		name string
		by   *journal.Running
		met  bool
	}{
		{"the holder lives", identity(me), false},
		{"another has taken the port since", identity(gone), true},
		{"the holder was not known", nil, false},
	} {
		held.Process = tt.by
		d, ok := demandOf(held)
		if met := d.met(); !ok || met != tt.met {
			t.Errorf("%s: met %v, held by %q", tt.name, met, d.By)
		}
	}
	if err := StillNotClean("runs/x", []journal.Held{{What: journal.HeldPort, Name: "1", By: "pid 2 (y)"}}); err == nil || err.Error() != "the host is not clean: since runs/x ended, port 1 is held by pid 2 (y)" {
		t.Error(err)
	}
	if _, ok := demandOf(journal.Held{What: "the future's"}); ok {
		t.Error("what nobody knows is a demand")
	}
}

// makeWhenTold is a server that is not ready and swallows SIGTERM: it makes a
// segment then, and lives until that was seen.
func makeWhenTold(segment, seen string) {
	told := make(chan os.Signal, 1)
	signal.Notify(told, unix.SIGTERM)
	<-told
	defer leave("shm", segment).Close()
	for !exists(seen) {
		time.Sleep(5 * time.Millisecond)
	}
	if err := unix.Kill(os.Getpid(), unix.SIGKILL); err != nil {
		panic(err)
	}
	time.Sleep(time.Hour)
}

// TestWhatIsMadeWhileAServerIsToldToEnd: vLLM makes its segments and sockets in
// the midst of its start, and goes on with that when it is told to end.
func TestWhatIsMadeWhileAServerIsToldToEnd(t *testing.T) {
	segment, seen := shm(t, "late"), filepath.Join(t.TempDir(), "seen")
	b := newBench(t, `
server: {command: "SERVER makes-when-told `+segment+` `+seen+`", ready: {log: '^never$', timeout: 300ms}}
client: {command: "CLIENT"}
run: {retries: 0}
`)
	verdict, err := b.run(context.Background(), Again{}, func(e journal.Event) {
		if e.Type == journal.LaunchHolds {
			if err := os.WriteFile(seen, nil, 0o600); err != nil {
				t.Error(err)
			}
		}
	})
	if err != nil || verdict.Failed != 1 {
		t.Fatalf("verdict %+v, err %v", verdict, err)
	}
	if end := b.state().Last().Ended; !slices.Equal(end.Removed, []string{segment}) || exists(segment) {
		t.Errorf("launch.ended %+v, want %q removed", end, segment)
	}
}
