package orchestrator

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"servematrix/result"
)

// Variables for the tests only.
var (
	loadEvery = 2 * time.Second  // between two looks at the client's threads
	loadLeast = 10 * time.Second // a shorter measurement says nothing: a look or two decide it

	clientThreads = (*clientLoad).process // reads what the client's threads have used up
)

const (
	starvedShare = 0.95 // of one core, by one thread
	momentsMost  = 256  // looks that are kept; then every other one goes, and they come half as often
	threadsMost  = 256  // threads of a client that are looked at
)

// clientLoad notes how long each thread of a client has computed, and waited for a
// core while it could have. A client that sends and receives in one thread, as those
// in Python do, measures itself once that thread has no time left. The kernel counts
// both in nanoseconds (/proc/PID/task/TID/schedstat); without that file nothing is said.
type clientLoad struct {
	pid     int
	every   time.Duration
	moments []loadMoment
	names   map[int]string
	cancel  context.CancelFunc
	done    chan struct{}
}

// loadMoment is what the threads had used up at one moment.
type loadMoment struct {
	at      time.Time
	threads map[int]threadTime
}

type threadTime struct{ computed, waited time.Duration }

// watchLoad looks at a client until cancel is called.
func watchLoad(pid int) *clientLoad {
	ctx, cancel := context.WithCancel(context.Background())
	c := &clientLoad{pid: pid, every: loadEvery, names: map[int]string{}, cancel: cancel, done: make(chan struct{})}
	go c.watch(ctx)
	return c
}

func (c *clientLoad) watch(ctx context.Context) {
	defer close(c.done)
	for {
		c.look()
		select {
		case <-ctx.Done():
			return
		case <-time.After(c.every):
		}
	}
}

func (c *clientLoad) look() {
	m := loadMoment{time.Now(), map[int]threadTime{}}
	clientThreads(c, c.pid, m.threads)
	if len(m.threads) == 0 {
		return // it has ended
	}
	if c.moments = append(c.moments, m); len(c.moments) < momentsMost {
		return
	}
	kept := c.moments[:0]
	for i := 0; i < len(c.moments); i += 2 {
		kept = append(kept, c.moments[i])
	}
	clear(c.moments[len(kept):])
	c.moments, c.every = kept, 2*c.every
}

// process takes in the threads of a process and of its children.
func (c *clientLoad) process(pid int, into map[int]threadTime) {
	tasks := filepath.Join("/proc", strconv.Itoa(pid), "task")
	entries, err := os.ReadDir(tasks)
	if err != nil {
		return
	}
	for _, e := range entries {
		tid, err := strconv.Atoi(e.Name())
		if err != nil || len(into) == threadsMost {
			continue
		}
		if data, err := os.ReadFile(filepath.Join(tasks, e.Name(), "schedstat")); err == nil {
			if t, ok := parseSchedstat(string(data)); ok {
				into[tid] = t
				if c.names[tid] == "" {
					comm, _ := os.ReadFile(filepath.Join(tasks, e.Name(), "comm"))
					c.names[tid] = strings.TrimSpace(string(comm))
				}
			}
		}
		children, err := os.ReadFile(filepath.Join(tasks, e.Name(), "children"))
		if err != nil {
			continue
		}
		for _, word := range strings.Fields(string(children)) {
			if child, err := strconv.Atoi(word); err == nil {
				c.process(child, into)
			}
		}
	}
}

// parseSchedstat reads the nanoseconds that a thread computed and waited for a core:
// the first two numbers of the kernel's Documentation/scheduler/sched-stats.rst.
func parseSchedstat(text string) (t threadTime, ok bool) {
	f := strings.Fields(text)
	if len(f) < 2 {
		return t, false
	}
	computed, err1 := strconv.ParseInt(f[0], 10, 64)
	waited, err2 := strconv.ParseInt(f[1], 10, 64)
	return threadTime{time.Duration(computed), time.Duration(waited)}, err1 == nil && err2 == nil
}

// starved says so when one thread of the client had no time left for as long as the
// benchmark lasted. When in the client's life that was, between its imports and the
// writing of its result, only the client knows: the thread must have been busy in any
// stretch of that length.
func (c *clientLoad) starved(lasted time.Duration) []result.Reason {
	if c == nil || lasted < loadLeast {
		return nil
	}
	c.cancel()
	if <-c.done; len(c.moments) < 3 {
		return nil
	}
	least, who, least2 := 0.0, 0, threadTime{}
	for tid := range c.moments[len(c.moments)-1].threads {
		share, used := c.leastShare(tid, lasted)
		if share > least {
			least, who, least2 = share, tid, used
		}
	}
	if least < starvedShare {
		return nil
	}
	return []result.Reason{{Reason: result.ClientStarved, Severity: result.SeverityWarning, Detail: fmt.Sprintf(
		"thread %s of the client (pid %d) computed %.0f %% of the time and waited for a core for %.0f %%: it had none left, so the numbers may be the client's own limit",
		c.names[who], c.pid, 100*least2.computed.Seconds(), 100*least2.waited.Seconds())}}
}

// leastShare is how much of its time a thread was busy or waited for a core, in the
// stretch of the given length in which it was so least; used is of each second. -1:
// there is no such stretch.
func (c *clientLoad) leastShare(tid int, lasted time.Duration) (share float64, used threadTime) {
	share = -1
	for i, j := 0, 0; i < len(c.moments); i++ {
		for j+1 < len(c.moments) && c.moments[j+1].at.Sub(c.moments[i].at) <= lasted {
			j++
		}
		if j <= i {
			break
		}
		from, ok := c.moments[i].threads[tid]
		to, also := c.moments[j].threads[tid]
		if !ok || !also {
			continue // it was not there yet, and measured nothing
		}
		wall := c.moments[j].at.Sub(c.moments[i].at).Seconds()
		computed, waited := (to.computed-from.computed).Seconds()/wall, (to.waited-from.waited).Seconds()/wall
		if s := computed + waited; share < 0 || s < share {
			share = s
			used = threadTime{time.Duration(computed * float64(time.Second)), time.Duration(waited * float64(time.Second))}
		}
		if j+1 == len(c.moments) {
			break // what follows is shorter
		}
	}
	return share, used
}
