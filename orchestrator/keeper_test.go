package orchestrator

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rs/zerolog"
	"golang.org/x/sys/unix"

	"servematrix/journal"
	"servematrix/logfile"
	"servematrix/matrix"
)

// onDisk is what a file takes, in bytes.
func onDisk(t *testing.T, path string) int64 {
	t.Helper()
	var st unix.Stat_t
	if err := unix.Stat(path, &st); err != nil {
		t.Fatal(err)
	}
	return st.Blocks * 512
}

// canPunch skips where the file system cannot cut out the middle of a file.
func canPunch(t *testing.T, dir string) {
	t.Helper()
	path := filepath.Join(dir, "probe")
	if err := os.WriteFile(path, make([]byte, 4<<20), 0o600); err != nil {
		t.Fatal(err)
	}
	defer os.Remove(path)
	c, err := logfile.NewCap(path, 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if err := c.Look(); errors.Is(err, logfile.ErrNoHoles) {
		t.Skip(err)
	}
}

// TestFloodsAreKeptSmall: server and client print 30 MB each, in one line and in
// many; the result behind the flood is found, and the journal tells of the cut.
func TestFloodsAreKeptSmall(t *testing.T) {
	b := newBench(t, `
server: {command: [sh, -c, 'echo begin >&2; head -c 30000000 /dev/zero | tr "\0" x >&2; exec SERVER'], ready: READY}
client: {command: [sh, -c, 'yes "some progress" | head -c 30000000; printf "\n{\"duration\": 1.0, \"completed\": 1, \"total_output_tokens\": 5}\n"']}
run: {log_limit: 1MiB}
`)
	canPunch(t, string(b.folder))
	v, err := b.run(context.Background(), Again{}, nil)
	if err != nil || v.OK != 1 {
		t.Fatalf("verdict %+v, err %v", v, err)
	}
	for _, pattern := range []string{"launches/*/server.err", "cells/*/*/client.out"} {
		paths, err := filepath.Glob(b.folder.Path(pattern))
		if err != nil || len(paths) != 1 {
			t.Fatalf("%s: %v, err %v", pattern, paths, err)
		}
		if n := onDisk(t, paths[0]); n > 1<<20+64<<10 {
			t.Errorf("%s takes %d bytes", pattern, n)
		}
		told := 0
		for _, w := range b.state().Warnings {
			if strings.HasPrefix(w, b.folder.Rel(paths[0])+": 2") && strings.Contains(w, "were cut out of its middle") && strings.Contains(w, "(1MiB)") {
				told++
			}
		}
		if told != 1 {
			t.Errorf("%s: told %d times in %q", pattern, told, b.state().Warnings)
		}
	}
}

func TestKeeperOfWhatCannotBeKept(t *testing.T) {
	var warnings []string
	k := &keeper{limit: 1 << 20, logs: map[string]*logfile.Cap{}, warn: func(w string) { warnings = append(warnings, w) }}
	dir := t.TempDir()
	link := filepath.Join(dir, "link")
	if err := os.Symlink("/dev/null", link); err != nil {
		t.Fatal(err)
	}
	k.take(filepath.Join(dir, "missing"), link)
	if len(warnings) != 1 || !strings.Contains(warnings[0], "link") || len(k.logs) != 0 {
		t.Errorf("%q, keeps %d", warnings, len(k.logs))
	}
	off := &keeper{logs: map[string]*logfile.Cap{}}
	off.take(link) // no limit: nothing is opened
	if len(off.leave(link)) != 0 {
		t.Error("something was cut")
	}
}

// mount gives a file system of its own, which only root can have.
func mount(t *testing.T, size string) string {
	t.Helper()
	dir := t.TempDir()
	if err := unix.Mount("tmpfs", dir, "tmpfs", 0, "size="+size); err != nil {
		t.Skipf("no file system can be mounted: %v", err)
	}
	t.Cleanup(func() {
		if err := unix.Unmount(dir, unix.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	return dir
}

// moveTo puts the run folder elsewhere.
func (b *bench) moveTo(parent string) {
	b.t.Helper()
	folder, lock, err := journal.Create(parent, "test", time.Now(), map[string][]byte{journal.PlanFile: []byte("{}")})
	if err != nil {
		b.t.Fatal(err)
	}
	b.t.Cleanup(func() { lock.Release() })
	b.folder = folder
}

// withReserve sets for one test how much of the disk stays reserved.
func withReserve(t *testing.T, n int64) {
	old := leastReserve
	leastReserve = n
	t.Cleanup(func() { leastReserve = old })
}

const twoFills = `
server: {command: "SERVER", ready: READY}
client: {axes: {n: [1, 2]}, command: [sh, -c, 'test -e DIR/roomy || test %d = "$0" || %s; echo "{\"duration\": 1.0, \"completed\": 1, \"total_output_tokens\": 5}"', "${{ n }}"]}
`

// fills is a sweep of two cells: the first is measured, the second fills the disk.
func fills(t *testing.T, dir, how string) *bench {
	b := newBench(t, strings.ReplaceAll(fmt.Sprintf(twoFills, 1, how), "DIR", dir))
	b.moveTo(dir)
	return b
}

// full checks the end of a run on a full disk, makes room and resumes.
func full(t *testing.T, b *bench, dir string, v journal.Verdict, err error) {
	t.Helper()
	disk, ok := errors.AsType[*DiskError](err)
	if !ok || !disk.Full || v.ExitCode != ExitPreflight || v.OK != 1 || v.Missing != 1 {
		t.Fatalf("verdict %+v, err %v", v, err)
	}
	if err := errors.Join(os.RemoveAll(filepath.Join(dir, "ballast")), os.WriteFile(filepath.Join(dir, "roomy"), nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	measured := len(b.events(journal.SampleEnded))
	v, err = b.run(context.Background(), Again{}, nil)
	if err != nil || v.OK != 2 || v.ExitCode != ExitOK {
		t.Fatalf("resumed: verdict %+v, err %v", v, err)
	}
	if n := len(b.events(journal.SampleEnded)); n != measured+1 {
		t.Errorf("%d samples after %d: what was measured is not measured again", n, measured)
	}
}

// TestDiskThatFillsUpEndsTheRunInOrder: before anything fails.
func TestDiskThatFillsUpEndsTheRunInOrder(t *testing.T) {
	withReserve(t, 8<<20)
	dir := mount(t, "16m")
	b := fills(t, dir, "{ head -c 9000000 /dev/zero >DIR/ballast; sleep 1000; }")
	v, err := b.run(context.Background(), Again{}, nil)
	if err == nil || !strings.HasPrefix(err.Error(), "the disk is nearly full: ") || !strings.Contains(err.Error(), "8.0 MiB stay reserved") {
		t.Errorf("err %v", err)
	}
	ends := b.events(journal.SampleEnded, journal.LaunchEnded, journal.RunEnded)
	if len(ends) != 5 {
		t.Fatalf("not all is told: %v", ends)
	}
	e, derr := journal.Decode[journal.Ended](ends[2])
	if derr != nil || e.Status != StatusFailed || e.Failure.Class != "disk_full" || e.Final {
		t.Errorf("%+v, err %v", e, derr)
	}
	for u, o := range b.state().Outcomes {
		if o.Status == StatusFailed && o.Tried != 0 {
			t.Errorf("%v used up a retry", u)
		}
	}
	if s := b.state(); !strings.Contains(s.Interrupted, "nearly full") || len(s.Warnings) != 0 {
		t.Errorf("interrupted by %q, warnings %q", s.Interrupted, s.Warnings)
	}
	full(t, b, dir, v, err)
}

// TestDiskWithoutAnyRoom: writes fail, and all the same nothing is left and nothing lost.
func TestDiskWithoutAnyRoom(t *testing.T) {
	withReserve(t, 0)
	dir := mount(t, "4m")
	b := fills(t, dir, "{ cat /dev/zero >DIR/ballast 2>/dev/null; exit 1; }")
	v, err := b.run(context.Background(), Again{}, nil)
	full(t, b, dir, v, err)
}

// TestClientThatFailsOnAFullDisk gets the disk's class, whatever it says itself.
func TestClientThatFailsOnAFullDisk(t *testing.T) {
	withReserve(t, 8<<20)
	dir := mount(t, "16m")
	b := fills(t, dir, `{ head -c 9000000 /dev/zero >DIR/ballast; echo "OSError: no room" >&2; exit 1; }`)
	v, err := b.run(context.Background(), Again{}, nil)
	for _, o := range b.state().Outcomes {
		if o.Status != StatusOK && (o.Failure.Class != "disk_full" || o.Final) {
			t.Errorf("%+v, failure %+v", o, o.Failure)
		}
	}
	full(t, b, dir, v, err)
}

func TestRunFolderThatIsTakenAway(t *testing.T) {
	b := newBench(t, "server: {command: 'SERVER', ready: READY}\nclient: {command: 'CLIENT hang'}\n")
	v, err := b.run(context.Background(), Again{}, func(e journal.Event) {
		if e.Type == journal.ClientStarted {
			if err := os.RemoveAll(string(b.folder)); err != nil {
				t.Error(err)
			}
		}
	})
	if disk, ok := errors.AsType[*DiskError](err); !ok || disk.Full || v.ExitCode != ExitPreflight || !strings.Contains(err.Error(), "is not there any more") {
		t.Errorf("verdict %+v, err %v", v, err)
	}
}

func TestDiskThatBecomesReadOnly(t *testing.T) {
	dir := mount(t, "1m")
	d := disk{dir, 0}
	if err := d.look(); err != nil {
		t.Fatal(err)
	}
	if err := unix.Mount("", dir, "", unix.MS_REMOUNT|unix.MS_RDONLY, ""); err != nil {
		t.Fatal(err)
	}
	var e *DiskError
	if err := d.look(); !errors.As(err, &e) || e.Full || !strings.Contains(err.Error(), "has become read-only") {
		t.Error(err)
	}
	b := newBench(t, "server: {command: 'SERVER', ready: READY}\nclient: {command: 'CLIENT'}\n")
	if err := Host(b.plan, b.catalog, PlanUnits(b.plan, 1), filepath.Join(dir, "runs")); err == nil || !strings.Contains(err.Error(), "is read-only") {
		t.Errorf("before the run: %v", err)
	}
}

func TestAsDiskError(t *testing.T) {
	for code, want := range map[error]string{
		unix.ENOSPC: "the disk is full: write x: ", unix.EDQUOT: "the disk is full: write x: ",
		unix.EROFS: "the run folder cannot be written: write x: ", unix.EIO: "the run folder cannot be written: write x: ",
	} {
		e := AsDiskError(errors.Join(errors.New("first"), &os.PathError{Op: "write", Path: "x", Err: code}))
		if e == nil || !strings.HasPrefix(strings.Replace(e.Error(), "first\n", "", 1), want) || !errors.Is(e, code) {
			t.Errorf("%v: %v", code, e)
		}
	}
	if e := AsDiskError(os.ErrNotExist); e != nil {
		t.Error(e)
	}
	if disk, err := (&DiskError{What: "x"}), error(nil); AsDiskError(fmt.Errorf("y: %w", disk)) != disk || AsDiskError(err) != nil {
		t.Error("a disk error is what it is")
	}
}

// TestFileSystemThatHangsAtTheEnd does not hold up a session that is over.
func TestFileSystemThatHangsAtTheEnd(t *testing.T) {
	hangs, release := make(chan struct{}), make(chan struct{})
	ask, bound := statfs, lastLook
	var once sync.Once
	statfs = func(path string, st *unix.Statfs_t) error {
		once.Do(func() { close(hangs) })
		<-release
		return ask(path, st)
	}
	lastLook = 10 * time.Millisecond
	var said bytes.Buffer
	r := &runner{Options: Options{Folder: journal.Folder(t.TempDir()), Plan: &matrix.Plan{}, Log: zerolog.New(&said)}, state: NewState()}
	ctx, end := r.keep(context.Background())
	<-hangs
	end()
	if ctx.Err() == nil || !strings.Contains(said.String(), "does not answer") {
		t.Errorf("ended %v, said %q", ctx.Err(), said.String())
	}
	close(release) // it looks no more
	statfs, lastLook = ask, bound
}
