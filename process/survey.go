package process

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// shmFolder is where POSIX shared memory has its names.
const shmFolder = "/dev/shm"

// birthSlack is how far a file's birth may lie before the start that brought it
// about: the kernel stamps files with the time of its last tick.
const birthSlack = 10 * time.Millisecond

// Listener is a TCP port on which a tree listens.
type Listener struct {
	Addr string `json:"addr"` // address
	Port int    `json:"port"` // TCP port
	// Inode is that of the socket: whoever holds the port by another socket has
	// taken it anew.
	Inode uint64 `json:"inode"`
}

// Holdings is what a tree holds beside its processes and that can outlive them.
type Holdings struct {
	Ports   []Listener `json:"ports,omitempty"`   // on which it listens, besides the server's own
	Objects []Object   `json:"objects,omitempty"` // shared memory and unix sockets
}

// Survey looks again and again at what a tree holds. What it has seen once it
// does not look for again, so that a look at which nothing is new costs little: the
// list of listeners, of bound unix sockets, and one stat per folder.
//
// An object counts as the tree's when it was born after the tree's start, belongs
// to this user, and a process of the tree has it mapped as shared memory that it
// can write, or, in /dev/shm, open for writing. What a server only reads, such as
// a model's weights in /dev/shm, and what it writes like any file, such as a log in
// /tmp, is no shared memory.
type Survey struct {
	tree    *Process
	since   time.Time
	folders []*folder
	sockets map[uint64]bool   // inodes that were looked at
	seen    map[objectID]bool // objects that were
	held    Holdings
}

// folder is one in which new files are looked for.
type folder struct {
	path   string
	kind   string
	listed time.Time // its time of change when it was
}

// Survey begins to look at what the tree holds. tmp are the folders in which its
// processes make temporary files; only what lies directly in them counts.
func (p *Process) Survey(tmp ...string) *Survey {
	s := &Survey{tree: p, since: p.ordered.Add(-birthSlack), sockets: map[uint64]bool{}, seen: map[objectID]bool{}}
	s.folders = append(s.folders, &folder{path: shmFolder, kind: ObjectShm})
	for _, path := range tmp {
		path = filepath.Clean(path)
		if !slices.ContainsFunc(s.folders, func(f *folder) bool { return f.path == path }) {
			s.folders = append(s.folders, &folder{path: path, kind: ObjectFile})
		}
	}
	return s
}

// Held is what the looks so far have found. Objects that are gone since may still stand in it.
func (s *Survey) Held() Holdings {
	return Holdings{Ports: slices.Clone(s.held.Ports), Objects: slices.Clone(s.held.Objects)}
}

// Unclaimed is shared memory in /dev/shm that this user made since the tree's
// start, that is not proven to be the tree's, and that nobody uses now.
func (s *Survey) Unclaimed() (found []Object) {
	entries, err := os.ReadDir(shmFolder)
	if err != nil {
		return nil
	}
	for _, e := range entries {
		o, uid, ok := objectAt(ObjectShm, filepath.Join(shmFolder, e.Name()))
		if ok && s.mayBeOurs(o, uid) && !slices.ContainsFunc(s.held.Objects, o.same) && !o.InUse() {
			found = append(found, o)
		}
	}
	return found
}

// Look takes in what is new and says whether something was found or a port was
// let go. When ctx ends first, the error is its cause, and what was not looked at
// stays for the next look.
func (s *Survey) Look(ctx context.Context) (changed bool, err error) {
	c, changed, err := s.candidates()
	if err != nil {
		return false, fmt.Errorf("find what the tree of pid %d holds: %w", s.tree.id.PID, err)
	}
	if c.none() && len(c.segments) == 0 {
		c.settle()
		return changed, nil
	}
	t, err := scan()
	if err != nil {
		return changed, fmt.Errorf("find what the tree of pid %d holds: %w", s.tree.id.PID, err)
	}
	tree := s.tree.members(t)
	for _, p := range tree {
		for _, seg := range c.segments {
			if seg.creator == p.pid {
				c.keep(seg.object(), seg.uid)
			}
		}
	}
	for _, look := range []func(pid int, writing bool){c.open, c.mapped} {
		for _, p := range tree {
			if ctx.Err() != nil {
				return s.take(c) || changed, context.Cause(ctx)
			}
			look(p.pid, true)
		}
	}
	c.settle()
	return s.take(c) || changed, nil
}

// take adds what was found to what is held.
func (s *Survey) take(c *candidates) bool {
	s.held.Ports = append(s.held.Ports, c.ports...)
	s.held.Objects = append(s.held.Objects, c.found...)
	return len(c.ports)+len(c.found) > 0
}

// candidates are what is new on the host since the last look and could be the tree's.
type candidates struct {
	*wanted
	survey   *Survey
	segments []sysVSegment
	ports    []Listener
	found    []Object
	looked   []func() // remember that it was looked at
}

// settle remembers that all of them were looked at.
func (c *candidates) settle() {
	for _, f := range c.looked {
		f()
	}
}

// candidates lists what is new; released says that a port is no longer listened on.
func (s *Survey) candidates() (c *candidates, released bool, err error) {
	c = &candidates{wanted: newWanted(), survey: s}
	listening, err := allListeners()
	if err != nil {
		return nil, false, err
	}
	alive := map[uint64]bool{}
	for _, l := range listening {
		alive[l.inode] = true
		c.newSocket(l.inode, func() {
			c.ports = append(c.ports, Listener{Addr: l.local.Addr().String(), Port: int(l.local.Port()), Inode: l.inode})
		})
	}
	before := len(s.held.Ports)
	s.held.Ports = slices.DeleteFunc(s.held.Ports, func(l Listener) bool { return !alive[l.Inode] })
	for _, u := range unixSockets() {
		c.newSocket(u.inode, func() {
			if o, uid, ok := objectAt(ObjectSocket, u.path); ok {
				c.keep(o, uid)
			}
		})
	}
	for _, f := range s.folders {
		c.newFiles(f)
	}
	for _, seg := range sysVSegments() {
		if !s.seen[seg.object().id()] {
			c.segments = append(c.segments, seg)
			c.looked = append(c.looked, func() { s.seen[seg.object().id()] = true })
		}
	}
	return c, len(s.held.Ports) < before, nil
}

// keep takes in an object that a process of the tree holds, once.
func (c *candidates) keep(o Object, uid int) {
	if c.survey.mayBeOurs(o, uid) && !c.survey.seen[o.id()] {
		c.survey.seen[o.id()] = true
		c.found = append(c.found, o)
	}
}

func (c *candidates) newSocket(inode uint64, found func()) {
	if c.survey.sockets[inode] || inode == 0 {
		return
	}
	looked := func() { c.survey.sockets[inode] = true }
	c.looked = append(c.looked, looked)
	c.sockets[inode] = func() { looked(); found() }
}

// newFiles lists a folder in which something was made or removed since it was last listed.
func (c *candidates) newFiles(f *folder) {
	info, err := os.Stat(f.path)
	if err != nil || info.ModTime().Equal(f.listed) {
		return
	}
	entries, err := os.ReadDir(f.path)
	if err != nil {
		return
	}
	for _, e := range entries {
		o, uid, ok := objectAt(f.kind, filepath.Join(f.path, e.Name()))
		if ok && !c.survey.seen[o.id()] && c.survey.mayBeOurs(o, uid) {
			c.file(o, f.kind == ObjectShm, func() { c.keep(o, uid) })
			c.looked = append(c.looked, func() { c.survey.seen[o.id()] = true })
		}
	}
	// What is made in the tick of the listing leaves the folder's time as it is.
	if time.Since(info.ModTime()) > 2*birthSlack {
		c.looked = append(c.looked, func() { f.listed = info.ModTime() })
	}
}

// mayBeOurs rules out what is older than the tree or another user's.
func (s *Survey) mayBeOurs(o Object, uid int) bool {
	since := s.since
	if o.Kind == ObjectSysV { // its time is in seconds
		since = since.Truncate(time.Second)
	}
	return uid == os.Geteuid() && !o.Born.Before(since)
}
