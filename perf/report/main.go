// Command report measures how long the reports of a large run, and its comparison, take, from the start of the
// process to its end: 10,000 cells in five blocks.
//
//	go build -o /tmp/servematrix ./cmd/servematrix
//	go run ./perf/report -bin /tmp/servematrix
//
// It makes the run folder as a run would have left it, which takes about a minute and 1 GB.
package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"syscall"
	"time"

	"servematrix/journal"
	"servematrix/perf/program"
	"servematrix/perf/runfolder"
)

var (
	bin    = flag.String("bin", "", "servematrix binary")
	blocks = flag.Int("blocks", 5, "blocks of 10,000 cells")
	runs   = flag.Int("runs", 5, "how often to draw each format")
	limits = flag.Bool("check", false, "end with 1 when a median is above -limit")
	limit  = flag.Duration("limit", 2*time.Second, "what -check allows")
	kept   = flag.String("run", "", "measure with this run folder")
)

func main() { program.Main(bin, measure) }

func measure(dir string) bool {
	folder := journal.Folder(*kept)
	if *kept == "" {
		folder = runfolder.Make(dir, *blocks*runfolder.Side*runfolder.Side, 0)
	}
	slow := false
	for _, format := range []string{"text", "md", "csv", "jsonl", "benchfmt", comparison} {
		var took, work []time.Duration
		memory := int64(0)
		for range *runs {
			wall, processor, rss := draw(folder, format)
			took, work, memory = append(took, wall), append(work, processor), max(memory, rss)
		}
		slices.Sort(took)
		slices.Sort(work)
		p50 := took[len(took)/2]
		slow = slow || p50 > *limit
		fmt.Printf("%-8s p50 %v, slowest %v; processor time %v; at most %d MB resident\n",
			format, p50.Round(10*time.Millisecond), took[len(took)-1].Round(10*time.Millisecond), work[len(work)/2].Round(10*time.Millisecond), memory>>10)
	}
	if *limits && slow {
		fmt.Printf("a format takes more than %v\n", *limit)
		return false
	}
	return true
}

// comparison stands among the formats for servematrix compare.
const comparison = "compare"

// draw runs servematrix report, or compare, once, its output thrown away, and gives its time, the time of all
// processors, and the resident memory in KiB at most.
func draw(folder journal.Folder, format string) (wall, processor time.Duration, rss int64) {
	args := []string{"report", string(folder), "--format", format}
	if format == comparison {
		args = []string{"compare", string(folder), "--baseline", "seed=0"} // 99 arms of 100 cells against one
	}
	cmd := exec.Command(*bin, args...) // to nowhere
	cmd.Stderr = os.Stderr
	began := time.Now()
	program.Check(cmd.Run())
	state := cmd.ProcessState
	return time.Since(began), state.UserTime() + state.SystemTime(), state.SysUsage().(*syscall.Rusage).Maxrss
}
