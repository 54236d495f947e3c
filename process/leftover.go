package process

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// FindLeftovers finds living processes whose environment holds the run marker
// (RunMarkerEnv=marker; "" is any marker) and that no living guard looks
// after. It never names this process, its ancestors, or pid 1. A process that
// erased or changed its environment, or that belongs to another user, is not
// found this way.
func FindLeftovers(marker string) ([]Survivor, error) {
	return find(func(_ *table, p proc) (Survivor, bool) {
		value, ok := runMarker(p)
		if !ok || marker != "" && value != marker {
			return Survivor{}, false
		}
		s := p.survivor()
		s.Marker = value
		return s, true
	})
}

// FindSession finds living members of a journalled session. leader is the
// process that began it; after a reboot, or in another pid namespace, nothing
// is found. A session's id is not given to a new process while a member lives,
// so members older than the leader, or below another process with its pid,
// show that the id has been reused: those are not named.
func FindSession(sid int, leader Identity) ([]Survivor, error) {
	if sid <= 1 || leader.BootID != bootID() {
		return nil, nil
	}
	t, err := scan()
	if err != nil {
		return nil, fmt.Errorf("find session %d: %w", sid, err)
	}
	var found []Survivor
	spared := t.spared()
	for _, p := range t.session(sid, leader) {
		if p.alive() && !spared[p.pid] {
			found = append(found, p.survivor())
		}
	}
	return found, nil
}

// session gives the members of the session that leader began. A server has no
// terminal, so a session on one is somebody's shell.
func (t *table) session(sid int, leader Identity) []proc {
	if p, ok := t.get(sid); ok && sid == leader.PID && p.start != leader.StartTicks {
		return nil
	}
	var members []proc
	for _, p := range t.procs {
		if p.sid == sid && p.start >= leader.StartTicks && p.tty == 0 {
			members = append(members, p)
		}
	}
	return members
}

// FindWriters finds living processes that write to one of these files through
// descriptor 1 or 2, as the servers do whose logs they are. It finds what
// neither session nor marker shows. Who only reads a log is not named.
func FindWriters(paths ...string) ([]Survivor, error) {
	logs := map[string]bool{}
	for _, path := range paths {
		var st unix.Stat_t
		if err := unix.Stat(path, &st); err == nil {
			logs[fmt.Sprint(st.Dev, "/", st.Ino)] = true
		}
	}
	if len(logs) == 0 {
		return nil, nil
	}
	return find(func(_ *table, p proc) (Survivor, bool) {
		folder := p.folder()
		for _, fd := range []string{"1", "2"} {
			var st unix.Stat_t
			if unix.Stat(folder+"/fd/"+fd, &st) == nil &&
				logs[fmt.Sprint(st.Dev, "/", st.Ino)] && writes(folder, fd) {
				return p.survivor(), true
			}
		}
		return Survivor{}, false
	})
}

// writes reads the open mode from the octal "flags:" of fdinfo.
func writes(folder, fd string) bool {
	info, err := os.ReadFile(folder + "/fdinfo/" + fd)
	if err != nil {
		return false
	}
	_, flags, _ := strings.Cut(string(info), "flags:")
	var mode int
	_, err = fmt.Sscanf(flags, "%o", &mode)
	return err == nil && mode&unix.O_ACCMODE != unix.O_RDONLY
}

// find asks about every living process that may be a leftover at all.
func find(match func(*table, proc) (Survivor, bool)) ([]Survivor, error) {
	t, err := scan()
	if err != nil {
		return nil, fmt.Errorf("find leftovers: %w", err)
	}
	spared, guarded := t.spared(), t.guarded()
	var found []Survivor
	for _, p := range t.procs {
		if !p.alive() || spared[p.pid] || guarded[p.pid] {
			continue
		}
		if s, ok := match(t, p); ok {
			found = append(found, s)
		}
	}
	return found, nil
}

// spared are the processes that are never leftovers: this one, those above it,
// the first process, and the kernel's.
func (t *table) spared() map[int]bool {
	self := os.Getpid()
	spared := map[int]bool{0: true, 1: true, 2: true, self: true}
	for _, pid := range t.ancestors(self) {
		spared[pid] = true
	}
	return spared
}

// guarded are the living guards and all below them: those are still looked
// after, or belong to a run that is under way.
func (t *table) guarded() map[int]bool {
	guarded := map[int]bool{}
	var roots []int
	for _, p := range t.procs {
		if p.alive() && p.comm == commName && isGuard(p.pid) {
			roots = append(roots, p.pid)
			guarded[p.pid] = true
		}
	}
	for _, p := range t.below(roots...) {
		guarded[p.pid] = true
	}
	return guarded
}

func isGuard(pid int) bool { return cmdline(pid) == guardName }

// runMarker reads the marker from a process's environment.
func runMarker(p proc) (string, bool) {
	environ, err := os.ReadFile(p.folder() + "/environ")
	if err != nil {
		return "", false
	}
	for entry := range bytes.SplitSeq(environ, []byte{0}) {
		if value, ok := bytes.CutPrefix(entry, []byte(RunMarkerEnv+"=")); ok {
			return string(value), true
		}
	}
	return "", false
}

// EndLeftovers ends these processes and whatever they have started: SIGTERM,
// after the grace SIGKILL, each through a pidfd and only while its identity is
// still the one that was found. It gives those that are left when SIGKILL has
// had leftoverBound, or one second once ctx has ended: all of them when nobody could
// look whether they are. Empty cgroups that killed guards left are removed, also when
// there is nobody to end.
func EndLeftovers(ctx context.Context, s []Survivor, grace time.Duration) (left []Survivor) {
	want := map[Identity]bool{}
	leaves := forsaken()
	for _, p := range s {
		want[p.Identity] = true
		leaves = append(leaves, leafOf(p.PID))
	}
	defer func() {
		for _, c := range leaves {
			c.remove()
		}
	}()
	if len(want) == 0 {
		return nil
	}
	h := &hunt{find: func(t *table) []proc {
		var found []proc
		spared := t.spared()
		for _, p := range t.procs {
			if want[p.identity()] && !spared[p.pid] {
				found = append(found, p)
			}
		}
		return found
	}}
	if grace > 0 && ctx.Err() == nil {
		if t, err := scan(); err == nil {
			for _, p := range h.members(t) {
				_ = sendAwake(p.identity(), syscall.SIGTERM)
			}
		}
		h.wait(ctx, grace)
	}
	bound := leftoverBound
	if ctx.Err() != nil {
		bound = time.Second
	}
	alive, err := h.end(bound, nil)
	if err != nil {
		return s
	}
	for _, p := range alive {
		left = append(left, p.survivor())
	}
	return left
}

// leftoverBound is how long EndLeftovers waits for SIGKILL to work.
const leftoverBound = 10 * time.Second

// wait returns when nothing of the set is alive, when the time is over, or
// when ctx ends.
func (h *hunt) wait(ctx context.Context, limit time.Duration) {
	over := time.NewTimer(limit)
	defer over.Stop()
	look := time.NewTicker(20 * time.Millisecond)
	defer look.Stop()
	for {
		t, err := scan()
		if err != nil || len(living(h.members(t))) == 0 {
			return
		}
		select {
		case <-look.C:
		case <-over.C:
			return
		case <-ctx.Done():
			return
		}
	}
}
