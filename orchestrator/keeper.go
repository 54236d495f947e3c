package orchestrator

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"sync"
	"time"

	"servematrix/journal"
	"servematrix/logfile"
)

// lastLook bounds the wait for the keeper at the session's end: a file system that hangs
// in a system call would hold up what is done otherwise. A variable for the tests only.
var lastLook = 5 * time.Second

// lookEvery is how often the keeper looks: what is written in between can pass a limit.
const lookEvery = time.Second

// keeper looks once a second, beside all else, at what grows while a run lives:
// the logs of what runs, and what is taken of the disk.
type keeper struct {
	limit int64 // of one log, in bytes on disk; 0: none
	disk  disk
	full  func(error)  // ends the run
	warn  func(string) // from beside the run

	mu     sync.Mutex
	logs   map[string]*logfile.Cap // by path
	unable bool                    // it was said already that logs cannot be cut here
}

// keep starts the session's keeper. The context that it gives ends with a
// *DiskError as its cause when the disk runs out; end ends the keeper.
func (r *runner) keep(ctx context.Context) (_ context.Context, end func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	r.keeper = &keeper{
		limit: int64(r.Plan.Run.LogLimit), logs: map[string]*logfile.Cap{},
		disk: disk{string(r.Folder), reserve(len(r.planned()))}, full: cancel,
		warn: func(message string) { r.note(journal.Warning, message) },
	}
	stop, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		r.keeper.run(stop)
	}()
	return ctx, func() {
		close(stop)
		select {
		case <-done:
		case <-time.After(lastLook):
			r.Log.Warn().Msgf("the file system of %s does not answer", r.Folder)
		}
		cancel(nil)
	}
}

// run looks until stop is closed, also after it has ended the run: servers still
// log while they are stopped.
func (k *keeper) run(stop <-chan struct{}) {
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for {
		if err := k.disk.look(); err != nil {
			k.full(err)
		}
		k.look()
		select {
		case <-stop:
			return
		case <-tick.C:
		}
	}
}

// take looks after logs from now on; they are there already.
func (k *keeper) take(paths ...string) {
	if k.limit == 0 {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, path := range paths {
		c, err := logfile.NewCap(path, k.limit)
		if err == nil {
			k.logs[path] = c
		} else if !errors.Is(err, fs.ErrNotExist) { // gone already: its writer took it away
			k.warn(fmt.Sprintf("run.log_limit does not hold for this log: %v", err))
		}
	}
}

// leave lets go of logs whose writers have ended, and gives the bytes that were
// cut out of each, if any.
func (k *keeper) leave(paths ...string) map[string]int64 {
	k.mu.Lock()
	defer k.mu.Unlock()
	cut := map[string]int64{}
	for _, path := range paths {
		c := k.logs[path]
		if c == nil {
			continue
		}
		k.lookAt(path, c)
		if n := c.Cut(); n > 0 {
			cut[path] = n
		}
		delete(k.logs, path)
		c.Close() // nothing was written through it
	}
	return cut
}

func (k *keeper) look() {
	k.mu.Lock()
	defer k.mu.Unlock()
	for path, c := range k.logs {
		k.lookAt(path, c)
	}
}

func (k *keeper) lookAt(path string, c *logfile.Cap) {
	err := c.Look()
	switch {
	case err == nil:
		return
	case !errors.Is(err, logfile.ErrNoHoles):
		k.warn(err.Error())
	case !k.unable:
		k.unable = true
		k.warn(fmt.Sprintf("a log is larger than run.log_limit and cannot be kept smaller: %v", err))
	}
	delete(k.logs, path) // said once
	c.Close()
}

// left tells once of each log whose writer has ended what was cut out of it, and
// takes secrets out of all of them.
func (r *runner) left(paths ...string) {
	cut := r.keeper.leave(paths...)
	for _, path := range paths {
		if n := cut[path]; n > 0 {
			r.warn(fmt.Sprintf("%s: %s (%d bytes) were cut out of its middle while it grew, to keep it under run.log_limit (%s)", r.Folder.Rel(path), logfile.Size(n), n, r.Plan.Run.LogLimit))
		}
	}
	r.hideSecrets(paths...)
}
