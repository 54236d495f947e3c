package report

import (
	"math"
	"testing"

	"servematrix/journal"
	"servematrix/metric"
	"servematrix/page"
	"servematrix/result"
)

// A page knows what its cells' clients were asked, also in a shell's script and of cells that have not run.
func TestFlagsOfCells(t *testing.T) {
	r := newSample(t, measured)
	client := r.plan.Clients[1]
	client.Shell, client.Argv = true, []string{"bash", "-c", "cd /tmp && python3 -m sglang.bench_serving --num-prompts=128 --max-concurrency 16"}
	r.replan()
	r.keep(4)
	d := Page(r.folder, "")
	for cell, want := range map[int][]page.Flag{0: {{Name: "--max-concurrency", Value: "32"}, {Name: "--random-input-len", Value: "1000"}}, 1: {{Name: "--max-concurrency", Value: "16"}, {Name: "--num-prompts", Value: "128"}}} {
		for _, flag := range want {
			found := false
			for _, f := range d.Cells[cell].Flags {
				found = found || f == flag
			}
			if !found {
				t.Errorf("cell %d has not %v: %v", cell, flag, d.Cells[cell].Flags)
			}
		}
	}
}

// The interval of tok/s per user is that of the starts, not the inverse of the TPOT's.
func TestUsersOfCells(t *testing.T) {
	plan := samplePlan("en", "cell")
	plan.Run.Blocks = 2
	r := newRun(t, t.TempDir(), plan)
	r.begin()
	for block, tpot := range []float64{10, 12} {
		id := "000" + string(rune('1'+block)) + "-x"
		r.startServer(id, 0, 0, block+1, false)
		r.ready(id, 0, block+1)
		r.attempt(id, 0, block+1, 1, outcome{status: result.StatusOK, metrics: metric.Of(map[string]float64{"output_throughput": 1000, "mean_tpot_ms": tpot})})
		r.stopServer(id, 0, block+1)
	}
	r.add(journal.Event{Type: journal.RunEnded}, journal.Verdict{OK: 2})
	d := Page(r.folder, "")
	u := d.Cells[0].PerUser
	mean := (100 + 1000.0/12) / 2
	half := 12.706204736 * (100 - 1000.0/12) / 2 // t of one degree of freedom; SD/√2 of two values is half their distance
	if u.N != 2 || math.Abs(u.Mean-mean) > 1e-9 || math.Abs(u.High-mean-half) > 1e-6 || math.Abs(mean-u.Low-half) > 1e-6 {
		t.Errorf("%+v, want %v ± %v of 2", u, mean, half)
	}
	if none := d.Cells[1].PerUser; none.N != 0 || !math.IsNaN(none.Mean) {
		t.Errorf("of a cell that has not run: %+v", none)
	}
}
