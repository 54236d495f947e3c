package server

import (
	"encoding/json"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// Truth is what a server did. All times are nanoseconds of CLOCK_MONOTONIC, which all processes
// of a machine share.
type Truth struct {
	// FirstByte is when the first bytes of any request came, 0 before that.
	FirstByte int64 `json:"first_byte_ns"`
	// Generations are the requests for text that were read, Open those unanswered now, OpenMost the
	// most that were unanswered at a time.
	Generations int `json:"generations"`
	Open        int `json:"open"`
	OpenMost    int `json:"open_most"`
	// CPU is the processor time of the server's process so far, in seconds.
	CPU float64 `json:"cpu_s"`
	// Requests are the answered requests for text, in the order in which they arrived; the last
	// Options.Keep of them.
	Requests []Request `json:"requests"`
}

// Request is what the server did with one request. On loopback a write that has returned has laid
// its bytes into the client's socket, and a request has arrived when the client's write returned:
// so the time between Arrived and a write is what a client can measure at best.
type Request struct {
	// Arrived is the kernel's stamp of the request's last packet. Read is when the server had read
	// the request: the difference is the server's own delay.
	Arrived int64 `json:"arrived_ns"`
	Read    int64 `json:"read_ns"`
	// Written has for each token when the write of its chunk returned.
	Written []int64 `json:"written_ns"`
}

// TTFT, E2E and TPOT are the request's latencies as they were at the server's socket. TPOT is
// (E2E − TTFT) / (tokens − 1), and 0 for a single token.
func (r Request) TTFT() time.Duration { return time.Duration(r.Written[0] - r.Arrived) }

// E2E is the time from the arrival to the last token.
func (r Request) E2E() time.Duration { return time.Duration(r.Written[len(r.Written)-1] - r.Arrived) }

// TPOT is the mean time per token behind the first.
func (r Request) TPOT() time.Duration {
	if len(r.Written) < 2 {
		return 0
	}
	return (r.E2E() - r.TTFT()) / time.Duration(len(r.Written)-1)
}

// Now is the time of CLOCK_MONOTONIC.
func Now() int64 { return origin + int64(time.Since(start)) }

// The runtime reads the same clock without a system call; origin is what it leaves out.
var start, origin = func() (time.Time, int64) {
	var ts unix.Timespec
	now := time.Now()
	if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &ts); err != nil {
		panic(err)
	}
	return now, ts.Nano()
}()

// ledger keeps the truth.
type ledger struct {
	Truth
	keep int
}

func (l *ledger) opened() {
	l.Generations++
	l.Open++
	l.OpenMost = max(l.OpenMost, l.Open)
}

// closed counts a stream that has ended; of one that the client gave up nothing is kept.
func (l *ledger) closed(r *Request, whole bool) {
	l.Open--
	if !whole || l.keep == 0 {
		return
	}
	if len(l.Requests) >= 2*l.keep {
		l.Requests = append(l.Requests[:0], l.Requests[len(l.Requests)-l.keep:]...)
	}
	l.Requests = append(l.Requests, *r)
}

func (l *ledger) json() []byte {
	told := l.Truth
	told.Requests = sortedByArrival(l.Requests)
	told.Requests = told.Requests[max(0, len(told.Requests)-l.keep):]
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err == nil {
		told.CPU = float64(usage.Utime.Nano()+usage.Stime.Nano()) / 1e9
	}
	text, err := json.Marshal(told)
	if err != nil { // numbers only
		panic(err)
	}
	return text
}

// clear forgets what was, but for the processor time.
func (l *ledger) clear() { l.Truth = Truth{Open: l.Open, OpenMost: l.Open} }
