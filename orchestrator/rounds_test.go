package orchestrator

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"servematrix/journal"
	"servematrix/matrix"
	"servematrix/stats"
)

// looks gives what each block of a run decided: "3 reached 2/2".
func (b *bench) looks() (list []string) {
	b.t.Helper()
	for _, e := range b.events(journal.BlockEnded) {
		d, err := journal.Decode[journal.Look](e)
		if err != nil {
			b.t.Fatal(err)
		}
		if d.Decision != journal.GoOn && d.Blocks != e.Block || d.Decision == journal.GoOn && d.Blocks <= e.Block {
			b.t.Errorf("block %d decides %s, and the run has %d blocks", e.Block, d.Decision, d.Blocks)
		}
		text := fmt.Sprintf("%d %s", e.Block, d.Decision)
		if d.Cells > 0 {
			text += fmt.Sprintf(" %d+%d/%d", d.Tight, d.LeftOut, d.Cells)
		}
		list = append(list, text)
	}
	return list
}

// Values of a and b, block after block, and what is decided.
func TestRunGoesOnUntilItIsPrecise(t *testing.T) {
	for name, c := range map[string]struct {
		a, b    string
		until   journal.Until
		want    string
		verdict journal.Verdict
		message string
	}{
		"at once": {
			a: "50,50.1,50.2", b: "70,70.1,70.2", until: journal.Until{Precision: 0.02, Least: 3, Most: 20},
			want: "1 go_on|2 go_on|3 reached 2+0/2", verdict: journal.Verdict{OK: 6},
			message: "after 3 blocks: output_throughput of 2 of 2 cells known to ±2%, the widest ±0.5% (a × default); no further block is needed",
		},
		"later": { // 50 52 50 50: t(3) · 1 / √4 = ±1.59, 3.1 %; and 50 once more: ±2.2 %; once more: ±1.7 %
			a: "50,52,50", b: "70,70.1,70.2", until: journal.Until{Precision: 0.02, Least: 3, Most: 20},
			want: "1 go_on|2 go_on|3 go_on 1+0/2|4 go_on 1+0/2|5 go_on 1+0/2|6 reached 2+0/2", verdict: journal.Verdict{OK: 12},
			message: "after 6 blocks: output_throughput of 2 of 2 cells known to ±2%, the widest ±1.7% (a × default); no further block is needed",
		},
		"never": {
			a: "50,60,50,60,50,60", b: "70", until: journal.Until{Precision: 0.01, Least: 3, Most: 4},
			want: "1 go_on|2 go_on|3 go_on 1+0/2|4 most_blocks 1+0/2", verdict: journal.Verdict{OK: 8},
			message: "after 4 blocks: output_throughput of 1 of 2 cells known to ±1%, the widest ±17% (a × default); 4 blocks are the most that were asked for",
		},
		"one fails": {
			a: "fails", b: "70", until: journal.Until{Precision: 0.02, Least: 3, Most: 20},
			want: "1 go_on|2 go_on|3 reached 1+1/2", verdict: journal.Verdict{OK: 3, Failed: 3, ExitCode: ExitFailed},
			message: "after 3 blocks: output_throughput of 1 of 2 cells known to ±2%, the widest ±0% (b × default); 1 cell without a valid one in the last 2 blocks, left out; no further block is needed",
		},
		"one fails now and then": {
			a: "fails,50,fails,50,50", b: "70", until: journal.Until{Precision: 0.02, Least: 3, Most: 20},
			want: "1 go_on|2 go_on|3 go_on 1+0/2|4 go_on 1+0/2|5 reached 2+0/2", verdict: journal.Verdict{OK: 8, Failed: 2, ExitCode: ExitFailed},
			message: "after 5 blocks: output_throughput of 2 of 2 cells known to ±2%, the widest ±0% (a × default); no further block is needed",
		},
		"all fail": {
			a: "fails", b: "fails", until: journal.Until{Precision: 0.02, Least: 3, Most: 20},
			want: "1 go_on|2 go_on|3 nothing_left 0+2/2", verdict: journal.Verdict{Failed: 6, ExitCode: ExitFailed},
			message: "after 3 blocks: output_throughput of 0 of 2 cells known to ±2%; 2 cells without a valid one in the last 2 blocks, left out; no cell is left that more blocks would tell of",
		},
		"the budget is spent": { // before the precision can be told; what was not begun is not missing
			a: "50", b: "70", until: journal.Until{Precision: 0.02, Least: 3, Most: 20, Budget: 0.001},
			want: "1 budget", verdict: journal.Verdict{OK: 2},
		},
		"former sessions spent it": {
			a: "50", b: "70", until: journal.Until{Precision: 0.02, Least: 3, Most: 20, Budget: 36000, Spent: 36000},
			want: "1 budget", verdict: journal.Verdict{OK: 2},
		},
		"the budget suffices": {
			a: "50", b: "70", until: journal.Until{Precision: 0.02, Least: 3, Most: 20, Budget: 36000, Spent: 60},
			want: "1 go_on|2 go_on|3 reached 2+0/2", verdict: journal.Verdict{OK: 6},
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, fmt.Sprintf(`
server: {axes: {s: [a, b]}, command: "SERVER", env: {S: "${{ s }}"}, ready: READY}
client: {command: "CLIENT pick TMP/a %s TMP/b %s"}
run: {retries: 0, seed: 5}
`, c.a, c.b))
			b.until = &c.until
			v, err := b.run(context.Background(), Again{}, nil)
			if err != nil || v != c.verdict {
				t.Errorf("verdict %+v, err %v", v, err)
			}
			if d := cmp.Diff(strings.Split(c.want, "|"), b.looks()); d != "" {
				t.Error(d)
			}
			s := b.state()
			if c.message != "" && s.Look.Message != c.message {
				t.Errorf("it says %q, want %q", s.Look.Message, c.message)
			}
			if all := PlanUnits(b.plan, s.Session.Blocks); len(s.Missing(all, Again{})) > 0 || len(s.Outcomes) != len(all) {
				t.Errorf("%d blocks, but %d samples", s.Session.Blocks, len(s.Outcomes))
			}
		})
	}
}

// What ends in the middle of a block goes on there, with the intention of the session before.
func TestInterruptedRunGoesOnUntilItIsPrecise(t *testing.T) {
	b := newBench(t, `
server: {axes: {s: [a, b]}, command: "SERVER", env: {S: "${{ s }}"}, ready: READY}
client: {command: "CLIENT pick TMP/a 50,52,50 TMP/b 70"}
run: {seed: 5}
`)
	b.until = &journal.Until{Precision: 0.02, Least: 3, Most: 20}
	ctx, cancel := context.WithCancelCause(context.Background())
	v, err := b.run(ctx, Again{}, func(e journal.Event) {
		if e.Type == journal.SampleEnded && e.Block == 4 {
			cancel(&Interrupt{Signal: syscall.SIGINT})
		}
	})
	if err == nil || v.ExitCode != ExitSIGINT || v.Missing != 1 {
		t.Fatalf("verdict %+v, err %v", v, err)
	}
	if n := b.state().Session.Blocks; n != 4 {
		t.Fatalf("the run has %d blocks, want 4", n)
	}
	if v, err = b.run(context.Background(), Again{}, nil); err != nil || v != (journal.Verdict{OK: 12}) {
		t.Errorf("verdict %+v, err %v", v, err)
	}
	want := []string{"1 go_on", "2 go_on", "3 go_on 1+0/2", "4 go_on 1+0/2", "5 go_on 1+0/2", "6 reached 2+0/2"}
	if d := cmp.Diff(want, b.looks()); d != "" {
		t.Error(d)
	}
	if v, err = b.run(context.Background(), Again{}, nil); err != nil || v != (journal.Verdict{OK: 12}) { // it is precise
		t.Errorf("verdict %+v, err %v", v, err)
	}
	if d := cmp.Diff(append(want, want[5]), b.looks()); d != "" {
		t.Error(d)
	}
	if n := len(b.events(journal.LaunchStarted)); n != 12 {
		t.Errorf("%d starts, want 12", n)
	}
}

// A valid attempt counts whatever became of later ones, as it does in reports.
func TestTheLastValidAttemptOfABlockTells(t *testing.T) {
	folder := journal.Folder(t.TempDir())
	for attempt, sample := range []string{"", // attempts count from 1
		`{"status":"ok","metrics":{"output_throughput":50}}`, `{"status":"ok","metrics":{"output_throughput":60}}`, `{"status":"invalid","metrics":{"output_throughput":90}}`, "",
	} {
		dir := folder.Path(journal.AttemptName("cell", 2, attempt))
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		if sample == "" {
			continue
		}
		if err := os.WriteFile(filepath.Join(dir, journal.SampleFile), []byte(sample), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	r := &runner{
		Options: Options{Folder: folder, Plan: &matrix.Plan{Compare: matrix.Compare{Primary: "output_throughput"}}},
		state:   &State{Outcomes: map[Unit]*Outcome{{"cell", 2}: {Status: StatusFailed, Final: true, Attempts: 4}}},
	}
	values, latest := r.values("cell", 3)
	if !slices.Equal(values, []float64{60}) || latest != 2 {
		t.Errorf("values %v, the last in block %d; want 60 of block 2", values, latest)
	}
}

func TestClockIsWrittenAsInASweep(t *testing.T) {
	for seconds, want := range map[float64]string{0: "0s", 1.52: "1.5s", 90: "1m30s", 2400: "40m", 21600: "6h", 21660: "6h1m", 3605: "1h0m5s"} {
		if got := clock(seconds); got != want {
			t.Errorf("%v: %s, want %s", seconds, got, want)
		}
	}
}

// Whoever stops when the intervals are narrow stops a little too early: this is how much the
// intervals and the comparisons that follow lose by it. docs/statistics.md has the figures of 20,000 runs.
func TestStoppingWhenPrecise(t *testing.T) {
	const runs, most, precision = 400, 20, 0.02
	for _, cells := range []int{1, 2} {
		for _, least := range []int{LeastLook, 5} {
			for _, spread := range []float64{0.5, 1, 2, 3} { // of starts, in percent
				r := rand.New(rand.NewPCG(3, 4))
				blocks, missed, wrong := 0, 0, 0
				for range runs {
					values := make([][]float64, cells)
					for precise := false; !precise && len(values[0]) < most; {
						precise = len(values[0])+1 >= least
						for i := range values {
							values[i] = append(values[i], 100+spread*r.NormFloat64())
							width, _ := halfWidth(values[i])
							precise = precise && width <= precision
						}
					}
					blocks += len(values[0])
					if e := stats.Mean(values[0], confidence); e.Low > 100 || e.High < 100 {
						missed++
					}
					if cells < 2 {
						continue
					}
					ratio, err := stats.Paired(values[0], values[1], confidence)
					if err != nil {
						t.Fatal(err)
					}
					if ratio.Low > 1 || ratio.High < 1 {
						wrong++
					}
				}
				held := 1 - float64(missed)/runs
				t.Logf("%d cells, from %d blocks on, spread %.1f %%: %.1f blocks, %.1f %% of the intervals hold the truth, %.1f %% of equal arms differ",
					cells, least, spread, float64(blocks)/runs, 100*held, 100*float64(wrong)/runs)
				if rate := float64(wrong) / runs; rate > 0.085 || held < 0.88 {
					t.Error("that is more than docs/statistics.md says")
				}
			}
		}
	}
}
