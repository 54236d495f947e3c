package process

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// shmName gives a name in /dev/shm that is this test's alone; what is left under it goes with the test.
func shmName(t testing.TB, word string) string {
	t.Helper()
	path := filepath.Join(shmFolder, fmt.Sprintf("servematrix-test-%d-%d-%s", os.Getpid(), time.Now().UnixNano(), word))
	t.Cleanup(func() { os.Remove(path) })
	return path
}

func makeFile(t testing.TB, path string) *os.File {
	t.Helper()
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	if err := f.Truncate(int64(os.Getpagesize())); err != nil {
		t.Fatal(err)
	}
	return f
}

// found are the paths of the objects of this test.
func found(t testing.TB, h Holdings, among ...string) []string {
	t.Helper()
	var paths []string
	for _, o := range h.Objects {
		if slices.Contains(among, o.Path) {
			paths = append(paths, o.Path)
		}
	}
	slices.Sort(paths)
	return paths
}

func look(t testing.TB, s *Survey) (changed bool) {
	t.Helper()
	changed, err := s.Look(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return changed
}

func TestSurveyFindsWhatTheTreeMade(t *testing.T) {
	w := newWorld(t)
	tmp := filepath.Dir(w.dir)
	older, strange, weights := shmName(t, "older"), shmName(t, "strange"), shmName(t, "weights")
	mapped, kept, child := shmName(t, "mapped"), shmName(t, "kept"), shmName(t, "child")
	shared, deep := filepath.Join(tmp, "shared"), filepath.Join(w.dir, "deep")
	socket, id := filepath.Join(tmp, "socket"), filepath.Join(w.dir, "id")
	makeFile(t, older)
	time.Sleep(2 * birthSlack) // not for luck: older shall be older by the kernel's clock

	p := w.start(w.spec("map "+mapped, "keep "+kept, "write "+older, "map "+shared, "map "+deep, "bind "+socket, "sysv "+id, "listen 0",
		"spawn setsid+double map "+child+",here,block", "here", "await "+weights, "read "+weights, "print reading", "block"))
	w.here(2)
	makeFile(t, strange)
	makeFile(t, weights)
	w.await("the weights to be read", func() bool { return strings.Contains(w.log(), "reading") })

	s := p.Survey(tmp)
	if !look(t, s) {
		t.Error("nothing was found")
	}
	all := []string{older, strange, weights, mapped, kept, child, shared, deep, socket}
	want := []string{mapped, kept, child, shared, socket}
	slices.Sort(want)
	if got := found(t, s.Held(), all...); !slices.Equal(got, want) {
		t.Errorf("held %q, want %q", got, want)
	}
	raw, err := os.ReadFile(id)
	if err != nil {
		t.Fatal(err)
	}
	shmid := "shmid " + string(raw)
	t.Cleanup(func() {
		if n, err := strconv.Atoi(string(raw)); err == nil {
			_, _ = unix.SysvShmCtl(n, unix.IPC_RMID, nil) // gone already when all went well
		}
	})
	if got := found(t, s.Held(), shmid); len(got) != 1 {
		t.Errorf("the segment %s is not held: %+v", shmid, s.Held().Objects)
	}
	if ports := s.Held().Ports; len(ports) != 1 || ports[0].Addr != "127.0.0.1" {
		t.Errorf("ports %+v, want one", ports)
	}
	if look(t, s) {
		t.Error("a second look found something new")
	}
	for _, o := range s.Held().Objects {
		if !o.InUse() {
			t.Errorf("%s is not in use", o)
		}
		if removed, err := o.Remove(); removed || !errors.Is(err, ErrInUse) {
			t.Errorf("%s was removed while it was used: %v", o, err)
		}
	}

	p.Stop(StopPolicy{Grace: -1})
	w.end(p)
	if !look(t, s) || len(s.Held().Ports) != 0 {
		t.Errorf("the port is still held: %+v", s.Held().Ports)
	}
	for _, o := range s.Held().Objects {
		if removed, err := o.Remove(); !removed || err != nil {
			t.Errorf("%s was not removed: %v", o, err)
		}
		if removed, err := o.Remove(); removed || err != nil || o.There() {
			t.Errorf("%s was removed twice: %v", o, err)
		}
	}
	for path, there := range map[string]bool{older: true, strange: true, weights: true, deep: true, mapped: false, kept: false, child: false, shared: false, socket: false} {
		if _, err := os.Lstat(path); (err == nil) != there {
			t.Errorf("%s: there %v, want %v", path, err == nil, there)
		}
	}
}

func TestObjectOfAnotherUnderTheSameNameStays(t *testing.T) {
	path := shmName(t, "twice")
	f := makeFile(t, path)
	o, _, ok := objectAt(ObjectShm, path)
	if !ok {
		t.Fatal("not seen")
	}
	// The first one stays open, so that the second cannot get its inode.
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	makeFile(t, path)
	if removed, err := o.Remove(); removed || err != nil {
		t.Errorf("removed %v, err %v", removed, err)
	}
	if _, err := os.Stat(path); err != nil {
		t.Errorf("the second file is gone: %v", err)
	}
	runtime.KeepAlive(f)
}

func TestUsersAreNamed(t *testing.T) {
	w := newWorld(t)
	segment, socket := shmName(t, "used"), w.path("socket")
	makeFile(t, segment).Close()
	p := w.start(w.spec("read "+segment, "bind "+socket, "here", "block"))
	w.here(1)
	for kind, path := range map[string]string{ObjectShm: segment, ObjectSocket: socket} {
		o, _, ok := objectAt(kind, path)
		if users := o.Users(); !ok || len(users) != 1 || users[0].Identity != p.Identity() {
			t.Errorf("users of %s: %v, want pid %d", path, users, p.Identity().PID)
		}
	}
}

func TestLookThatIsCutShortGoesOnNextTime(t *testing.T) {
	w := newWorld(t)
	segment := shmName(t, "late")
	p := w.start(w.spec("map "+segment, "here", "block"))
	w.here(1)
	s := p.Survey()
	over, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := s.Look(over); !errors.Is(err, context.Canceled) || len(found(t, s.Held(), segment)) != 0 {
		t.Fatalf("a look without time: %v, %+v", err, s.Held())
	}
	if !look(t, s) || len(found(t, s.Held(), segment)) != 1 {
		t.Errorf("the next look did not find it: %+v", s.Held())
	}
}

func TestPortTakenAnewIsAnotherSocket(t *testing.T) {
	w := newWorld(t)
	port, err := FreePort()
	if err != nil {
		t.Fatal(err)
	}
	p := w.start(w.spec("listen "+strconv.Itoa(port), "here", "block"))
	w.here(1)
	s := p.Survey()
	look(t, s)
	held := s.Held().Ports
	if len(held) != 1 || held[0].Port != port {
		t.Fatalf("ports %+v, want %d", held, port)
	}
	if state, err := ProbePort("127.0.0.1", port); err != nil || state.Holder == nil || state.Holder.Inode != held[0].Inode {
		t.Errorf("the tree's own socket: %+v, %v", state.Holder, err)
	}
	p.Stop(StopPolicy{Grace: -1})
	w.end(p)
	l, err := net.Listen("tcp", "127.0.0.1:"+strconv.Itoa(port))
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if state, err := ProbePort("127.0.0.1", port); err != nil || state.Holder == nil || state.Holder.Inode == held[0].Inode {
		t.Errorf("a stranger's socket: %+v, %v", state.Holder, err)
	}
}

func TestMappingLines(t *testing.T) {
	const rw, ro = "7f0000000000-7f0000001000 rw-s 00000000 00:1b 42                         /dev/shm/psm_1 (deleted)", "7f0000000000-7f0000001000 r--s 00000000 00:1b 42 /dev/shm/psm_1"
	for _, tt := range []struct {
		line    string
		writing bool
		want    bool
	}{
		{rw, true, true}, {rw, false, true}, {ro, true, false}, {ro, false, true},
		{"7f0000000000-7f0000001000 rw-p 00000000 00:1b 42 /dev/shm/psm_1", true, false},
		{"7f0000000000-7f0000001000 rw-s 00000000 00:1b 43 /dev/shm/psm_1", true, false},
		{"7f0000000000-7f0000001000 rw-p 00000000 00:00 0", false, false},
		{"", false, false}, {"x", false, false}, {"1-2 rw-s", false, false},
	} {
		got := false
		w := newWanted()
		w.file(Object{Path: "/dev/shm/psm_1", Dev: unix.Mkdev(0, 0x1b), Ino: 42}, false, func() { got = true })
		if w.mapping([]byte(tt.line), tt.writing); got != tt.want {
			t.Errorf("%q, writing %v: %v", tt.line, tt.writing, got)
		}
	}
}
