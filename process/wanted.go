package process

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// fileKey names a file as /proc/PID/maps does.
type fileKey struct{ dev, ino uint64 }

// wanted are sockets and files whose holders are looked for; each one's function is
// called when a holder is found, and it is wanted no more.
type wanted struct {
	sockets map[uint64]func() // by inode
	files   map[fileKey]func()
	paths   map[string]fileKey // of those files for which a descriptor is enough
}

func newWanted() *wanted {
	return &wanted{sockets: map[uint64]func(){}, files: map[fileKey]func(){}, paths: map[string]fileKey{}}
}

// file wants a mapping of an object, or a descriptor too.
func (w *wanted) file(o Object, descriptor bool, found func()) {
	key := fileKey{o.Dev, o.Ino}
	w.files[key] = found
	if descriptor {
		w.paths[o.Path] = key
	}
}

func (w *wanted) none() bool { return len(w.sockets)+len(w.files) == 0 }

func (w *wanted) foundSocket(inode uint64) {
	if f := w.sockets[inode]; f != nil {
		f()
		delete(w.sockets, inode)
	}
}

func (w *wanted) foundFile(key fileKey) {
	if f := w.files[key]; f != nil {
		f()
		delete(w.files, key)
	}
}

// open looks through the descriptors of a process. With writing only files that
// are open for writing count. Of a process that we may not look into nothing is found.
func (w *wanted) open(pid int, writing bool) {
	if len(w.sockets)+len(w.paths) == 0 {
		return
	}
	folder := fmt.Sprintf("/proc/%d/fd", pid)
	dir, err := os.Open(folder)
	if err != nil {
		return
	}
	defer dir.Close()
	names, _ := dir.Readdirnames(-1)
	for _, name := range names {
		if w.none() {
			return
		}
		link, err := os.Readlink(folder + "/" + name)
		if err != nil {
			continue
		}
		if number, ok := strings.CutPrefix(link, "socket:["); ok {
			if inode, err := strconv.ParseUint(strings.TrimSuffix(number, "]"), 10, 64); err == nil {
				w.foundSocket(inode)
			}
			continue
		}
		// Asked by name first: a stat of whatever is open may hang on a dead network mount.
		key, ok := w.paths[link]
		var st unix.Stat_t
		if ok && unix.Stat(folder+"/"+name, &st) == nil && key == (fileKey{uint64(st.Dev), st.Ino}) && (!writing || writes(filepath.Dir(folder), name)) {
			w.foundFile(key)
		}
	}
}

// mapped looks through the mappings of a process. With writing only those count
// that are shared and can be written, as shared memory is. A line is
// "start-end perms offset major:minor inode path", see proc_pid_maps(5).
func (w *wanted) mapped(pid int, writing bool) {
	if len(w.files) == 0 {
		return
	}
	f, err := os.Open("/proc/" + strconv.Itoa(pid) + "/maps")
	if err != nil {
		return
	}
	defer f.Close()
	buf := make([]byte, 64<<10)
	for kept := 0; len(w.files) > 0; {
		n, err := f.Read(buf[kept:])
		text := buf[:kept+n]
		for {
			line, rest, whole := bytes.Cut(text, []byte{'\n'})
			if !whole {
				break
			}
			w.mapping(line, writing)
			text = rest
		}
		if kept = copy(buf, text); kept == len(buf) || err != nil && err != io.EOF || n == 0 {
			return
		}
	}
}

func (w *wanted) mapping(line []byte, writing bool) {
	_, rest, _ := bytes.Cut(line, []byte{' '})
	if len(rest) < 5 || writing && (rest[1] != 'w' || rest[3] != 's') {
		return
	}
	fields := bytes.Fields(rest[5:]) // offset, device, inode, path
	if len(fields) < 4 {
		return
	}
	major, minor, _ := strings.Cut(string(fields[1]), ":")
	high, err1 := strconv.ParseUint(major, 16, 32)
	low, err2 := strconv.ParseUint(minor, 16, 32)
	inode, ok := atou(fields[2])
	if err1 == nil && err2 == nil && ok {
		w.foundFile(fileKey{unix.Mkdev(uint32(high), uint32(low)), inode})
	}
}
