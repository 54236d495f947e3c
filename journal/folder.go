package journal

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/gofrs/flock"
	"github.com/google/renameio/v2"
	"golang.org/x/sys/unix"
)

// Names inside a run folder.
const (
	SweepFile  = "sweep.yaml"
	PlanFile   = "plan.json"
	HostFile   = "host.json"
	EventsFile = "events.jsonl"
	lockFile   = "run.lock"
	// AttemptLock is the file in a launch's or an attempt's folder that its guard keeps locked while it lives.
	AttemptLock = "guard.lock"
	SampleFile  = "sample.json"
	// What a server or a client printed, in its launch's or attempt's folder.
	ServerOut = "server.out"
	ServerErr = "server.err"
	ClientOut = "client.out"
	ClientErr = "client.err"
	// TelemetryFile is what host, devices and engine were like while the client ran, one telemetry.Reading a line.
	TelemetryFile = "telemetry.jsonl"
)

// A run folder and its files hold commands and logs that are nobody else's business.
const (
	dirMode  = 0o700
	fileMode = 0o600
)

// ErrLocked says that another servematrix is working on the run folder.
var ErrLocked = errors.New("another servematrix is working on this run folder")

// Folder is a run folder. The paths it gives are inside it.
type Folder string

// LaunchDir is the folder of one server start.
func (f Folder) LaunchDir(launch string) string { return filepath.Join(string(f), "launches", launch) }

// AttemptName is the path of one attempt at a cell, relative to the run folder.
func AttemptName(cell string, block, attempt int) string {
	return filepath.Join("cells", cell, "b"+strconv.Itoa(block)+"-a"+strconv.Itoa(attempt))
}

// Path joins a path that is relative to the run folder.
func (f Folder) Path(elem ...string) string {
	return filepath.Join(append([]string{string(f)}, elem...)...)
}

// Rel gives a path inside the folder relative to it; others unchanged.
func (f Folder) Rel(path string) string {
	if rel, err := filepath.Rel(string(f), path); err == nil && !strings.HasPrefix(rel, "..") {
		return rel
	}
	return path
}

// Create makes the run folder parent/NAME-TIME whole or not at all: it is
// filled under a dot name, synced and renamed to a name that nobody has. The
// folder comes back locked for the caller.
func Create(parent, name string, now time.Time, files map[string][]byte) (Folder, *Lock, error) {
	if err := os.MkdirAll(parent, 0o755); err != nil {
		return "", nil, fmt.Errorf("make the parent folder of the run: %w", err)
	}
	tmp, err := os.MkdirTemp(parent, "."+name+"-")
	if err != nil {
		return "", nil, fmt.Errorf("make the run folder: %w", err)
	}
	folder, lock, err := fill(tmp, filepath.Join(parent, name+"-"+now.UTC().Format("20060102T150405Z")), files)
	if err != nil {
		os.RemoveAll(tmp)
		return "", nil, fmt.Errorf("make the run folder: %w", err)
	}
	return folder, lock, nil
}

func fill(tmp, final string, files map[string][]byte) (Folder, *Lock, error) {
	for name, data := range files {
		if err := writeSynced(filepath.Join(tmp, name), data); err != nil {
			return "", nil, err
		}
	}
	for _, dir := range []string{"launches", "cells"} {
		if err := os.Mkdir(filepath.Join(tmp, dir), dirMode); err != nil {
			return "", nil, err
		}
	}
	if _, given := files[EventsFile]; !given {
		if err := writeSynced(filepath.Join(tmp, EventsFile), nil); err != nil {
			return "", nil, err
		}
	}
	lock, err := Folder(tmp).Lock()
	if err != nil {
		return "", nil, err
	}
	if err := syncDir(tmp); err != nil {
		lock.Release()
		return "", nil, err
	}
	place := final
	for n := 2; ; n++ {
		err = renameNew(tmp, place)
		if errors.Is(err, unix.EINVAL) || errors.Is(err, errors.ErrUnsupported) {
			err = renameIfFree(tmp, place) // a file system without the flag, such as NFS
		}
		if !errors.Is(err, fs.ErrExist) {
			break
		}
		place = fmt.Sprintf("%s-%d", final, n)
	}
	if err == nil {
		err = syncDir(filepath.Dir(place))
	}
	if err != nil {
		lock.Release()
		return "", nil, err
	}
	return Folder(place), lock, nil
}

func renameIfFree(from, to string) error {
	if _, err := os.Lstat(to); err == nil {
		return fs.ErrExist
	}
	return os.Rename(from, to)
}

// Open checks that dir is a run folder.
func Open(dir string) (Folder, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	for _, name := range []string{PlanFile, EventsFile} {
		_, err := os.Stat(filepath.Join(abs, name))
		if errors.Is(err, fs.ErrPermission) {
			return "", fmt.Errorf("the run folder cannot be read: %w", err)
		}
		if err != nil {
			return "", fmt.Errorf("%s is not a run folder: %w", dir, err)
		}
	}
	return Folder(abs), nil
}

// List gives the run folders under parent, oldest first by name's time.
func List(parent string) ([]Folder, error) {
	runs, _, err := ListAll(parent)
	return runs, err
}

// ListAll also gives the folders into which this user may not look: they can be runs
// of somebody else.
func ListAll(parent string) (runs, closed []Folder, err error) {
	entries, err := os.ReadDir(parent)
	if err != nil {
		return nil, nil, err
	}
	for _, e := range entries {
		if !e.IsDir() || strings.HasPrefix(e.Name(), ".") {
			continue
		}
		path := filepath.Join(parent, e.Name())
		f, err := Open(path)
		switch {
		case err == nil:
			runs = append(runs, f)
		case errors.Is(err, fs.ErrPermission):
			closed = append(closed, Folder(path))
		}
	}
	return runs, closed, nil
}

// Writable says why nothing can be written into the run folder, such as a
// read-only file system or another user's folder; nil when it can.
func (f Folder) Writable() error {
	for _, path := range []string{string(f), f.Path(EventsFile)} {
		if err := unix.Access(path, unix.W_OK); err != nil {
			return fmt.Errorf("the run folder cannot be written: %s: %w", path, err)
		}
	}
	return nil
}

// Lock is the run lock: its holder is the one orchestrator of the run folder.
// The kernel frees it when the holder ends, however it ends.
type Lock struct{ f *flock.Flock }

// lockWait is how long a lock may outlive its holder: what the holder was about
// to execute when it was killed has the descriptor until then.
const lockWait = time.Second

// Lock takes the run lock, or says ErrLocked.
func (f Folder) Lock() (*Lock, error) {
	l := flock.New(f.Path(lockFile), flock.SetPermissions(fileMode))
	ctx, cancel := context.WithTimeout(context.Background(), lockWait)
	defer cancel()
	ok, err := l.TryLockContext(ctx, 10*time.Millisecond)
	if err != nil && !errors.Is(err, context.DeadlineExceeded) {
		return nil, fmt.Errorf("lock the run folder: %w", err)
	}
	if !ok {
		return nil, fmt.Errorf("%w: %s", ErrLocked, f)
	}
	return &Lock{l}, nil
}

// Release gives the lock back.
func (l *Lock) Release() error { return l.f.Close() }

// Live tells whether an orchestrator holds the run lock now.
func (f Folder) Live() bool { return held(f.Path(lockFile)) }

// GuardLives tells whether the guard of the launch or attempt folder dir still lives.
func GuardLives(dir string) bool { return held(filepath.Join(dir, AttemptLock)) }

func held(path string) bool {
	file, err := os.Open(path)
	if err != nil {
		return false
	}
	defer file.Close()
	return errors.Is(unix.Flock(int(file.Fd()), unix.LOCK_SH|unix.LOCK_NB), unix.EWOULDBLOCK)
}

// WriteFile replaces a file so that after a crash either the old or the new one
// is there, whole: file synced, renamed, folder synced.
func WriteFile(path string, data []byte) error {
	if err := renameio.WriteFile(path, data, fileMode, renameio.WithStaticPermissions(fileMode)); err != nil {
		return err
	}
	return syncDir(filepath.Dir(path)) // renameio syncs the file only
}

// MakeDir makes a folder below the run folder that must be new.
func (f Folder) MakeDir(rel string) (string, error) {
	dir := f.Path(rel)
	if err := os.MkdirAll(filepath.Dir(dir), dirMode); err != nil {
		return "", err
	}
	return dir, os.Mkdir(dir, dirMode)
}

func writeSynced(path string, data []byte) error {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, fileMode)
	if err != nil {
		return err
	}
	_, err = file.Write(data)
	if err == nil {
		err = file.Sync()
	}
	return errors.Join(err, file.Close())
}

func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	err = d.Sync()
	if errors.Is(err, unix.EINVAL) { // a file system that cannot sync folders
		err = nil
	}
	return errors.Join(err, d.Close())
}
