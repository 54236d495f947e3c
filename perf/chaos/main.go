// Command chaos plays every fault at random and kills servematrix at random
// moments, resumes, and looks from outside whether anything is left behind, lost
// or measured twice.
//
//	go run ./perf/chaos -n 1000
//
// A scenario is one small sweep against simulated servers with engine-like
// process trees. Its seed decides which faults they have, who is killed (the
// orchestrator, guards, both, leader, worker, client, everything at once as in a
// power cut) and in which state of the run. The run is resumed until all of it is
// final. Nothing here uses the packages that do the supervising: processes are
// known by the file that they execute, whatever they did to their session,
// environment, title or parent.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

var (
	count   = flag.Int("n", 100, "scenarios to play")
	seed    = flag.Uint64("seed", 1, "of the first scenario; each further one has the next")
	bound   = flag.Duration("for", 0, "begin no further scenario after this time (0: no bound)")
	workers = flag.Int("j", 2*runtime.NumCPU(), "scenarios at a time")
	binary  = flag.String("bin", "", "servematrix binary (default: it is built)")
	scratch = flag.String("dir", "", "where to work (default: a new folder in the system's temporary folder)")
	keep    = flag.Bool("keep", false, "keep the folders of all scenarios")
	verbose = flag.Bool("v", false, "one line per scenario")
	figures = flag.Int("figures", 0, "instead, measure so many times how fast trees of 64 processes end")
)

func main() {
	if len(os.Args) > 1 && play(os.Args[1]) {
		return
	}
	flag.Parse()
	ctx, release := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer release()
	_ = syscall.Setrlimit(syscall.RLIMIT_CORE, &syscall.Rlimit{}) // servers crash here by the hundred
	root, err := prepare()
	if err != nil {
		fmt.Fprintln(os.Stderr, "chaos:", err)
		os.Exit(2)
	}
	code := 0
	if *figures > 0 {
		code = measure(ctx, root)
	} else {
		code = harness(ctx, root)
	}
	if code == 0 && !*keep {
		_ = os.RemoveAll(root) // what is left of it is in nobody's way
	}
	os.Exit(code)
}

// prepare makes the scratch folder and puts the two programs into it.
func prepare() (root string, err error) {
	if *scratch == "" {
		root, err = os.MkdirTemp("", "chaos-")
	} else {
		root, err = filepath.Abs(*scratch)
		if err == nil {
			err = os.MkdirAll(root, 0o700)
		}
	}
	if err != nil {
		return "", err
	}
	if root, err = filepath.EvalSymlinks(root); err != nil {
		return "", err
	}
	me, err := os.Executable()
	if err != nil {
		return "", err
	}
	if err := copyFile(filepath.Join(root, clientName), me); err != nil {
		return "", err
	}
	built := filepath.Join(root, programName)
	if *binary != "" {
		return root, copyFile(built, *binary)
	}
	build := exec.Command("go", "build", "-o", built, "servematrix/cmd/servematrix")
	build.Stderr = os.Stderr
	return root, build.Run()
}

// harness plays the scenarios and tells what became of them.
func harness(ctx context.Context, root string) int {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	if err := becomeSubreaper(); err != nil {
		fmt.Fprintln(os.Stderr, "chaos:", err)
		return 2
	}
	crowd, err := newCrowd(root)
	if err != nil {
		fmt.Fprintln(os.Stderr, "chaos:", err)
		return 2
	}
	defer crowd.end()
	began := time.Now()
	var next atomic.Int64
	var all tally
	var group sync.WaitGroup
	for worker := range *workers {
		group.Go(func() {
			for ctx.Err() == nil && (*bound == 0 || time.Since(began) < *bound) {
				i := next.Add(1) - 1
				if i >= int64(*count) {
					return
				}
				s := draw(*seed+uint64(i), root, worker)
				err := s.play(ctx)
				if err == nil {
					err = crowd.intact()
				}
				if ctx.Err() != nil && err != nil {
					s.clear()
					return // another one failed, or somebody wants us to end
				}
				if err != nil {
					s.clear()
					cancel(&violation{s, err})
					return
				}
				all.add(s)
				if !*keep {
					_ = os.RemoveAll(s.dir)
				}
			}
		})
	}
	group.Wait()
	all.print(os.Stdout, time.Since(began))
	if v, ok := context.Cause(ctx).(*violation); ok {
		fmt.Println(v)
		return 1
	}
	if ctx.Err() != nil {
		return 130
	}
	return 0
}

// violation is the first scenario that did not hold what is promised.
type violation struct {
	s   *scenario
	err error
}

func (v *violation) Error() string {
	return fmt.Sprintf("\nVIOLATION: %v\nscenario: %s\nagain:    go run ./perf/chaos -seed %d -n 1 -keep\nfolder:   %s", v.err, v.s, v.s.seed, v.s.dir)
}
