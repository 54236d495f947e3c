package process

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

const (
	guardName = "servematrix-guard" // argv[0], what ps shows
	commName  = "servematrix-gua"   // the 15 bytes of it that the kernel keeps
	guardEnv  = "SERVEMATRIX_GUARD" // a second sign, so that no user meets it by a link
	ordersFD  = 3                   // read end of the lifeline
	reportsFD = 4                   // write end of what the guard says
	spare     = 6                   // threads beyond the pinned ones, see spawnThreads
)

// GuardMain runs the guard and never returns when this process was started as
// one, and does nothing otherwise. It must be the first call of main, and of
// TestMain where a test starts processes.
func GuardMain() {
	if len(os.Args) == 1 && os.Args[0] == guardName && os.Getenv(guardEnv) != "" {
		(&guardian{}).main()
		os.Exit(0)
	}
}

// guardian is the guard's side: parent, subreaper and only reaper of one tree.
type guardian struct {
	reaper  *reaper
	leader  int
	pgrp    int
	status  Status
	path    string // of the status file
	ladder  *ladder
	exits   chan Exit
	cgroup  cgroup
	sending sync.Mutex // the reaper and the main loop both write reports
}

func (g *guardian) main() {
	closeOnExec()
	_ = os.Chdir("/") // hold no folder of anybody's
	_ = os.WriteFile("/proc/self/comm", []byte(commName), 0)
	if err := becomeSubreaper(); err != nil {
		g.report(report{Failed: failed(&StartError{Class: ClassStartFailed, Op: "become subreaper in", Path: guardName, Err: err})})
		return
	}
	// Caught, not ignored: an ignored signal would stay ignored in the leader.
	// A worker may send SIGQUIT to its parent, and an orphan's parent is us.
	signals := make(chan os.Signal, 4)
	signal.Notify(signals, unix.SIGHUP, unix.SIGINT, unix.SIGQUIT, unix.SIGTERM)

	g.exits = make(chan Exit, 1)
	g.reaper = newReaper(func(exit Exit) {
		g.report(report{Exit: &exit}) // at once, from the reaper's own thread
		g.exits <- exit
	})
	orders := make(chan order)
	spawnThreads(
		func(ready func()) { g.reaper.run(ready) },
		func(ready func()) { readOrders(orders, ready) },
	)
	self, _ := Identify(os.Getpid())
	g.status.Guard = self
	g.cgroup = newCgroup(self)
	defer g.cgroup.remove()
	g.report(report{Ready: &readyNote{Cgroup: g.cgroup}})

	first, ok := <-orders
	if !ok || first.Start == nil {
		return // discarded, or the parent died before it had work for us
	}
	lock, err := g.start(first.Start)
	if err != nil {
		g.report(report{Failed: failed(err)})
		return
	}
	g.watch(orders, signals, first.Start.Deadline)
	runtime.KeepAlive(lock)
}

// watch follows the tree until it has ended.
func (g *guardian) watch(orders <-chan order, signals <-chan os.Signal, deadline time.Duration) {
	own, empty := g.ladder.own, g.reaper.empty
	var overdue <-chan time.Time
	if deadline > 0 {
		overdue = time.After(deadline)
	}
	exits := g.exits
	timer := time.NewTimer(0)
	for !g.ladder.ended() {
		timer.Stop()
		if at, due := g.ladder.next(); due {
			timer.Reset(time.Until(at))
		}
		select {
		case exit := <-exits:
			g.exited(exit)
		case <-empty:
			select { // the exit came first, whichever the outer select took
			case exit := <-exits:
				g.exited(exit)
			default:
			}
			g.ladder.empty()
		case o, ok := <-orders:
			switch {
			case !ok:
				orders = nil
				g.ladder.forced(ActionLifeline, own.alone())
			case o.Stop != nil:
				g.ladder.stop(*o.Stop)
			}
		case s := <-signals:
			if s == unix.SIGTERM {
				g.ladder.forced(ActionGuardTerm, own)
			}
		case <-overdue:
			g.ladder.forced(ActionDeadline, own)
		case <-timer.C:
			g.ladder.tick()
		}
	}
	g.cgroup.remove()
	g.save(func(s *Status, now time.Time) { s.Ended = &now })
	g.report(report{Gone: &g.ladder.result})
}

func (g *guardian) exited(exit Exit) {
	g.ladder.leaderExited(exit)
	g.save(func(s *Status, now time.Time) { s.Exited = &now })
}

// report writes one line up. Nobody may be there to read it any more.
func (g *guardian) report(r report) {
	g.sending.Lock()
	defer g.sending.Unlock()
	for b := line(r); len(b) > 0; {
		n, err := retry(func() (int, error) { return unix.Write(reportsFD, b) })
		if err != nil {
			return
		}
		b = b[n:]
	}
}

// readOrders blocks in read(2) on a thread of its own and closes the channel
// at the lifeline's end.
func readOrders(orders chan<- order, threadReady func()) {
	runtime.LockOSThread()
	threadReady()
	defer close(orders)
	lines := bufio.NewReader(lifeline{})
	for {
		raw, err := lines.ReadBytes('\n')
		if err != nil {
			return // a line cut off by the parent's death is no order
		}
		var o order
		if json.Unmarshal(raw, &o) != nil {
			return
		}
		orders <- o
	}
}

// lifeline reads the orders' pipe without the runtime's poller.
type lifeline struct{}

func (lifeline) Read(p []byte) (int, error) {
	n, err := retry(func() (int, error) { return unix.Read(ordersFD, p) })
	if err == nil && n == 0 {
		err = errors.New("lifeline broken")
	}
	return max(n, 0), err
}

// spawnThreads starts the pinned goroutines and makes the runtime create all
// threads that the guard will ever need. At the process limit a Go program
// that has to create one dies, and that is when a guard is needed most.
func spawnThreads(pinned ...func(ready func())) {
	var up, done sync.WaitGroup
	up.Add(len(pinned))
	for _, run := range pinned {
		go run(up.Done)
	}
	// A goroutine that is locked to its thread occupies it even while it
	// waits: so many at once are so many threads, which then stay idle.
	hold := make(chan struct{})
	up.Add(spare)
	done.Add(spare)
	for range spare {
		go func() {
			runtime.LockOSThread()
			up.Done()
			<-hold
			runtime.UnlockOSThread()
			done.Done()
		}()
	}
	up.Wait()
	close(hold)
	done.Wait()
}

// closeOnExec keeps every descriptor but 0, 1 and 2 from the tree, also those
// that came from whoever started the parent.
func closeOnExec() {
	if closeAllOnExec(3) == nil {
		return
	}
	entries, err := os.ReadDir("/proc/self/fd") // before Linux 5.11
	if err != nil {
		unix.CloseOnExec(ordersFD)
		unix.CloseOnExec(reportsFD)
		return
	}
	for _, e := range entries {
		if fd, ok := atoi([]byte(e.Name())); ok && fd > 2 {
			unix.CloseOnExec(fd)
		}
	}
}

func failed(err error) *failedNote {
	var e *StartError
	if !errors.As(err, &e) {
		e = &StartError{Class: ClassStartFailed, Op: "start", Path: "the process", Err: err}
	}
	note := &failedNote{Class: e.Class, Op: e.Op, Path: e.Path, Text: fmt.Sprint(e.Err)}
	errors.As(e.Err, &note.Errno)
	return note
}
