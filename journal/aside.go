package journal

import "runtime"

// leastNice is the priority of a thread that works only where nobody else wants to.
const leastNice = 19

// Aside does work beside a run, whose servers and clients are not to be disturbed: on a thread of
// the lowest priority, which ends with it. The channel is closed when it is done.
func Aside(work func()) <-chan struct{} {
	done := make(chan struct{})
	go func() {
		defer close(done)
		runtime.LockOSThread() // and never unlocked: the thread is not to be used for anything else
		// Where it is refused, the work is done at the priority of everything else.
		_ = lowerThread(leastNice)
		work()
	}()
	return done
}
