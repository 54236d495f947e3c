// Command live measures what the live page of a run costs: processor time of its process, with nobody
// looking and with three browsers that do, beside a run of the simulated server and on a folder of 1,000 cells.
//
//	go build -o /tmp/servematrix ./cmd/servematrix
//	go run ./perf/live -bin /tmp/servematrix
//
// The browsers are played: they open the page, read its stream and fetch each newer page, compressed.
// Processor time is what the kernel counted when the process had ended (rusage), less that of a
// process that was started and ended at once; so other work on the machine makes it wrong little.
package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"servematrix/journal"
	"servematrix/perf/program"
	"servematrix/perf/runfolder"
)

var (
	bin     = flag.String("bin", "", "servematrix binary")
	length  = flag.Duration("for", 2*time.Minute, "how long each of them is watched")
	cell    = flag.Duration("cell", 4*time.Second, "what a cell takes")
	clients = flag.Int("clients", 3, "browsers that look")
	limits  = flag.Bool("check", false, "end with 1 when a limit of docs/performance.md is passed")
)

// Limits, as shares of a core.
const (
	watchedMost = 0.01
	idleMost    = 0.0005 // what cannot be told from nothing
)

func main() {
	program.Main(bin, func(dir string) bool { return measure(dir) || !*limits })
}

func measure(dir string) bool {
	large := runfolder.Begin(dir, 32, 1)
	defer large.End()
	for range 900 {
		large.Sample()
	}
	bare := watch(large.Folder, 0, 0, nil)
	fmt.Printf("a process that is ended at once: %v of processor time\n", bare.cpu.Round(time.Millisecond))
	ok := tell("1,024 cells, one more every "+cell.String()+", nobody looks", watch(large.Folder, *length, 0, large.Sample), bare, idleMost)
	ok = tell(fmt.Sprintf("1,024 cells, one more every %v, %d browsers", *cell, *clients), watch(large.Folder, *length, *clients, large.Sample), bare, watchedMost) && ok
	folder, end := simulated(dir)
	defer end()
	ok = tell("a run of the simulated server, nobody looks", watch(folder, *length, 0, nil), bare, idleMost) && ok
	return tell(fmt.Sprintf("a run of the simulated server, %d browsers", *clients), watch(folder, *length, *clients, nil), bare, watchedMost) && ok
}

func tell(what string, c, bare cost, limit float64) bool {
	share := max(0, (c.cpu-bare.cpu).Seconds()/c.wall.Seconds())
	fmt.Printf("%-52s %5.2f %% of a core (limit %.2f %%)  %d reads, %d kB read; %d pages drawn anew, %d messages, %d kB sent to each\n",
		what, 100*share, 100*limit, c.reads-bare.reads, (c.bytes-bare.bytes)/1000, c.newer, c.messages, c.sent/1000)
	return share <= limit
}

// simulated begins a run with cells of the wanted length that lasts longer than it is watched.
func simulated(dir string) (journal.Folder, func()) {
	n := int(4 * *length / *cell)
	loads := ""
	for i := range (n + 1) / 2 {
		loads += fmt.Sprintf("{id: l%d, n: %d}, ", i, i)
	}
	sweep := filepath.Join(dir, "sweep.yaml")
	program.Check(os.WriteFile(sweep, fmt.Appendf(nil, `version: 1
name: watched
server:
  axes: {radix: [{id: radix-on, flags: []}, {id: radix-off, flags: [--disable-radix-cache]}]}
  command: servematrix sim serve --style sglang --port ${{ late.port }} --startup 300ms --stop-poll 20ms ${{ radix.flags }}
client:
  axes: {load: [%s]}
  command: servematrix bench --dataset-name random --base-url ${{ server.url }} --num-prompts %d --request-rate 8 --random-input-len 64 --random-output-len 16 --seed ${{ load.n }}
run: {max_cells: 10000}
`, loads, int(8*(*cell-time.Second).Seconds())), 0o600))
	out := filepath.Join(dir, "runs")
	cmd := exec.Command(*bin, "run", sweep, "--out", out, "--progress", "none")
	cmd.Stderr = os.Stderr
	program.Check(cmd.Start())
	for {
		if runs, err := journal.List(out); err == nil && len(runs) == 1 {
			return runs[0], func() {
				program.Check(cmd.Process.Signal(os.Interrupt))
				if err := cmd.Wait(); err != nil && !strings.Contains(err.Error(), "130") {
					program.Check(err)
				}
			}
		}
		time.Sleep(10 * time.Millisecond)
	}
}
