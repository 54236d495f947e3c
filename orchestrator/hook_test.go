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
	"testing/synctest"
	"time"

	"servematrix/journal"
	"servematrix/matrix"
	"servematrix/secret"
)

func (b *bench) hooks() (ran []journal.HookRun) {
	b.t.Helper()
	for _, e := range b.events(journal.HookEnded) {
		h, err := journal.Decode[journal.HookRun](e)
		if err != nil {
			b.t.Fatal(err)
		}
		ran = append(ran, h)
	}
	return ran
}

func TestHookIsToldWhatItIsAbout(t *testing.T) {
	const all = `'echo "$SERVEMATRIX_MOMENT $SERVEMATRIX_BLOCK $SERVEMATRIX_ATTEMPT $SERVEMATRIX_STATUS $SERVEMATRIX_FAILURE $SERVEMATRIX_EXIT_CODE $SERVEMATRIX_SUMMARY"'`
	b := newBench(t, `
server: {command: "SERVER", ready: READY}
client: {axes: {c: [x, fail]}, command: "CLIENT ${{ c }}"}
run: {retries: 0}
hooks:
  after_cell: {command: [sh, -c, `+all+`]}
  on_failure: {command: [sh, -c, `+all+`]}
  after_run: {command: [sh, -c, `+all+`]}
`)
	if v, err := b.run(context.Background(), Again{}, nil); err != nil || v.OK != 1 || v.Failed != 1 {
		t.Fatalf("verdict %+v, err %v", v, err)
	}
	want := []string{
		"after_cell 1 1 ok",
		"on_failure 1 1 failed client_failed",
		"after_cell 1 1 failed client_failed",
		"after_run 3 1 ok, 0 invalid, 1 failed, 0 skipped, 0 missing",
	}
	var got []string
	for _, h := range b.hooks() {
		got = append(got, strings.Join(strings.Fields(h.Output), " "))
		if text, err := os.ReadFile(b.folder.Path(h.File)); err != nil || !strings.Contains(string(text), h.Output) {
			t.Errorf("its output is not in %s: %q, %v", h.File, text, err)
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("hooks said %q, want %q", got, want)
	}
}

// What a hook leaves running is ended, however it hides, and its secrets are hidden. bench.run looks that nothing is left.
func TestHookLeavesNothing(t *testing.T) {
	b := newBench(t, `
server: {command: "SERVER", ready: READY}
client: {command: "CLIENT"}
hooks:
  before_run: {command: [sh, -c, 'setsid sleep 600 & sh -c "trap : TERM; sleep 600" & echo token $HF_TOKEN; yes | head -n 40']}
`)
	b.environ = append(b.environ, "HF_TOKEN=hf_abcdefghijklmnop")
	if v, err := b.run(context.Background(), Again{}, nil); err != nil || v.OK != 1 {
		t.Fatalf("verdict %+v, err %v", v, err)
	}
	h := b.hooks()[0]
	if n := strings.Count(h.Output, "\n") + 1; n != hookLines {
		t.Errorf("%d lines in the journal, want %d", n, hookLines)
	}
	text, err := os.ReadFile(b.folder.Path(h.File))
	if err != nil || !strings.Contains(string(text), "token "+mask) || strings.Contains(string(text), "hf_abc") {
		t.Errorf("output %q, err %v", text, err)
	}
}

// A hook that says nothing leaves no folder.
func TestSilentHookLeavesNoFolder(t *testing.T) {
	b := newBench(t, "server: {command: 'SERVER', ready: READY}\nclient: {command: 'CLIENT'}\nhooks: {after_cell: {command: 'true'}}\n")
	if _, err := b.run(context.Background(), Again{}, nil); err != nil {
		t.Fatal(err)
	}
	if left, err := filepath.Glob(b.folder.Path("hooks", "*")); err != nil || len(left) > 0 {
		t.Errorf("%v, err %v", left, err)
	}
}

// An interrupt while a hook runs is an interrupt, also where the hook must not
// fail; what has to be put right at the end is put right all the same.
func TestInterruptDuringAHook(t *testing.T) {
	b := newBench(t, `
server: {command: "SERVER", ready: READY}
client: {command: "CLIENT"}
hooks:
  before_run: {command: sleep 600, on_error: stop}
  after_run: {command: [sh, -c, 'echo reset with $SERVEMATRIX_EXIT_CODE']}
`)
	ctx, cancel := context.WithCancelCause(context.Background())
	v, err := b.run(ctx, Again{}, func(e journal.Event) {
		if e.Type == journal.RunStarted {
			cancel(&Interrupt{Signal: syscall.SIGTERM})
		}
	})
	if _, ok := errors.AsType[*Interrupt](err); !ok || v.ExitCode != ExitSIGTERM {
		t.Fatalf("verdict %+v, err %v", v, err)
	}
	ran := b.hooks()
	if last := ran[len(ran)-1]; last.Output != "reset with 143" {
		t.Errorf("last hook %+v", last)
	}
}

// The second interrupt leaves the hook after the run its seconds.
func TestSecondInterruptLeavesTheLastHookItsSeconds(t *testing.T) {
	hurry := make(chan struct{})
	close(hurry)
	b := newBench(t, "server: {command: 'SERVER', ready: READY}\nclient: {command: 'CLIENT'}\n")
	r := &runner{Options: Options{Folder: b.folder, Environ: os.Environ(), Dir: t.TempDir(), Exe: os.Args[0], Redactor: &secret.Redactor{}, Hurry: hurry,
		Plan: &matrix.Plan{Hooks: matrix.Hooks{
			afterRun:  {Argv: []string{"sh", "-c", "sleep 0.1; echo reset"}},
			afterCell: {Argv: []string{"sleep", "600"}},
		}}}, state: NewState(), keeper: &keeper{}}
	for moment, want := range map[string]string{afterRun: "reset", afterCell: ""} {
		var ran journal.HookRun
		err := r.runHook(context.Background(), moment, journal.Event{}, &ran)
		if ran.Output != want || (err == nil) != (want != "") {
			t.Errorf("%s: said %q, err %v", moment, ran.Output, err)
		}
	}
}

// A hook's program is looked for before anything starts.
func TestMissingHookIsSaidBefore(t *testing.T) {
	b := newBench(t, "server: {command: 'SERVER', ready: READY}\nclient: {command: 'CLIENT'}\nhooks: {after_run: {command: ./no-such-script}}\n")
	err := Commands(b.plan, PlanUnits(b.plan, 1), t.TempDir(), os.Environ())
	if err == nil || !strings.Contains(err.Error(), "sweep.yaml:5:30: ") || !strings.Contains(err.Error(), "no-such-script is not there") {
		t.Errorf("err %v", err)
	}
}

// The cooldown holds between launches, and ends when somebody asks for the end.
func TestCooldown(t *testing.T) {
	folder := journal.Folder(t.TempDir())
	newRunner := func() *runner {
		return &runner{Options: Options{Folder: folder, Plan: &matrix.Plan{Run: matrix.Run{Cooldown: matrix.Duration(10 * time.Minute)}}}}
	}
	synctest.Test(t, func(t *testing.T) {
		r := newRunner()
		if err := r.pause(context.Background()); err != nil {
			t.Error(err) // before the first launch there is nothing to wait for
		}
		r.freed = time.Now()
		time.Sleep(time.Minute) // a hook, say
		if err := r.pause(context.Background()); err != nil || time.Since(r.freed) != 10*time.Minute {
			t.Errorf("it took %v since the last launch, err %v", time.Since(r.freed), err)
		}
	})
	synctest.Test(t, func(t *testing.T) {
		r := newRunner()
		r.freed = time.Now()
		ctx, cancel := context.WithCancelCause(context.Background())
		time.AfterFunc(3*time.Minute, func() { cancel(&Interrupt{Signal: syscall.SIGINT}) })
		err := r.pause(ctx)
		if _, ok := errors.AsType[*Interrupt](err); !ok || time.Since(r.freed) != 3*time.Minute {
			t.Errorf("after %v: %v", time.Since(r.freed), err)
		}
	})
	synctest.Test(t, func(t *testing.T) {
		r := newRunner()
		r.freed = time.Now()
		time.AfterFunc(3*time.Minute, func() {
			if err := os.WriteFile(folder.Path(StopAfterCell), nil, 0o600); err != nil {
				t.Error(err)
			}
		})
		if err := r.pause(context.Background()); !errors.Is(err, ErrStopAsked) || time.Since(r.freed) > 3*time.Minute+askEvery {
			t.Errorf("after %v: %v", time.Since(r.freed), err)
		}
		// An interrupt that came behind it is what ended the run.
		ctx, cancel := context.WithCancelCause(context.Background())
		cancel(&Interrupt{Signal: syscall.SIGTERM})
		if _, ok := errors.AsType[*Interrupt](r.pause(ctx)); !ok {
			t.Error("stop --after-cell hides the interrupt that came behind it")
		}
	})
}

// The time that a hook takes before a launch is not the server's.
func TestHookIsNoPartOfTheStart(t *testing.T) {
	b := newBench(t, "server: {command: 'SERVER', ready: READY}\nclient: {command: 'CLIENT'}\nhooks: {before_launch: {command: sleep 1}}\n")
	if _, err := b.run(context.Background(), Again{}, nil); err != nil {
		t.Fatal(err)
	}
	started, ready := b.events(journal.LaunchStarted)[0], b.events(journal.LaunchReady)[0]
	took, err := journal.Decode[journal.Ready](ready)
	if whole := ready.Mono - started.Mono; err != nil || took.Seconds > whole-1 {
		t.Errorf("ready after %.3f s, err %v; %.3f s with the hook", took.Seconds, err, whole)
	}
}
