package journal

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"
	"golang.org/x/sys/unix"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func newFolder(t *testing.T) (Folder, *Lock) {
	t.Helper()
	f, lock, err := Create(t.TempDir(), "test", time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), map[string][]byte{PlanFile: []byte("{}")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { lock.Release() })
	return f, lock
}

// open opens the journal for a session behind what is there.
func open(t testing.TB, f Folder) *Writer {
	t.Helper()
	end, err := f.Read(func(Event) error { return nil })
	if err != nil {
		t.Fatal(err)
	}
	w, err := f.Append(end)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func write(t *testing.T, w *Writer, typ Type, data any) {
	t.Helper()
	if _, err := w.Write(Event{Type: typ}, data, false); err != nil {
		t.Fatal(err)
	}
}

func TestFolderAppearsWholeAndIsExclusive(t *testing.T) {
	parent := t.TempDir()
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	var names []string
	for range 3 {
		f, lock, err := Create(parent, "sweep", now, map[string][]byte{PlanFile: []byte("{}")})
		if err != nil {
			t.Fatal(err)
		}
		defer lock.Release()
		names = append(names, filepath.Base(string(f)))
		if _, err := Open(string(f)); err != nil {
			t.Error(err)
		}
	}
	if got, want := strings.Join(names, " "), "sweep-20260102T030405Z sweep-20260102T030405Z-2 sweep-20260102T030405Z-3"; got != want {
		t.Errorf("names %s, want %s", got, want)
	}
	entries, err := os.ReadDir(parent)
	if err != nil || len(entries) != 3 {
		t.Errorf("%d entries, err %v: a dot folder was left", len(entries), err)
	}
}

func TestCreateThatFailsLeavesNothing(t *testing.T) {
	parent := t.TempDir()
	if _, _, err := Create(parent, "x", time.Now(), map[string][]byte{"no/such/folder": nil}); err == nil {
		t.Fatal("no error")
	}
	if entries, err := os.ReadDir(parent); err != nil || len(entries) != 0 {
		t.Errorf("%v left, err %v", entries, err)
	}
}

func TestLockIsExclusive(t *testing.T) {
	f, lock := newFolder(t)
	if !f.Live() {
		t.Error("a locked folder must be live")
	}
	if _, err := f.Lock(); !errors.Is(err, ErrLocked) {
		t.Errorf("second lock: %v", err)
	}
	if err := lock.Release(); err != nil {
		t.Fatal(err)
	}
	if f.Live() {
		t.Error("a released folder must not be live")
	}
}

func TestEventsComeBackAsWritten(t *testing.T) {
	f, _ := newFolder(t)
	w := open(t, f)
	wrote, err := w.Write(Event{Type: SampleEnded, Cell: "c", Block: 1, Attempt: 2}, Ended{Status: "ok", SHA256: "ab"}, true)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	events, err := f.Replay()
	if err != nil || len(events) != 1 {
		t.Fatal(events, err)
	}
	if e := events[0]; e.Seq != 1 || e.Session != 1 || !e.Time.Equal(wrote.Time) || e.Mono != wrote.Mono || e.Cell != "c" {
		t.Errorf("%+v, want %+v", e, wrote)
	}
	if d, err := Decode[Ended](events[0]); err != nil || d.Status != "ok" || d.SHA256 != "ab" {
		t.Errorf("%+v, %v", d, err)
	}
}

func TestTornLineIsCutAndTheJournalGoesOn(t *testing.T) {
	for name, torn := range map[string]string{
		"half a line":                       `{"seq":3,"type":"war`,
		"a line without end":                `{"seq":3,"time":"2026-01-02T03:04:05Z","mono":1,"session":1,"type":"warning"}`,
		"zeroes":                            "\x00\x00\x00\x00\n",
		"zeroes at the end":                 "\x00\x00\x00\x00",
		"a line torn and padded":            `{"seq":3,"type":"war` + strings.Repeat("\x00", 5000),
		"zeroes in two lines":               "\x00\x00\n\x00\x00\n\x00",
		"more zeroes than are read at once": strings.Repeat("\x00", 3*blockSize),
	} {
		t.Run(name, func(t *testing.T) {
			f, _ := newFolder(t)
			w := open(t, f)
			write(t, w, RunStarted, Session{})
			write(t, w, Warning, Note{"one"})
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
			file, err := os.OpenFile(f.Path(EventsFile), os.O_APPEND|os.O_WRONLY, 0)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := file.WriteString(torn); err != nil {
				t.Fatal(err)
			}
			file.Close()

			if past, err := f.Replay(); err != nil || len(past) != 2 {
				t.Fatalf("%d events, err %v; want the 2 whole ones", len(past), err)
			}
			w = open(t, f)
			write(t, w, RunResumed, Session{})
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
			events, err := f.Replay()
			if err != nil || len(events) != 3 || events[2].Seq != 3 || events[2].Session != 2 {
				t.Errorf("%+v, err %v", events, err)
			}
		})
	}
}

func TestDamageInTheMiddleIsAnError(t *testing.T) {
	f, _ := newFolder(t)
	if err := os.WriteFile(f.Path(EventsFile), []byte("garbage\n{\"seq\":2}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Replay(); err == nil || !strings.Contains(err.Error(), EventsFile+":1:") {
		t.Errorf("err %v, want the line named", err)
	}
}

func TestSubscribersSeeEverythingInOrder(t *testing.T) {
	f, _ := newFolder(t)
	w := open(t, f)
	var seen []int64
	w.Subscribe(func(e Event) { seen = append(seen, e.Seq) })
	var wg sync.WaitGroup
	for range 4 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for range 50 {
				if _, err := w.Write(Event{Type: Warning}, Note{"x"}, false); err != nil {
					t.Error(err)
				}
			}
		}()
	}
	wg.Wait()
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if len(seen) != 200 {
		t.Fatalf("%d events seen", len(seen))
	}
	for i, seq := range seen {
		if seq != int64(i+1) {
			t.Fatalf("event %d has seq %d", i, seq)
		}
	}
}

// TestWriteBesideClose: a signal's note can come while the journal is closed.
func TestWriteBesideClose(t *testing.T) {
	f, _ := newFolder(t)
	w := open(t, f)
	var told atomic.Int64
	w.Subscribe(func(Event) { told.Add(1) })
	var written int64
	begun, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		for err := error(nil); err == nil; {
			if _, err = w.Write(Event{Type: Warning}, nil, false); err == nil {
				if written++; written == 1 {
					close(begun)
				}
			}
		}
	}()
	<-begun
	if err := w.Close(); err != nil {
		t.Error(err)
	}
	<-done
	events, err := f.Replay()
	if err != nil || int64(len(events)) != written || told.Load() != written {
		t.Errorf("%d events written, %d in the journal, %d told, err %v", written, len(events), told.Load(), err)
	}
}

func TestFollowSeesPastAndComing(t *testing.T) {
	f, _ := newFolder(t)
	w := open(t, f)
	write(t, w, Warning, Note{"1"})
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	n := 0
	err := f.Follow(ctx, func(Event) bool {
		n++
		if n < 5 {
			write(t, w, Warning, Note{fmt.Sprint(n)})
		}
		return n < 5
	}, nil)
	if err != nil || n != 5 {
		t.Errorf("%d events, err %v", n, err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestLockOutlivesItsHolder: what a killed holder was about to execute, and
// whoever looks whether a run lives, have the lock for a moment.
func TestLockOutlivesItsHolder(t *testing.T) {
	f := Folder(t.TempDir())
	other, err := os.Create(f.Path(lockFile))
	if err != nil {
		t.Fatal(err)
	}
	if err := unix.Flock(int(other.Fd()), unix.LOCK_SH); err != nil {
		t.Fatal(err)
	}
	time.AfterFunc(30*time.Millisecond, func() { other.Close() })
	l, err := f.Lock()
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Release(); err != nil {
		t.Error(err)
	}
}
