package orchestrator

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"servematrix/engine"
	"servematrix/journal"
)

func TestResultOfAnotherClientDoesNotCount(t *testing.T) {
	catalog, err := engine.Load()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "all.jsonl")
	a := &attempt{profile: catalog.Client("servematrix bench"), command: command{argv: []string{"servematrix", "bench", "--output-file", path}}}
	if got := a.fresh(); got != "" {
		t.Errorf("there is no file, and yet %q is fresh", got)
	}
	if err := os.WriteFile(path, []byte("{}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := a.fresh(); got != path {
		t.Errorf("a new file: %q", got)
	}
	a.before = a.look()
	if got := a.fresh(); got != "" {
		t.Errorf("the file that was there before is %q", got)
	}
	if err := os.WriteFile(path, []byte("{}\n{}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := a.fresh(); got != path {
		t.Errorf("a file that grew: %q", got)
	}
}

func TestResultIsTheNewestThatFitsThePattern(t *testing.T) {
	catalog, err := engine.Load()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	a := &attempt{profile: catalog.Client("evalscope perf"), dir: dir, command: command{argv: []string{"evalscope", "perf", "--outputs-dir", "${{ late.dir }}/out"}}}
	if a.fresh() != "" || len(a.several()) != 0 {
		t.Errorf("nothing was written, and yet there is %q", a.fresh())
	}
	write := func(name string, age time.Duration) string {
		path := filepath.Join(dir, "out", name, "m", "benchmark_summary.json")
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{path, filepath.Join(filepath.Dir(path), "benchmark_args.json")} {
			if err := os.WriteFile(name, []byte(`{"Test Duration (s)": 1, "Success Requests": 4}`), 0o600); err != nil {
				t.Fatal(err)
			}
			if err := os.Chtimes(name, time.Time{}, time.Now().Add(-age)); err != nil {
				t.Fatal(err)
			}
		}
		return path
	}
	old := write("20261121_1", time.Hour)
	// The cell before wrote its result a moment ago, as it does where a server is shared.
	newer := write("20261121_3", 0)
	a.before = a.look()
	if a.fresh() != "" || len(a.several()) != 0 || len(a.written()) != 0 {
		t.Errorf("an older run's file is %q, %v", a.fresh(), a.several())
	}
	mine := write("20261121_0", 0)
	if a.fresh() != mine || len(a.several()) != 0 {
		t.Errorf("%q and %v beside %s and %s", a.fresh(), a.several(), old, newer)
	}
	if got := a.written(); !slices.Contains(got, mine) || !slices.Contains(got, filepath.Join(filepath.Dir(mine), "benchmark_args.json")) {
		t.Errorf("secrets are hidden in %q", got)
	}
	write("20261121_2", 0)
	if got := a.several(); len(got) != 1 || got[0].Severity != "error" {
		t.Errorf("two results in one run: %v", got)
	}
}

func TestRetryOfASharedStartTriesEveryCell(t *testing.T) {
	b := newBench(t, `
server: {command: "SERVER", ready: READY, isolation: launch}
client: {axes: {c: [x, y, z]}, command: "CLIENT fail ${{ c }}"}
run: {retries: 0}
`)
	if v, err := b.run(context.Background(), Again{}, nil); err != nil || v.Failed != 3 {
		t.Fatalf("verdict %+v, err %v", v, err)
	}
	if v, err := b.run(context.Background(), Again{Failed: true}, nil); err != nil || v.Failed != 3 {
		t.Fatalf("again: verdict %+v, err %v", v, err)
	}
	if n := len(b.events(journal.SampleEnded)); n != 6 { // there is no flush, so each had a start of its own
		t.Errorf("%d attempts, want 6", n)
	}
}

func TestGivenUpVariantIsFinal(t *testing.T) {
	b := newBench(t, `
server: {command: "SERVER bad-flag", ready: READY, failure: [{class: bad_flag, log: unrecognized arguments}]}
client: {axes: {c: [x, y]}, command: "CLIENT ${{ c }}"}
run: {retries: 5}
`)
	v, err := b.run(context.Background(), Again{}, nil)
	if err != nil || v != (journal.Verdict{Failed: 1, Skipped: 1, ExitCode: ExitFailed}) {
		t.Fatalf("verdict %+v, err %v", v, err)
	}
	if left := b.state().Missing(PlanUnits(b.plan, 1), Again{}); len(left) != 0 {
		t.Errorf("%v are left for a resume that could not measure them", left)
	}
}

func TestOnStartFailureStopEndsTheSweep(t *testing.T) {
	b := newBench(t, `
server: {axes: {s: [bad-flag, good]}, command: "SERVER ${{ s }}", ready: READY}
client: {command: "CLIENT"}
run: {retries: 0, on_start_failure: stop}
`)
	if v, err := b.run(context.Background(), Again{}, nil); err != nil || v != (journal.Verdict{Failed: 1, Missing: 1, ExitCode: ExitFailed}) {
		t.Fatalf("verdict %+v, err %v", v, err)
	}
}

func TestInterruptIsNoFailedHook(t *testing.T) {
	b := newBench(t, `
server: {command: "SERVER", ready: READY}
client: {command: "CLIENT hang"}
hooks: {on_failure: {command: ['false'], on_error: stop}, after_cell: {command: ['false'], on_error: stop}}
`)
	ctx, cancel := context.WithCancelCause(context.Background())
	v, err := b.run(ctx, Again{}, func(e journal.Event) {
		if e.Type == journal.ClientStarted {
			cancel(&Interrupt{Signal: syscall.SIGTERM})
		}
	})
	if _, ok := errors.AsType[*Interrupt](err); !ok || v != (journal.Verdict{Missing: 1, ExitCode: ExitSIGTERM}) {
		t.Fatalf("verdict %+v, err %v", v, err)
	}
	if n := len(b.events(journal.HookEnded)); n != 0 {
		t.Errorf("%d hooks ran after the interrupt", n)
	}
}

func TestOurEnvironmentComesLast(t *testing.T) {
	r := &runner{Options: Options{Environ: []string{"PATH=/bin", "SPT_NOENV=0"}, Folder: "/runs/x"}}
	env := r.environ(command{env: map[string]string{"NO_PROXY": "corp.example", "no_proxy": "*"}, unset: []string{"SPT_NOENV"}})
	for _, want := range []string{"NO_PROXY=corp.example,127.0.0.1,localhost,::1", "no_proxy=*", "SPT_NOENV=1", "PYTHONUNBUFFERED=1", "SERVEMATRIX_RUN=/runs/x", "PATH=/bin"} {
		if !slices.Contains(env, want) {
			t.Errorf("%s is missing in %v", want, env)
		}
	}
}

func TestWhatCannotBeFilledIsSaidBefore(t *testing.T) {
	b := newBench(t, `
server: {command: "SERVER ${{ late.devices }}", ready: READY}
client: {axes: {c: [x, y]}, command: "CLIENT ${{ c }}"}
`)
	units := PlanUnits(b.plan, 1)
	err := Commands(b.plan, units, "/", []string{"PATH=/bin"})
	if err == nil || !strings.Contains(err.Error(), "CUDA_VISIBLE_DEVICES") || !strings.Contains(err.Error(), "sweep.yaml:4:") {
		t.Errorf("err %v", err)
	}
	if err := Commands(b.plan, units, "/", []string{"PATH=/bin", "CUDA_VISIBLE_DEVICES=0,1"}); err != nil {
		t.Error(err)
	}
	if err := Commands(b.plan, nil, "/", nil); err != nil {
		t.Errorf("nothing is to run, and yet: %v", err)
	}
}
