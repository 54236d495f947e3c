package process

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// world is one tree under test, with a marker of its own by which an
// independent look at /proc finds whatever is left of it.
type world struct {
	testing.TB
	marker string
	dir    string
}

func newWorld(t testing.TB) *world {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	w := &world{TB: t, dir: filepath.Join(dir, "pids"), marker: dir}
	w.lock()
	if err := os.Mkdir(w.dir, 0o700); err != nil {
		t.Fatal(err)
	}
	return w
}

// lock makes the marker that of a run that lives: any other servematrix on this
// host would end what a test leaves behind on purpose.
func (w *world) lock() {
	w.Helper()
	lock, err := os.Create(filepath.Join(w.marker, "run.lock"))
	if err == nil {
		err = unix.Flock(int(lock.Fd()), unix.LOCK_EX)
	}
	if err != nil {
		w.Fatal(err)
	}
	w.Cleanup(func() { lock.Close() })
}

// path is a file in the test's folder.
func (w *world) path(name string) string { return filepath.Join(filepath.Dir(w.dir), name) }

// spec is a fake that does these commands.
func (w *world) spec(commands ...string) Spec {
	exe, err := os.Executable()
	if err != nil {
		w.Fatal(err)
	}
	return Spec{
		Argv:    append([]string{exe, "fake", w.marker, w.dir}, commands...),
		Env:     append(os.Environ(), RunMarkerEnv+"="+w.marker),
		Stdout:  w.path("server.log"),
		Stderr:  w.path("server.log"),
		Session: true,
	}
}

func (w *world) prepare() *Guard {
	w.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	g, err := Prepare(ctx)
	if err != nil {
		w.Fatal(err)
	}
	return g
}

// start runs the spec and sees to it that a failing test leaves nothing.
func (w *world) start(spec Spec) *Process {
	w.Helper()
	p, err := w.prepare().Start(spec)
	if err != nil {
		w.Fatal(err)
	}
	w.Cleanup(func() {
		p.Stop(StopPolicy{Grace: -1})
		<-p.Done()
	})
	return p
}

// here waits until so many fakes have said that they are up.
func (w *world) here(n int) {
	w.Helper()
	w.await(fmt.Sprintf("%d fakes", n), func() bool { return len(w.announced()) >= n })
}

func (w *world) announced() map[int]string {
	entries, err := os.ReadDir(w.dir)
	if err != nil {
		w.Fatal(err)
	}
	found := map[int]string{}
	for _, e := range entries {
		if pid, err := strconv.Atoi(e.Name()); err == nil {
			start, err := os.ReadFile(filepath.Join(w.dir, e.Name()))
			if err != nil {
				w.Fatal(err)
			}
			found[pid] = string(start)
		}
	}
	return found
}

// await polls for a condition that no channel tells of.
func (w *world) await(what string, done func() bool) {
	w.Helper()
	limit := time.Now().Add(30 * time.Second)
	for !done() {
		if time.Now().After(limit) {
			w.Fatalf("waited in vain for %s; server log:\n%s", what, w.log())
		}
		time.Sleep(2 * time.Millisecond)
	}
}

func (w *world) log() string {
	b, _ := os.ReadFile(w.path("server.log"))
	return string(b)
}

// end waits for the tree's end and checks by its own look at /proc that
// nothing is left.
func (w *world) end(p *Process) Result {
	w.Helper()
	w.wait("Done", p.Done())
	r := p.Result()
	if len(r.Survivors) != 0 {
		w.Errorf("survivors: %v", r.Survivors)
	}
	w.empty()
	return r
}

func (w *world) wait(what string, c <-chan struct{}) {
	w.Helper()
	select {
	case <-c:
	case <-time.After(60 * time.Second):
		w.Fatalf("%s did not come", what)
	}
}

// empty fails when a process of this world lives. It shares no code with the
// package: marker in arguments or environment, or announced with its pid.
func (w *world) empty() {
	w.Helper()
	if left := w.left(); len(left) > 0 {
		w.Fatalf("left behind: %q", left)
	}
}

func (w *world) left() []string {
	procs, err := filepath.Glob("/proc/[0-9]*")
	if err != nil {
		w.Fatal(err)
	}
	announced := w.announced()
	var left []string
	for _, dir := range procs {
		stat, err := os.ReadFile(dir + "/stat")
		if err != nil {
			continue
		}
		_, rest, ok := strings.Cut(string(stat), ") ")
		fields := strings.Fields(rest)
		if !ok || len(fields) < 20 {
			w.Fatalf("cannot read %s/stat: %q", dir, stat)
		}
		pid, _ := strconv.Atoi(filepath.Base(dir))
		if pid == os.Getpid() || fields[0] == "Z" && fields[1] != strconv.Itoa(os.Getpid()) {
			continue // but a zombie of ours is one that nobody reaped
		}
		args, _ := os.ReadFile(dir + "/cmdline")
		env, _ := os.ReadFile(dir + "/environ")
		if bytes.Contains(args, []byte(w.marker)) || bytes.Contains(env, []byte(w.marker)) || announced[pid] == fields[19] {
			left = append(left, fmt.Sprintf("%d %s %s", pid, fields[0], args))
		}
	}
	return left
}

// actions are the names of the steps.
func actions(r Result) []string {
	var names []string
	for _, s := range r.Steps {
		names = append(names, s.Action)
	}
	return names
}
