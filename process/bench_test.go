package process

import (
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// The benchmarks report medians: on a busy machine the mean tells of the
// others.

func median(b *testing.B, d []time.Duration, name string) {
	slices.Sort(d)
	b.ReportMetric(float64(d[len(d)/2].Microseconds()), "p50-µs-"+name)
	b.ReportMetric(float64(d[len(d)*99/100].Microseconds()), "p99-µs-"+name)
}

// BenchmarkStartToExec: from the call of Start on a prepared guard until the
// leader has been executed, its files opened and its identity known; beside it
// what a plain os/exec takes for the command alone.
func BenchmarkStartToExec(b *testing.B) {
	w := newWorld(b)
	var took, plain []time.Duration
	for i := 0; b.Loop(); i++ {
		b.StopTimer()
		spec := w.spec()
		spec.Argv = []string{"/bin/true"}
		spec.Stdout = w.path(fmt.Sprint("out", i))
		spec.Stderr, spec.Status, spec.Lock = spec.Stdout, w.path("status"), w.path("lock")
		g := w.prepare()
		b.StartTimer()
		began := time.Now()
		p, err := g.Start(spec)
		took = append(took, time.Since(began))
		b.StopTimer()
		if err != nil {
			b.Fatal(err)
		}
		<-p.Done()
		cmd := exec.Command(spec.Argv[0])
		began = time.Now()
		if err := cmd.Start(); err != nil {
			b.Fatal(err)
		}
		plain = append(plain, time.Since(began))
		_ = cmd.Wait()
		b.StartTimer()
	}
	median(b, took, "exec")
	median(b, plain, "os/exec")
}

// BenchmarkExitToNotice: from the last instruction of the leader until Exited
// is closed here, and until Done is; beside it what os/exec takes to wait for
// the same process.
func BenchmarkExitToNotice(b *testing.B) {
	w := newWorld(b)
	var notice, done, plain []time.Duration
	stamp := func() int64 {
		raw, err := os.ReadFile(w.path("stamp"))
		if err != nil {
			b.Fatal(err)
		}
		at, err := strconv.ParseInt(string(raw), 10, 64)
		if err != nil {
			b.Fatal(err)
		}
		return at
	}
	for i := 0; b.Loop(); i++ {
		spec := w.spec("stamp " + w.path("stamp"))
		spec.Stdout = w.path(fmt.Sprint("out", i))
		spec.Stderr = spec.Stdout
		p, err := w.prepare().Start(spec)
		if err != nil {
			b.Fatal(err)
		}
		<-p.Exited()
		exited := monotonic(b)
		<-p.Done()
		gone := monotonic(b)
		notice = append(notice, time.Duration(exited-stamp()))
		done = append(done, time.Duration(gone-stamp()))
		if err := exec.Command(spec.Argv[0], spec.Argv[1:]...).Run(); err != nil {
			b.Fatal(err)
		}
		exited = monotonic(b)
		plain = append(plain, time.Duration(exited-stamp()))
	}
	median(b, notice, "exited")
	median(b, done, "done")
	median(b, plain, "os/exec")
}

func monotonic(b *testing.B) int64 {
	var now unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &now); err != nil {
		b.Fatal(err)
	}
	return now.Nano()
}

// BenchmarkKill64: from the order to kill until 64 processes, half of them in
// sessions of their own, and the guard are gone.
func BenchmarkKill64(b *testing.B) {
	w := newWorld(b)
	var took []time.Duration
	const tree = `trap '' TERM; for i in $(seq 31); do sleep 300 & setsid sleep 300 & done; sleep 300 & wait`
	for i := 0; b.Loop(); i++ {
		spec := w.spec()
		spec.Argv = []string{"sh", "-c", tree, w.marker}
		spec.Stdout = w.path(fmt.Sprint("out", i))
		spec.Stderr = spec.Stdout
		p, err := w.prepare().Start(spec)
		if err != nil {
			b.Fatal(err)
		}
		w.await("64 processes", func() bool { return len(p.Tree()) == 64 })
		began := time.Now()
		p.Stop(StopPolicy{Grace: -1})
		<-p.Done()
		took = append(took, time.Since(began))
	}
	w.empty()
	median(b, took, "gone")
}

// BenchmarkPrepare: a re-exec until the guard says that it is ready.
func BenchmarkPrepare(b *testing.B) {
	w := newWorld(b)
	var took []time.Duration
	for b.Loop() {
		began := time.Now()
		g := w.prepare()
		took = append(took, time.Since(began))
		g.Discard()
	}
	median(b, took, "ready")
}

// BenchmarkSurvey: a look at what a tree holds. "unchanged" is one at which
// nothing is new; "stranger" one at which a stranger's new file makes it look
// through all descriptors and mappings of the tree in vain, the worst there is.
func BenchmarkSurvey(b *testing.B) {
	for name, commands := range map[string][]string{
		"64 processes":        slices.Concat(slices.Repeat([]string{"spawn plain maps 1000,here,block"}, 63), []string{"maps 1000", "here", "block"}),
		"one of 10000 ranges": {"maps 10000", "here", "block"},
	} {
		b.Run(name, func(b *testing.B) {
			w := newWorld(b)
			p := w.start(w.spec(commands...))
			w.here(strings.Count(strings.Join(commands, " "), "here"))
			s := p.Survey(os.TempDir())
			look(b, s)
			var unchanged, stranger []time.Duration
			for b.Loop() {
				began := time.Now()
				look(b, s)
				unchanged = append(unchanged, time.Since(began))
				makeFile(b, shmName(b, "stranger"))
				began = time.Now()
				look(b, s)
				stranger = append(stranger, time.Since(began))
			}
			median(b, unchanged, "unchanged")
			median(b, stranger, "stranger")
		})
	}
}

// BenchmarkListens: what is asked once a second while a client runs.
func BenchmarkListens(b *testing.B) {
	for b.Loop() {
		if _, err := Listens(30000); err != nil {
			b.Fatal(err)
		}
	}
}
