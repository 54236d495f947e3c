// Command aa asks how often servematrix finds a difference where there is none: it runs the A/A
// sweep of examples/aa many times through the real binary, compares the arms of each run, and
// counts what is claimed.
//
//	go build -o /tmp/servematrix ./cmd/servematrix
//	go run ./perf/aa -bin /tmp/servematrix -n 1000
package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"servematrix/perf/program"
	"strings"
	"sync"
	"time"
)

var (
	bin      = flag.String("bin", "", "servematrix binary")
	sweep    = flag.String("sweep", "examples/aa/sweep.yaml", "sweep with an axis arm of the values a and b")
	sweeps   = flag.Int("n", 100, "sweeps to run")
	blocks   = flag.Int("blocks", 5, "blocks of each sweep")
	parallel = flag.Int("parallel", 1, "sweeps at a time")
	keep     = flag.String("keep", "", "folder that keeps the run folders of sweeps that claim a difference")
	limit    = flag.Float64("limit", 5.5, "end with 1 where a larger percentage of sweeps claims a difference")
)

func main() {
	program.Main(bin, func(dir string) bool {
		if *sweeps < 1 {
			program.Wrong("give at least one sweep with -n")
		}
		began := time.Now()
		return runAll(dir).print(os.Stdout, time.Since(began))
	})
}

// runAll runs the sweeps, so many at a time, and tells on the way how far it is.
func runAll(dir string) *tally {
	counted := &tally{}
	work := make(chan int)
	var group sync.WaitGroup
	var mu sync.Mutex
	for range max(*parallel, 1) {
		group.Go(func() {
			for i := range work {
				outcome, err := one(filepath.Join(dir, fmt.Sprint(i)))
				mu.Lock()
				counted.add(outcome, err)
				if err != nil {
					fmt.Fprintf(os.Stderr, "sweep %d: %v\n", i, err)
				}
				if counted.sweeps()%50 == 0 {
					fmt.Fprintln(os.Stderr, counted)
				}
				mu.Unlock()
			}
		})
	}
	for i := range *sweeps {
		work <- i + 1
	}
	close(work)
	group.Wait()
	return counted
}

// comparison is what compare --format json says of one metric of one cell.
type comparison struct {
	Metric      string      `json:"metric"`
	N           int         `json:"n"`
	Ratio       *float64    `json:"ratio"`
	CI          [2]*float64 `json:"ci"`
	P           *float64    `json:"p"`
	Verdict     string      `json:"verdict"`
	Exploratory bool        `json:"exploratory"`
}

// one runs a sweep and gives the comparison of its primary metric.
func one(dir string) (comparison, error) {
	defer os.RemoveAll(dir)
	out, err := servematrix("run", *sweep, "--out", dir, "--blocks", fmt.Sprint(*blocks), "--progress", "none")
	if err != nil {
		return comparison{}, err
	}
	lines := strings.Split(strings.TrimSpace(out), "\n")
	run := lines[len(lines)-1]
	out, err = servematrix("compare", run, "--baseline", "arm=a", "--format", "json")
	if err != nil {
		return comparison{}, err
	}
	var answer struct {
		Comparisons []comparison `json:"comparisons"`
	}
	if err := json.Unmarshal([]byte(out), &answer); err != nil {
		return comparison{}, fmt.Errorf("compare: %w", err)
	}
	for _, c := range answer.Comparisons {
		if c.Exploratory {
			continue
		}
		if *keep != "" && c.differs() {
			program.Check(os.MkdirAll(*keep, 0o755))
			program.Check(os.Rename(run, filepath.Join(*keep, filepath.Base(dir)+"-"+filepath.Base(run))))
		}
		return c, nil
	}
	return comparison{}, fmt.Errorf("compare told nothing of a primary metric: %s", out)
}

func servematrix(args ...string) (string, error) {
	cmd := exec.Command(*bin, args...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("%s: %w: %s%s", args[0], err, stdout.String(), stderr.String())
	}
	return stdout.String(), nil
}
