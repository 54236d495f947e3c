package process

import (
	"errors"
	"fmt"
	"maps"
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

func class(err error) string {
	var e *StartError
	if errors.As(err, &e) {
		return e.Class
	}
	return ""
}

func TestStartErrors(t *testing.T) {
	write := func(w *world, name, text string, mode os.FileMode) string {
		path := w.path(name)
		if err := os.WriteFile(path, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
		return path
	}
	tests := []struct {
		name  string
		spec  func(w *world, s *Spec)
		class string
		is    error
		text  string
	}{
		{"empty", func(w *world, s *Spec) { s.Argv = nil }, ClassBadCommand, nil, "empty"},
		{"missing file", func(w *world, s *Spec) { s.Argv = []string{w.path("nothing")} }, ClassBadCommand, unix.ENOENT, "nothing"},
		{"not in PATH", func(w *world, s *Spec) { s.Argv, s.Env = []string{"no-such-engine"}, []string{"PATH=/bin"} }, ClassBadCommand, unix.ENOENT, "in its PATH (/bin)"},
		{"no PATH", func(w *world, s *Spec) { s.Argv, s.Env = []string{"sh"}, []string{"A=1"} }, ClassBadCommand, unix.ENOENT, "no PATH"},
		{"not executable", func(w *world, s *Spec) { s.Argv = []string{write(w, "plain", "#!/bin/sh\n", 0o600)} }, ClassBadCommand, unix.EACCES, "chmod +x"},
		{"not executable in PATH", func(w *world, s *Spec) {
			write(w, "engine", "#!/bin/sh\n", 0o600)
			s.Argv, s.Env = []string{"engine"}, []string{"PATH=" + w.path("")}
		}, ClassBadCommand, unix.EACCES, "chmod +x"},
		{"a folder", func(w *world, s *Spec) { s.Argv = []string{w.path("")} }, ClassBadCommand, unix.EACCES, "folder"},
		{"missing interpreter", func(w *world, s *Spec) {
			s.Argv = []string{write(w, "script", "#!/no/such/python\n", 0o700)}
		}, ClassBadCommand, unix.ENOENT, "interpreter"},
		{"neither program nor script", func(w *world, s *Spec) { s.Argv = []string{write(w, "data", "hello\n", 0o700)} }, ClassBadCommand, unix.ENOEXEC, "#! line"},
		{"too long", func(w *world, s *Spec) { s.Argv = []string{"/bin/true", strings.Repeat("x", 4<<20)} }, ClassBadCommand, unix.E2BIG, "limit"},
		{"no folder", func(w *world, s *Spec) { s.Dir = w.path("nowhere") }, ClassBadCommand, unix.ENOENT, "use folder"},
		{"folder is a file", func(w *world, s *Spec) { s.Dir = write(w, "file", "", 0o600) }, ClassBadCommand, unix.ENOTDIR, "use folder"},
		{"log exists", func(w *world, s *Spec) { s.Stderr = write(w, "old.log", "old", 0o600) }, ClassStartFailed, os.ErrExist, "old.log"},
		{"no folder for the log", func(w *world, s *Spec) { s.Stdout = w.path("no/log") }, ClassStartFailed, os.ErrNotExist, "create log"},
		{"log below a file", func(w *world, s *Spec) { s.Stdout = "/dev/full/log" }, ClassStartFailed, unix.ENOTDIR, "create log"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t)
			spec := w.spec("exit 0")
			tt.spec(w, &spec)
			g := w.prepare()
			p, err := g.Start(spec)
			if err == nil {
				<-p.Done()
				t.Fatal("started")
			}
			if class(err) != tt.class || tt.is != nil && !errors.Is(err, tt.is) || !strings.Contains(err.Error(), tt.text) {
				t.Errorf("class %q, %v", class(err), err)
			}
			if _, err := os.Stat(w.path("server.log")); !errors.Is(err, os.ErrNotExist) {
				t.Errorf("a failed start left its log: %v", err)
			}
			if g.id.Alive() {
				t.Error("a failed start left its guard")
			}
		})
	}
}

func TestFileErrorClass(t *testing.T) {
	if got := class(fileError("create log", "x", &os.PathError{Op: "open", Path: "x", Err: unix.ENOSPC})); got != ClassDiskFull {
		t.Errorf("a full disk is %q", got)
	}
}

// TestLookPath: as execvp(3) would, but with another folder and environment.
func TestLookPath(t *testing.T) {
	dir := t.TempDir()
	for _, path := range []string{"bin/tool", "tool", "other/tool"} {
		path = filepath.Join(dir, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chmod(filepath.Join(dir, "other/tool"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ name, path, want string }{
		{"bin/tool", "", "bin/tool"},
		{"./tool", "", "tool"},
		{"tool", "bin", "bin/tool"},
		{"tool", ":bin", "tool"},
		{"tool", "/nowhere:other:bin", "bin/tool"},
		{"tool", dir + "/bin", "bin/tool"},
	} {
		got, err := lookPath(tt.name, dir, []string{"PATH=/bin", "PATH=" + tt.path})
		if err != nil || filepath.Clean(got) != filepath.Join(dir, tt.want) {
			t.Errorf("%s along %q: %s, %v", tt.name, tt.path, got, err)
		}
	}
}

// TestWhatTheLeaderGets looks at a leader from outside: nothing of the guard
// or of this process may show in it.
func TestWhatTheLeaderGets(t *testing.T) {
	w := newWorld(t)
	leak, err := unix.Open("/dev/null", unix.O_RDONLY, 0) // without CLOEXEC
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(leak)
	spec := w.spec()
	spec.Argv, spec.Dir = []string{"sleep", "300"}, w.dir
	spec.Env = []string{"PATH=" + os.Getenv("PATH"), "ODD=\xff\xfe", RunMarkerEnv + "=" + w.marker}
	spec.Stderr = w.path("server.err")
	p := w.start(spec)

	pid := p.Identity().PID
	proc := func(name string) string {
		b, err := os.ReadFile(fmt.Sprintf("/proc/%d/%s", pid, name))
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	link := func(name string) string {
		to, err := os.Readlink(fmt.Sprintf("/proc/%d/%s", pid, name))
		if err != nil {
			t.Fatal(err)
		}
		return to
	}
	if got := strings.Split(strings.TrimSuffix(proc("environ"), "\x00"), "\x00"); !slices.Equal(got, spec.Env) {
		t.Errorf("environment %q", got)
	}
	if got := proc("cmdline"); got != "sleep\x00300\x00" {
		t.Errorf("arguments %q", got)
	}
	if got := link("cwd"); got != w.dir {
		t.Errorf("folder %s", got)
	}
	want := map[string]string{"0": "/dev/null", "1": spec.Stdout, "2": spec.Stderr}
	w.await(fmt.Sprint("descriptors ", want), func() bool { // sleep loads its library first
		entries, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", pid))
		if err != nil {
			t.Fatal(err)
		}
		fds := map[string]string{}
		for _, e := range entries {
			fds[e.Name()], _ = os.Readlink(fmt.Sprintf("/proc/%d/fd/%s", pid, e.Name()))
		}
		return maps.Equal(fds, want)
	})
	for _, path := range []string{spec.Stdout, spec.Stderr} {
		if info, err := os.Stat(path); err != nil || info.Mode() != 0o600 {
			t.Errorf("%s: %v, %v", path, info, err)
		}
	}
	var flags int
	if _, err := fmt.Sscanf(proc("fdinfo/1"), "pos: 0\nflags: %o", &flags); err != nil || flags&unix.O_APPEND == 0 {
		t.Errorf("log's flags %o, %v", flags, err)
	}
	stat, err := readProc(pid)
	if err != nil || stat.sid != pid || stat.pgrp != pid || stat.ppid != p.Guard().PID || stat.tty != 0 || p.SID() != pid {
		t.Errorf("%+v, %v", stat, err)
	}
	status := proc("status")
	for _, set := range []string{"SigBlk", "SigIgn"} {
		if !strings.Contains(status, set+":\t0000000000000000\n") {
			t.Errorf("%s is not empty:\n%s", set, status)
		}
	}
	direct, err := exec.Command("cat", "/proc/self/limits").Output()
	if err != nil {
		t.Fatal(err)
	}
	if proc("limits") != string(direct) { // Go raises its own limit of open files
		t.Errorf("limits differ from those of a child without a guard:\n%s\n%s", proc("limits"), direct)
	}
	if raw := cmdline(p.Guard().PID); raw != guardName {
		t.Errorf("the guard shows as %q", raw)
	}
	if age := time.Since(p.Started()); age < 0 || age > time.Minute {
		t.Errorf("started %v ago", age)
	}
	ids := p.Tree()
	if len(ids) != 1 || ids[0] != p.Identity() {
		t.Errorf("tree %v", ids)
	}
}

func TestStreams(t *testing.T) {
	w := newWorld(t)
	spec := w.spec("print out", "printerr err", "exit 0")
	w.end(w.start(spec))
	if got := w.log(); got != "out\nerr\n" {
		t.Errorf("one file: %q", got)
	}
	spec.Stdout, spec.Stderr = w.path("a"), w.path("b")
	w.end(w.start(spec))
	a, _ := os.ReadFile(spec.Stdout)
	b, _ := os.ReadFile(spec.Stderr)
	if string(a) != "out\n" || string(b) != "err\n" {
		t.Errorf("two files: %q, %q", a, b)
	}
	spec.Stdout, spec.Stderr = "", ""
	if r := w.end(w.start(spec)); r.Exit.Code != 0 {
		t.Errorf("no files: %v", r.Exit)
	}
}

// TestLockAndStatus: the lock is held for exactly as long as the guard lives,
// and the account on disk ends as the one that came over the pipe.
func TestLockAndStatus(t *testing.T) {
	w := newWorld(t)
	spec := w.spec("here", "on TERM exit 9", "block")
	spec.Lock, spec.Status = w.path("lock"), w.path("status.json")
	spec.Stop = StopPolicy{Grace: 20 * time.Second}
	p := w.start(spec)
	w.here(1)
	w.await("the first status", func() bool { _, err := os.Stat(spec.Status); return err == nil })
	s, err := ReadStatus(spec.Status)
	if err != nil || s.Leader != p.Identity() || s.SID != p.SID() || s.Guard != p.Guard() || s.Exited != nil || s.Ended != nil {
		t.Errorf("status while it runs: %+v, %v", s, err)
	}
	second := w.spec2("exit 0")
	second.Lock = spec.Lock
	if q, err := w.prepare().Start(second); err == nil {
		<-q.Done()
		t.Error("two guards hold one lock")
	} else if class(err) != ClassStartFailed || !strings.Contains(err.Error(), "another guard holds it") {
		t.Errorf("lock: %v", err)
	}
	p.Stop(spec.Stop)
	r := w.end(p)
	s, err = ReadStatus(spec.Status)
	if err != nil || s.Ended == nil || s.Exited == nil || s.Exit != r.Exit || r.Exit.Code != 9 ||
		!slices.Equal(actions(s.Result), actions(r)) || s.Killed != r.Killed {
		t.Errorf("status %+v, %v; result %+v", s, err, r)
	}
	if got, err := FindAbandoned(spec.Status, spec.Stdout); err != nil || got != nil {
		t.Errorf("abandoned after its end: %v, %v", got, err)
	}
	if lock, err := takeLock(spec.Lock); err != nil {
		t.Errorf("the lock outlives the guard: %v", err)
	} else {
		_ = lock.Close()
	}
	if _, err := ReadStatus(w.path("none")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no status: %v", err)
	}
	if got, err := FindAbandoned(w.path("none")); err != nil || got != nil {
		t.Errorf("abandoned before its start: %v, %v", got, err)
	}
}

func TestDeadline(t *testing.T) {
	w := newWorld(t)
	spec := w.spec("here", "block")
	spec.Deadline = 50 * time.Millisecond
	spec.Stop = StopPolicy{Grace: 10 * time.Second}
	r := w.end(w.start(spec))
	if want := []string{ActionDeadline, ActionSignal, ActionLeaderExit, ActionGone}; !slices.Equal(actions(r), want) {
		t.Errorf("steps %v, want %v", actions(r), want)
	}
}

// TestWithoutSession: the leader then stays in the guard's session, and a
// stop still finds its group.
func TestWithoutSession(t *testing.T) {
	w := newWorld(t)
	spec := w.spec("spawn plain here,block", "ignore TERM", "here", "block")
	spec.Session = false
	p := w.start(spec)
	w.here(2)
	if p.SID() != p.Guard().PID {
		t.Errorf("session %d", p.SID())
	}
	p.Stop(StopPolicy{})
	if r := w.end(p); r.Exit.Signal != syscall.SIGKILL {
		t.Errorf("exit %v", r.Exit)
	}
}

// TestGuardCostsNothing: no thread is created late, at the limit of processes
// the runtime would die of it; and an idle guard does not run.
func TestGuardCostsNothing(t *testing.T) {
	w := newWorld(t)
	g := w.prepare()
	before := guardStatus(t, g.id.PID, "Threads")
	p, err := g.Start(w.spec("spawn setsid ignore TERM,here,block", "ignore TERM", "here", "block"))
	if err != nil {
		t.Fatal(err)
	}
	w.here(2)
	w.await("a quiet guard", func() bool {
		switches := guardSwitches(t, g.id.PID)
		time.Sleep(300 * time.Millisecond) // the stretch of time that is measured
		return guardSwitches(t, g.id.PID) == switches
	})
	p.Stop(StopPolicy{Grace: 20 * time.Millisecond})
	w.await("SIGTERM to the group", func() bool { // the ladder's busiest time but one
		p.mu.Lock()
		defer p.mu.Unlock()
		return len(p.result.Steps) > 1
	})
	if after := guardStatus(t, g.id.PID, "Threads"); after != before {
		t.Errorf("%s threads when it was ready, %s now", before, after)
	}
	w.end(p)
}

func guardStatus(t *testing.T, pid int, key string) string {
	t.Helper()
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, ok := strings.Cut(string(raw), "\n"+key+":\t")
	value, _, _ := strings.Cut(rest, "\n")
	if !ok {
		t.Fatalf("no %s in %s", key, raw)
	}
	return value
}

// guardSwitches counts how often any thread of the guard has been put to
// sleep: a thread that never wakes adds nothing.
func guardSwitches(t *testing.T, pid int) string {
	t.Helper()
	tasks, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/status", pid))
	if err != nil || len(tasks) == 0 {
		t.Fatalf("threads of %d: %v, %v", pid, tasks, err)
	}
	var all []string
	for _, task := range tasks {
		raw, err := os.ReadFile(task)
		if err != nil {
			t.Fatal(err)
		}
		_, rest, _ := strings.Cut(string(raw), "voluntary_ctxt_switches:\t")
		count, _, _ := strings.Cut(rest, "\n")
		all = append(all, count)
	}
	return strings.Join(all, " ")
}
