package process

import (
	"runtime"
	"sync"
	"syscall"
)

// reaper is the one place in a guard that reaps. It blocks in waitid(2) on a
// thread of its own, so that an exit is known as fast as the kernel can tell
// and an idle guard does not run at all.
type reaper struct {
	// mu is held while a child is reaped. Who holds it knows that every child
	// of the guard, dead or alive, keeps its pid and its group.
	mu    sync.Mutex
	begin chan int // the leader's pid; closed when there will be none
	// onLeader is called on the reaper's thread the moment the leader is reaped.
	onLeader func(Exit)
	// empty is closed when the guard has no child left. To a subreaper every
	// orphan of its tree comes home, so no child means no descendant, and
	// nobody is left who could fork one.
	empty chan struct{}
}

func newReaper(onLeader func(Exit)) *reaper {
	return &reaper{begin: make(chan int), onLeader: onLeader, empty: make(chan struct{})}
}

// run reaps until nothing is left. It must not begin before fork and exec are
// over: syscall.ForkExec itself reaps a child that could not be executed.
func (r *reaper) run(threadReady func()) {
	runtime.LockOSThread()
	threadReady()
	leader, ok := <-r.begin
	if !ok {
		return
	}
	for {
		// Only look (WNOWAIT); the reaping needs the lock.
		_, err := retry(func() (struct{}, error) {
			return struct{}{}, awaitAnyExit()
		})
		if err != nil { // ECHILD
			close(r.empty)
			return
		}
		var ws syscall.WaitStatus
		r.mu.Lock()
		pid, err := syscall.Wait4(-1, &ws, syscall.WNOHANG, nil)
		r.mu.Unlock()
		if err == nil && pid == leader {
			r.onLeader(exitOf(ws))
		}
	}
}
