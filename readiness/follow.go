package readiness

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/fsnotify/fsnotify"

	"servematrix/logfile"
)

const (
	// pollSlow is only a backstop: inotify says nothing of writes by another
	// host (NFS), through a symbolic link, or to a deleted file.
	pollSlow = 250 * time.Millisecond
	// pollFast is the pace where files cannot be watched, for example because
	// the user's inotify instances are used up.
	pollFast = 10 * time.Millisecond
	// settled is how long an unfinished line must stay as it is before it is
	// tested: half a line that is being written must not pass for a whole one.
	settled = 10 * time.Millisecond
	// readSize is the buffer of one read.
	readSize = 64 << 10
)

// follower reads one log from its start as it grows, across truncation,
// deletion and replacement, and gives each line to take.
type follower struct {
	path   string                         // absolute
	take   func(line []byte, no int) bool // each line, uncleaned; true: it was of use
	onGrow func()                         // something new was read
	wake   chan struct{}                  // the file may have grown
	file   *os.File
	info   os.FileInfo // of file, to see a replacement
	offset int64
	split  splitter
	buf    []byte
	tested int64 // length of the unfinished line when it was last tested
	used   bool  // the unfinished line was of use already and must not count twice
}

// followAll follows files until ctx ends and wg is done. take and onGrow are
// called from one goroutine per file.
func followAll(ctx context.Context, wg *sync.WaitGroup, files []string, take func(file string, line []byte, no int) bool, onGrow func()) {
	byPath := map[string]*follower{}
	for _, name := range files {
		abs, err := filepath.Abs(name)
		if err != nil {
			abs = name
		}
		f := &follower{path: abs, onGrow: onGrow, wake: make(chan struct{}, 1), buf: make([]byte, readSize)}
		f.take = func(line []byte, no int) bool { return take(name, line, no) }
		f.split = splitter{limit: lineCap, emit: f.whole}
		byPath[abs] = f
	}
	poll := pollSlow
	if !watch(ctx, wg, byPath) {
		poll = pollFast
	}
	for _, f := range byPath {
		wg.Go(func() { f.run(ctx, poll) })
	}
}

// watch wakes the followers when their files change. It watches folders, since
// a file may not exist yet or be replaced. False: some folder is not watched.
func watch(ctx context.Context, wg *sync.WaitGroup, byPath map[string]*follower) bool {
	w, err := fsnotify.NewWatcher()
	if err != nil {
		return false
	}
	all := true
	for path := range byPath {
		if w.Add(filepath.Dir(path)) != nil {
			all = false
		}
	}
	wg.Go(func() {
		// Not waited for: the kernel takes about 10 ms to take an inotify
		// instance down, on the way from the ready line to the client's start.
		defer func() { go w.Close() }()
		for {
			select {
			case <-ctx.Done():
				return
			case e, ok := <-w.Events:
				if !ok {
					return
				}
				if f := byPath[e.Name]; f != nil {
					f.nudge()
				}
			case _, ok := <-w.Errors: // an overflow: events were lost
				if !ok {
					return
				}
				for _, f := range byPath {
					f.nudge()
				}
			}
		}
	})
	return all
}

func (f *follower) nudge() {
	select {
	case f.wake <- struct{}{}:
	default:
	}
}

func (f *follower) run(ctx context.Context, poll time.Duration) {
	defer func() {
		if f.file != nil {
			f.file.Close()
		}
	}()
	tick := time.NewTicker(poll)
	defer tick.Stop()
	for {
		f.drain(ctx)
		var quiet <-chan time.Time
		if n := f.split.length(); n > 0 && n != f.tested {
			quiet = time.After(settled)
		}
		select {
		case <-ctx.Done():
			return
		case <-f.wake:
		case <-tick.C:
		case <-quiet:
			f.partial()
		}
	}
}

// drain reads to the end of what is there.
func (f *follower) drain(ctx context.Context) {
	for ctx.Err() == nil {
		if f.file == nil && !f.open() {
			return
		}
		n, _ := f.file.Read(f.buf)
		if n == 0 {
			if !f.begunAnew() {
				return
			}
			continue
		}
		f.offset += int64(n)
		f.onGrow()
		if !f.pastHole(f.buf[:n]) {
			f.split.write(f.buf[:n])
		}
	}
}

// pastHole goes on where the data does when all that was read is NUL: a writer
// that outran us has had the middle of its log cut out, or made a hole itself.
func (f *follower) pastHole(read []byte) bool {
	if read[0] != 0 || bytes.Count(read, nul) < len(read) {
		return false
	}
	data, _, err := logfile.Next(f.file, f.offset)
	if err != nil || data == f.offset {
		return false
	}
	if f.offset, err = f.file.Seek(data, io.SeekStart); err != nil {
		return false
	}
	f.split.write([]byte(logfile.Break(0)))
	return true
}

var nul = []byte{0}

func (f *follower) open() bool {
	file, err := os.Open(f.path)
	if err != nil {
		return false
	}
	info, err := file.Stat()
	if err != nil {
		file.Close()
		return false
	}
	f.file, f.info, f.offset = file, info, 0
	return true
}

// begunAnew notices, at the end of the file, that it was truncated or that
// another file has its name now, and goes to the start. A deleted file is read
// on through the open descriptor: its writer has it open too.
func (f *follower) begunAnew() bool {
	info, err := os.Stat(f.path)
	if err != nil {
		return false
	}
	same := os.SameFile(info, f.info)
	if same && info.Size() >= f.offset {
		return false
	}
	if n, _ := f.file.Read(f.buf); !same && n > 0 { // written between the last read and the replacement
		f.offset += int64(n)
		f.split.write(f.buf[:n])
		return true
	}
	f.partial()
	f.split.restart()
	f.tested, f.used = 0, false
	f.file.Close()
	f.file = nil
	return true
}

// partial tests the unfinished line: the ready line may never get its newline.
func (f *follower) partial() {
	f.tested = f.split.length()
	if !f.used && f.tested > 0 {
		f.used = f.take(bytes.Clone(f.split.pending()), f.split.done+1)
	}
}

// whole takes a finished line from the splitter.
func (f *follower) whole(line []byte, no int) {
	used := f.used
	f.tested, f.used = 0, false
	if !used {
		f.take(line, no)
	}
}
