// Command resume measures how long resume takes on a run that has measured a
// great many samples: from the start of its process to its first launch.started.
//
//	go build -o /tmp/servematrix ./cmd/servematrix
//	go run ./perf/resume -bin /tmp/servematrix
//
// It makes the run folder as a run would have left it, which takes about a
// minute and 2 GB, and sets it back after each measurement.
package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"servematrix/journal"
	"servematrix/perf/program"
	"servematrix/perf/runfolder"
)

var (
	bin     = flag.String("bin", "", "servematrix binary")
	samples = flag.Int("samples", 100_000, "finished samples in the run folder")
	runs    = flag.Int("runs", 9, "how often to resume")
	limits  = flag.Bool("check", false, "end with 1 when the limit of docs/performance.md is passed")
	keep    = flag.String("keep", "", "make the run folder below this folder, leave it there, and measure nothing")
	kept    = flag.String("run", "", "measure with this run folder, which -keep made")
)

// limit is the time that a resume may take, at the median.
const limit = time.Second

func main() {
	flag.Parse()
	if *keep != "" {
		program.Check(os.MkdirAll(*keep, 0o755))
		fmt.Println(runfolder.Make(*keep, *samples, 1))
		return
	}
	program.Main(bin, measure)
}

func measure(dir string) bool {
	folder := journal.Folder(*kept)
	if *kept == "" {
		folder = runfolder.Make(dir, *samples, 1)
	}
	plain, size := readPlain(folder)
	fmt.Printf("a journal of %d MB; a plain read of it takes %v\n", size>>20, plain.Round(time.Millisecond))
	var took []time.Duration
	var memory int64
	for range *runs {
		one, rss := resume(folder)
		fmt.Printf("first launch after %v, %d MB resident\n", one.Round(time.Millisecond), rss>>10)
		took, memory = append(took, one), max(memory, rss)
	}
	slices.Sort(took)
	p50 := took[len(took)/2]
	fmt.Printf("p50 %v, slowest %v, %.1f times the plain read, at most %d MB resident\n",
		p50.Round(time.Millisecond), took[len(took)-1].Round(time.Millisecond), float64(p50)/float64(plain), memory>>10)
	if *limits && p50 > limit {
		fmt.Printf("that is more than %v\n", limit)
		return false
	}
	return true
}

// readPlain gives the time that reading the journal once more takes at least.
func readPlain(folder journal.Folder) (best time.Duration, size int64) {
	buf := make([]byte, 1<<20)
	for range 5 {
		began := time.Now()
		file, err := os.Open(folder.Path(journal.EventsFile))
		program.Check(err)
		size, err = io.CopyBuffer(struct{ io.Writer }{io.Discard}, file, buf)
		program.Check(err)
		program.Check(file.Close())
		if took := time.Since(began); best == 0 || took < best {
			best = took
		}
	}
	return best, size
}

// resume goes on with the run until its first launch, kills it, and sets the run
// folder back. It gives the time to that event and the resident memory in KiB at most.
func resume(folder journal.Folder) (time.Duration, int64) {
	info, err := os.Stat(folder.Path(journal.EventsFile))
	program.Check(err)
	var said bytes.Buffer
	cmd := exec.Command(*bin, "resume", string(folder), "--progress", "none")
	cmd.Stderr = &said
	began := time.Now()
	program.Check(cmd.Start())
	e := firstLaunch(folder, info.Size(), &said)
	program.Check(cmd.Process.Kill())
	_ = cmd.Wait() // it was killed
	for dir := folder.LaunchDir(e.Launch); journal.GuardLives(dir); {
		time.Sleep(5 * time.Millisecond)
	}
	program.Check(os.Truncate(folder.Path(journal.EventsFile), info.Size()))
	program.Check(os.RemoveAll(folder.LaunchDir(e.Launch)))
	program.Check(os.RemoveAll(folder.Path(journal.AttemptName(e.Cell, e.Block, 1))))
	for _, pattern := range []string{"report.*", "results.*"} {
		drawn, err := filepath.Glob(folder.Path(pattern))
		program.Check(err)
		for _, path := range drawn {
			program.Check(os.Remove(path))
		}
	}
	return e.Time.Sub(began), cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss
}

// firstLaunch waits for the event behind what the journal held.
func firstLaunch(folder journal.Folder, size int64, said *bytes.Buffer) journal.Event {
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		if e, found := launchBehind(folder, size); found {
			return e
		}
	}
	program.Check(fmt.Errorf("no launch within a minute: %s", said.String()))
	return journal.Event{}
}

// launchBehind looks at the lines from offset on; a line that is being written is looked at the next time.
func launchBehind(folder journal.Folder, offset int64) (e journal.Event, found bool) {
	file, err := os.Open(folder.Path(journal.EventsFile))
	program.Check(err)
	defer file.Close()
	text, err := io.ReadAll(io.NewSectionReader(file, offset, 1<<20))
	program.Check(err)
	for line := range bytes.Lines(text) {
		if json.Unmarshal(line, &e) == nil && e.Type == journal.LaunchStarted {
			return e, true
		}
	}
	return e, false
}
