package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"servematrix/journal"
	"servematrix/matrix"
	"servematrix/metric"
	"servematrix/result"
)

// oneCell is a run of one cell that its caller can spoil.
func oneCell(t *testing.T, o outcome) *run {
	r := newRun(t, t.TempDir(), samplePlan("en", "cell"))
	r.begin()
	r.startServer("0001", 0, 0, 1, false)
	r.ready("0001", 0, 1)
	r.attempt("0001", 0, 1, 1, o)
	r.stopServer("0001", 0, 1)
	r.add(journal.Event{Type: journal.RunEnded}, journal.Verdict{OK: 1})
	return r
}

var good = outcome{out: "out\n", err: "err\n", status: result.StatusOK, metrics: metric.Of(map[string]float64{"completed": 7, "num_prompts": 7})}

func (r *run) path(cell int, name string) string {
	return r.folder.Path(journal.AttemptName(r.plan.Cells[cell].ID, 1, 1), name)
}

// What is no longer there is missed in words; the report is drawn all the same.
func TestMissingFiles(t *testing.T) {
	for name, c := range map[string]struct {
		spoil  func(r *run) error
		want   []string // in the text
		never  []string
		status string
	}{
		"output gone": {
			func(r *run) error { return os.Remove(r.path(0, journal.ClientOut)) },
			[]string{"client.out cannot be shown: file does not exist]\n\n[STDERR]\nerr\n"}, nil, result.StatusOK,
		},
		"stderr gone": {
			func(r *run) error { return os.Remove(r.path(0, journal.ClientErr)) },
			[]string{"####\nout\n[CLIENT]"}, []string{"[STDERR]", "cannot be shown"}, result.StatusOK,
		},
		"output is a folder": {
			func(r *run) error {
				if err := os.Remove(r.path(0, journal.ClientOut)); err != nil {
					return err
				}
				return os.Mkdir(r.path(0, journal.ClientOut), 0o700)
			},
			[]string{"client.out cannot be shown: not a regular file]"}, nil, result.StatusOK,
		},
		"sample gone": {
			func(r *run) error { return os.Remove(r.path(0, journal.SampleFile)) },
			[]string{"sample.json cannot be read: file does not exist", "FAILED  "}, []string{"7/7"}, result.StatusFailed,
		},
		"sample changed": {
			func(r *run) error {
				data, err := os.ReadFile(r.path(0, journal.SampleFile))
				if err != nil {
					return err
				}
				return os.WriteFile(r.path(0, journal.SampleFile), bytes.Replace(data, []byte(": 7"), []byte(": 9"), 1), 0o600)
			},
			[]string{"the journal vouches for"}, []string{"9/7", "7/7"}, result.StatusFailed,
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := oneCell(t, good)
			if err := c.spoil(r); err != nil {
				t.Fatal(err)
			}
			got := r.text("")
			for _, want := range c.want {
				if !strings.Contains(got, want) {
					t.Errorf("no %q in\n%s", want, got)
				}
			}
			for _, never := range c.never {
				if strings.Contains(got, never) {
					t.Errorf("%q in\n%s", never, got)
				}
			}
			if strings.Contains(got, string(r.folder)) {
				t.Error("the report says where it was drawn")
			}
			samples, err := Samples(r.folder)
			if err != nil {
				t.Fatal(err)
			}
			if len(samples) != 1 || samples[0].Status != c.status {
				t.Errorf("samples: %+v", samples)
			}
			if c.status == result.StatusFailed && samples[0].Failure.Class != "no_result" {
				t.Errorf("failure: %+v", samples[0].Failure)
			}
		})
	}
}

// A client that prints without end does not fill the report: its head and tail are there, and
// the number of bytes between them is right.
func TestHugeOutput(t *testing.T) {
	for name, line := range map[string]string{"lines": "0123456789abcdef\n", "one line": "组合"} {
		t.Run(name, func(t *testing.T) {
			text := "the begin\n" + strings.Repeat(line, 2*pasteMost/len(line)) + "\nthe end\n"
			o := good
			o.out = text
			r := oneCell(t, o)
			got := r.text("")
			if len(got) > pasteMost+10_000 {
				t.Fatalf("the report has %d bytes", len(got))
			}
			_, got, _ = strings.Cut(got, "--max-concurrency 32\n"+strings.Repeat("#", blockRule)+"\n")
			got, _, _ = strings.Cut(got, "\n[STDERR]")
			head, rest, ok := strings.Cut(got, "\n[… ")
			var left int
			if n, err := fmt.Sscanf(rest, "%d bytes left out here; all of them are in "+filepath.Dir(journal.AttemptName(r.plan.Cells[0].ID, 1, 1))+"/b1-a1/client.out …]", &left); !ok || n != 1 || err != nil {
				t.Fatalf("no note: %v, %.200q", err, rest)
			}
			_, tail, _ := strings.Cut(rest, "…]\n")
			head = strings.TrimSuffix(head, "\n") + map[bool]string{true: "\n"}[name == "lines"]
			if !strings.HasPrefix(text, head) || !strings.HasSuffix(text, tail) || len(head)+left+len(tail) != len(text) {
				t.Errorf("head %d + left out %d + tail %d bytes are not %d", len(head), left, len(tail), len(text))
			}
			if strings.ContainsRune(got, '\uFFFD') || !strings.HasPrefix(got, "the begin\n") || !strings.HasSuffix(got, "the end\n") {
				t.Errorf("begins %.40q, ends %.40q", got, got[len(got)-40:])
			}
		})
	}
}

// Cells of an earlier plan of the same run keep their names.
func TestCellsThatLeftThePlan(t *testing.T) {
	r := oneCell(t, good)
	plan := *r.plan
	plan.Cells = plan.Cells[1:]
	before, err := json.Marshal(r.plan)
	if err != nil {
		t.Fatal(err)
	}
	r.file(journal.FormerName(journal.PlanFile, 1), before)
	var b bytes.Buffer
	if err := drawEvents(&b, newTally(r.folder, &plan), r.events); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(b.String(), "[CELL] SERVER=flashinfer  CLIENT=") || !strings.Contains(b.String(), "flashinfer  rand256x32      1    1  ok") {
		t.Error(b.String())
	}
}

func TestRows(t *testing.T) {
	r := eventful(t, t.TempDir(), "en")
	rows := tableOf(t, r, r.events)
	var got []string
	for _, row := range rows {
		got = append(got, fmt.Sprintf("%s %s b%d a%d %s", row.Server, row.Client, row.Block, row.Attempt, row.Status))
	}
	want := []string{
		"flashinfer rand256x32 b1 a1 ok", "flashinfer rand256x32 b2 a2 ok", "flashinfer rand128x16 b1 a2 ok", "flashinfer rand128x16 b2 a1 failed",
		"triton rand256x32 b1 a1 failed", "triton rand256x32 b2 a0 missing", "triton rand128x16 b1 a0 skipped", "triton rand128x16 b2 a0 missing",
		"triton rand256x32 b1 a1 failed", "triton rand256x32 b2 a0 missing",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if v, _ := rows[0].Metrics.Get("output_throughput"); v != 1002.94 || !rows[0].Simulated || rows[1].Simulated {
		t.Errorf("the first row is %+v", rows[0])
	}
	// With --only nobody knows here which cells were selected: those without a result are left out.
	var only []journal.Event
	for _, e := range r.events {
		if e.Type == journal.RunStarted || e.Type == journal.RunResumed {
			e.Data = []byte(`{"only":"backend == 'triton'","blocks":2}`)
		}
		only = append(only, e)
	}
	if rows := tableOf(t, r, only); len(rows) != 7 {
		t.Errorf("%d rows with --only, want 7", len(rows))
	}
}

// tableOf gives the rows of the end table as events make them.
func tableOf(t *testing.T, r *run, events []journal.Event) []Row {
	t.Helper()
	tally := newTally(r.folder, r.plan)
	for _, e := range events {
		if _, err := tally.apply(tally.prepare(e)); err != nil {
			t.Fatal(err)
		}
	}
	return tally.table()
}

// What a run with an edited sweep measured before stays in every report, under its own names and
// with its own axes, and is counted apart.
func TestSamplesOfAFormerSweep(t *testing.T) {
	r := eventful(t, t.TempDir(), "en")
	now := *r.plan
	now.Cells = now.Cells[:1]
	now.Servers, now.Clients = now.Servers[:1], now.Clients[:1]
	before := *r.plan
	before.Servers = slices.Clone(before.Servers)
	old := *before.Servers[1]
	old.Axes = matrix.Axes{{Name: "kernel", Value: "old"}}
	before.Servers[1] = &old
	for name, plan := range map[string]*matrix.Plan{journal.PlanFile: &now, journal.FormerName(journal.PlanFile, 1): &before} {
		data, err := json.Marshal(plan)
		if err != nil {
			t.Fatal(err)
		}
		r.file(name, data)
	}
	r.plan = &now
	r.add(journal.Event{Type: journal.RunResumed}, journal.Session{Blocks: 1, Plan: 2})
	r.add(journal.Event{Type: journal.RunEnded}, journal.Verdict{OK: 1})
	text := r.text("")
	for _, want := range []string{
		"] deepseek-v3-attention: 1 ok, 6 no longer in the sweep\n",
		"SERVER=triton  CLIENT=rand256x32",
		"256/256  after interrupted, no longer in the sweep\n",
		"port_busy, no longer in the sweep\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("report.txt does not say %q:\n%s", want, text)
		}
	}
	if strings.Contains(text, "[FAILURES]") {
		t.Error("report.txt holds the failures of cells that nobody asks for against the run")
	}
	var md, csv bytes.Buffer
	if err := Markdown(&md, r.folder); err != nil || !strings.Contains(md.String(), "1 ok, 6 no longer in the sweep") {
		t.Errorf("%v: %s", err, md.String())
	}
	if err := CSV(&csv, r.folder); err != nil || !strings.Contains(csv.String(), ",server.kernel,") {
		t.Errorf("%v: results.csv has no column for the former axis: %s", err, csv.String())
	}
}

// An empty plan and an unreadable journal are errors for people, not crashes.
func TestUnreadableRuns(t *testing.T) {
	r := oneCell(t, good)
	for name, spoil := range map[string]func() error{
		"plan.json":    func() error { return os.WriteFile(r.folder.Path(journal.PlanFile), []byte("{"), 0o600) },
		"events.jsonl": func() error { return os.WriteFile(r.folder.Path(journal.EventsFile), []byte("x\n{}\n"), 0o600) },
	} {
		if err := spoil(); err != nil {
			t.Fatal(err)
		}
		for _, draw := range []func() error{
			func() error { return Text(&bytes.Buffer{}, r.folder, "") }, func() error { return Markdown(&bytes.Buffer{}, r.folder) },
			func() error { return CSV(&bytes.Buffer{}, r.folder) }, func() error { return JSONL(&bytes.Buffer{}, r.folder) },
		} {
			if err := draw(); err == nil || !strings.Contains(err.Error(), name) {
				t.Errorf("%s: %v", name, err)
			}
		}
		if err := os.WriteFile(r.folder.Path(journal.PlanFile), []byte(`{"schema":1}`), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := drawEvents(&bytes.Buffer{}, newTally(r.folder, &matrix.Plan{}), []journal.Event{{Type: journal.LaunchReady, Data: []byte(`[]`)}}); err == nil || !strings.Contains(err.Error(), "launch.ready") {
		t.Errorf("damaged data of an event gave %v", err)
	}
}
