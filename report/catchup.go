package report

import (
	"runtime"

	"golang.org/x/sys/unix"
)

// leastNice is the priority of a thread that works only where nobody else wants to.
const leastNice = 19

// catchUp draws the past, once. It does so beside the run, whose servers and clients are not to be
// disturbed: on a thread of the lowest priority, which ends with it.
func (l *Live) catchUp() error {
	if !l.behind {
		return nil
	}
	l.behind = false
	drawn := make(chan error)
	go func() {
		runtime.LockOSThread() // and never unlocked: the thread is not to be used for anything else
		// Where it is refused, the past is drawn at the priority of everything else.
		_ = unix.Setpriority(unix.PRIO_PROCESS, unix.Gettid(), leastNice)
		drawn <- l.drawPast()
	}()
	return <-drawn
}

func (l *Live) drawPast() error {
	if err := l.rows.Write(l.head.head()); err != nil {
		return err
	}
	if l.past != nil {
		for e, err := range l.past {
			if err == nil {
				err = l.add(e)
			}
			if err != nil {
				return err
			}
		}
	}
	return l.flush(true)
}
