package orchestrator

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"servematrix/journal"
	"servematrix/result"
	"servematrix/secret"
)

const twoByTwo = `
server: {axes: {s: [a, b]}, command: "SERVER", env: {S: "${{ s }}"}, ready: READY}
client: {axes: {c: [x, y]}, command: "CLIENT ${{ c }}"}
`

func TestRunMeasuresEveryCellOnAFreshStart(t *testing.T) {
	b := newBench(t, twoByTwo)
	v, err := b.run(context.Background(), Again{}, nil)
	if err != nil || v != (journal.Verdict{OK: 4}) {
		t.Fatalf("verdict %+v, err %v", v, err)
	}
	var order []string
	for _, e := range b.events(journal.LaunchStarted, journal.SampleEnded, journal.LaunchEnded) {
		order = append(order, string(e.Type))
	}
	want := strings.Repeat("launch.started sample.ended launch.ended ", 4)
	if got := strings.Join(order, " ") + " "; got != want {
		t.Errorf("order %s, want %s", got, want)
	}
	s := b.state()
	for _, u := range PlanUnits(b.plan, 1) {
		o := s.Of(u)
		data, err := os.ReadFile(b.folder.Path(journal.AttemptName(u.Cell, u.Block, o.Attempts), journal.SampleFile))
		if err != nil {
			t.Fatal(err)
		}
		if sum := sha256.Sum256(data); o.SHA256 != hex.EncodeToString(sum[:]) {
			t.Errorf("%v: the journal's digest is not that of the sample", u)
		}
		var sample result.Sample
		if err := json.Unmarshal(data, &sample); err != nil {
			t.Fatal(err)
		}
		if sample.Status != StatusOK || sample.Metrics.Value("output_throughput") != 50 || sample.Cell != u.Cell {
			t.Errorf("%v: sample %+v", u, sample)
		}
	}
}

// started gives the variants, workloads and blocks of all clients in their order: "a×x1".
func (b *bench) started() (list []string) {
	b.t.Helper()
	servers := map[string]string{}
	for _, e := range b.events(journal.LaunchStarted, journal.SampleStarted) {
		if e.Type == journal.LaunchStarted {
			l, err := journal.Decode[journal.Launch](e)
			if err != nil {
				b.t.Fatal(err)
			}
			servers[e.Launch] = l.Name
			continue
		}
		s, err := journal.Decode[journal.Sample](e)
		if err != nil {
			b.t.Fatal(err)
		}
		list = append(list, fmt.Sprintf("%s×%s%d", servers[e.Launch], s.Name, e.Block))
	}
	return list
}

func TestBlocksAreIndependentStarts(t *testing.T) {
	b := newBench(t, twoByTwo+"run: {blocks: 2}\n")
	if v, err := b.run(context.Background(), Again{}, nil); err != nil || v.OK != 8 {
		t.Fatalf("verdict %+v, err %v", v, err)
	}
	if got, want := strings.Join(b.started(), " "), "a×x1 a×y1 a×x2 a×y2 b×x1 b×y1 b×x2 b×y2"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if n := len(b.events(journal.LaunchStarted)); n != 8 {
		t.Errorf("%d starts, want 8", n)
	}
}

// The arms of a block follow each other for each workload, in the order of the block; what
// fails is tried again in its place.
func TestBlockedOrder(t *testing.T) {
	for isolation, starts := range map[string]int{"cell": 9, "launch": 5} {
		b := newBench(t, `
server: {axes: {s: [a, b]}, command: "SERVER", env: {S: "${{ s }}"}, ready: READY, flush: {path: /flush}, isolation: `+isolation+`}
client: {axes: {c: [{id: x, words: [x]}, {id: y, words: [once=TMP/once, fail]}]}, command: "CLIENT ${{ c.words }}"}
run: {blocks: 2, order: blocked, seed: 3}
`)
		if v, err := b.run(context.Background(), Again{}, nil); err != nil || v.OK != 8 {
			t.Fatalf("%s: verdict %+v, err %v", isolation, v, err)
		}
		var want []string
		for block := 1; block <= 2; block++ {
			servers, clients := BlockOrder(b.plan, 3, block)
			for i := range 4 {
				s, c := servers[i%2], clients[i/2]
				if isolation == "launch" {
					s, c = servers[i/2], clients[i%2]
				}
				want = append(want, fmt.Sprintf("%s×%s%d", s.Name, c.Name, block))
			}
		}
		failed := slices.IndexFunc(want, func(name string) bool { return strings.HasSuffix(name, "×y1") })
		behind := failed + 1
		if isolation == "launch" {
			behind = failed/2*2 + 2
		}
		want = slices.Insert(want, behind, want[failed])
		if d := cmp.Diff(want, b.started()); d != "" {
			t.Errorf("%s: %s", isolation, d)
		}
		if n := len(b.events(journal.LaunchStarted)); n != starts {
			t.Errorf("%s: %d starts, want %d", isolation, n, starts)
		}
	}
}

func TestFailedClientIsTriedAgainOnAFreshStart(t *testing.T) {
	b := newBench(t, `
server: {command: "SERVER", ready: READY}
client: {command: "CLIENT once=TMP/once fail"}
`)
	v, err := b.run(context.Background(), Again{}, nil)
	if err != nil || v.OK != 1 || v.ExitCode != 0 {
		t.Fatalf("verdict %+v, err %v", v, err)
	}
	ends := b.events(journal.SampleEnded)
	if len(ends) != 2 || ends[1].Attempt != 2 || ends[0].Launch == ends[1].Launch {
		t.Fatalf("ends: %+v", ends)
	}
	first, err := journal.Decode[journal.Ended](ends[0])
	if err != nil || first.Final || first.Failure.Class != "client_failed" || !strings.Contains(first.Failure.Message, "no luck") {
		t.Errorf("first attempt: %+v, err %v", first, err)
	}
}

func TestRetriesAreBounded(t *testing.T) {
	b := newBench(t, "server: {command: 'SERVER', ready: READY}\nclient: {command: 'CLIENT fail'}\nrun: {retries: 2}\n")
	v, err := b.run(context.Background(), Again{}, nil)
	if err != nil || v.Failed != 1 || v.ExitCode != ExitFailed {
		t.Fatalf("verdict %+v, err %v", v, err)
	}
	if n := len(b.events(journal.SampleEnded)); n != 3 {
		t.Errorf("%d attempts, want 3", n)
	}
}

func TestVariantThatCannotStartIsGivenUp(t *testing.T) {
	b := newBench(t, `
server: {axes: {s: [bad-flag, good]}, command: "SERVER ${{ s }}", ready: READY, failure: [{class: bad_flag, log: unrecognized arguments}]}
client: {axes: {c: [x, y, z]}, command: "CLIENT ${{ c }}"}
`)
	v, err := b.run(context.Background(), Again{}, nil)
	if err != nil || v != (journal.Verdict{OK: 3, Failed: 1, Skipped: 2, ExitCode: ExitFailed}) {
		t.Fatalf("verdict %+v, err %v", v, err)
	}
	fails := b.events(journal.LaunchFailed)
	if len(fails) != 2 {
		t.Fatalf("%d failed starts, want 2", len(fails))
	}
	f, err := journal.Decode[journal.Failure](fails[0])
	if err != nil || f.Class != "bad_flag" || f.Phase != "start" || !strings.Contains(f.Message, "--nonsense") || f.Line != 1 || len(f.Tail) == 0 {
		t.Errorf("failure %+v, err %v", f, err)
	}
	// To be asked to try again is to be tried again.
	v, err = b.run(context.Background(), Again{Failed: true, Skipped: true}, nil)
	if err != nil || v.Failed != 1 || v.Skipped != 2 {
		t.Errorf("again: verdict %+v, err %v", v, err)
	}
	if n := len(b.events(journal.LaunchFailed)); n != 4 {
		t.Errorf("%d failed starts after the second session, want 4", n)
	}
}

func TestServerThatDiesEndsItsClient(t *testing.T) {
	b := newBench(t, `
server: {command: "SERVER", ready: READY, failure: [{class: oom, log: CUDA out of memory}]}
client: {command: "CLIENT kill-server"}
run: {retries: 0}
`)
	v, err := b.run(context.Background(), Again{}, nil)
	if err != nil || v.Failed != 1 {
		t.Fatalf("verdict %+v, err %v", v, err)
	}
	e, err := journal.Decode[journal.Ended](b.events(journal.SampleEnded)[0])
	if err != nil || e.Failure.Class != "oom" || e.Failure.Phase != "client" || !strings.Contains(e.Failure.Message, "out of memory") {
		t.Errorf("%+v, err %v", e.Failure, err)
	}
}

func TestClientThatHangsIsEnded(t *testing.T) {
	for limit, class := range map[string]string{"timeout: 300ms": "client_timeout", "silence: 300ms": "client_silent"} {
		b := newBench(t, "server: {command: 'SERVER', ready: READY}\nclient: {command: 'CLIENT hang', "+limit+"}\nrun: {retries: 0}\n")
		v, err := b.run(context.Background(), Again{}, nil)
		if err != nil || v.Failed != 1 {
			t.Fatalf("verdict %+v, err %v", v, err)
		}
		e, err := journal.Decode[journal.Ended](b.events(journal.SampleEnded)[0])
		if err != nil || e.Failure.Class != class {
			t.Errorf("%+v, want class %s, err %v", e.Failure, class, err)
		}
	}
}

func TestClientThatLeavesNothingIsAFailure(t *testing.T) {
	b := newBench(t, "server: {command: 'SERVER', ready: READY}\nclient: {command: 'CLIENT empty'}\nrun: {retries: 0}\n")
	if v, err := b.run(context.Background(), Again{}, nil); err != nil || v.Failed != 1 {
		t.Fatalf("verdict %+v, err %v", v, err)
	}
	e, err := journal.Decode[journal.Ended](b.events(journal.SampleEnded)[0])
	if err != nil || e.Failure.Class != "no_result" {
		t.Errorf("%+v, err %v", e.Failure, err)
	}
}

func TestOneStartServesAllClientsBetweenFlushes(t *testing.T) {
	b := newBench(t, `
server: {command: "SERVER", ready: READY, isolation: launch, flush: {method: POST, path: /flush, expect: flushed}}
client: {axes: {c: [x, y, z]}, command: "CLIENT ${{ c }}"}
`)
	v, err := b.run(context.Background(), Again{}, nil)
	if err != nil || v.OK != 3 {
		t.Fatalf("verdict %+v, err %v", v, err)
	}
	if n := len(b.events(journal.LaunchStarted)); n != 1 {
		t.Errorf("%d launches, want 1", n)
	}
	if n := len(b.events(journal.CacheFlushed)); n != 2 {
		t.Errorf("%d flushes, want 2", n)
	}
}

func TestCacheThatDoesNotFlushCostsAFreshStart(t *testing.T) {
	if testing.Short() {
		t.Skip("waits until the flush is given up")
	}
	b := newBench(t, `
server: {command: "SERVER sticky-cache", ready: READY, isolation: launch, flush: {method: POST, path: /flush}}
client: {axes: {c: [x, y]}, command: "CLIENT ${{ c }}"}
`)
	v, err := b.run(context.Background(), Again{}, nil)
	if err != nil || v.OK != 2 {
		t.Fatalf("verdict %+v, err %v", v, err)
	}
	if n := len(b.events(journal.LaunchStarted)); n != 2 {
		t.Errorf("%d launches, want 2", n)
	}
	if n := len(b.events(journal.Warning)); n != 1 {
		t.Errorf("%d warnings, want 1", n)
	}
}

func TestOnFailureStopEndsTheSweep(t *testing.T) {
	b := newBench(t, `
server: {command: "SERVER", ready: READY}
client: {axes: {c: [fail, x]}, command: "CLIENT ${{ c }}"}
run: {retries: 0, on_failure: stop}
`)
	v, err := b.run(context.Background(), Again{}, nil)
	if err != nil || v != (journal.Verdict{Failed: 1, Missing: 1, ExitCode: ExitFailed}) {
		t.Fatalf("verdict %+v, err %v", v, err)
	}
}

func TestInterruptEndsInOrderAndResumeMeasuresTheRest(t *testing.T) {
	for _, at := range []journal.Type{journal.LaunchStarted, journal.LaunchRunning, journal.LaunchReady, journal.ClientStarted, journal.SampleEnded, journal.LaunchStopping, journal.LaunchEnded} {
		t.Run(string(at), func(t *testing.T) {
			b := newBench(t, twoByTwo)
			ctx, cancel := context.WithCancelCause(context.Background())
			v, err := b.run(ctx, Again{}, func(e journal.Event) {
				if e.Type == at && ctx.Err() == nil {
					cancel(&Interrupt{Signal: syscall.SIGINT})
				}
			})
			var interrupt *Interrupt
			if !errors.As(err, &interrupt) || v.ExitCode != ExitSIGINT || v.OK+v.Failed+v.Missing != 4 {
				t.Fatalf("verdict %+v, err %v", v, err)
			}
			before := v.OK
			v, err = b.run(context.Background(), Again{}, nil)
			if err != nil || v != (journal.Verdict{OK: 4}) {
				t.Fatalf("resumed: verdict %+v, err %v", v, err)
			}
			ok := map[Unit]int{}
			for _, e := range b.events(journal.SampleEnded) {
				if d, err := journal.Decode[journal.Ended](e); err == nil && d.Status == StatusOK {
					ok[Unit{e.Cell, e.Block}]++
				}
			}
			for u, n := range ok {
				if n != 1 {
					t.Errorf("%v was measured %d times", u, n)
				}
			}
			if len(ok) != 4 {
				t.Errorf("%d units measured, %d before the interrupt; want 4", len(ok), before)
			}
		})
	}
}

func TestServerThatWillNotEndIsKilledWithAllItsChildren(t *testing.T) {
	b := newBench(t, "server: {command: 'SERVER deaf nasty-children', ready: READY, stop: {grace: 200ms}}\nclient: {command: 'CLIENT'}\n")
	v, err := b.run(context.Background(), Again{}, nil)
	if err != nil || v.OK != 1 {
		t.Fatalf("verdict %+v, err %v", v, err)
	}
	g, err := journal.Decode[journal.Gone](b.events(journal.LaunchEnded)[0])
	if err != nil || !g.Killed || g.Orderly || g.Survivors != 0 || !g.PortFree {
		t.Errorf("%+v, err %v", g, err)
	}
}

func TestStopAfterCell(t *testing.T) {
	b := newBench(t, twoByTwo)
	v, err := b.run(context.Background(), Again{}, func(e journal.Event) {
		if e.Type == journal.ClientStarted {
			if err := os.WriteFile(b.folder.Path(StopAfterCell), nil, 0o600); err != nil {
				t.Error(err)
			}
		}
	})
	if !errors.Is(err, ErrStopAsked) || v.OK == 0 || v.OK == 4 || v.Failed != 0 {
		t.Fatalf("verdict %+v, err %v", v, err)
	}
}

func TestSecretsStayOutOfTheRunFolder(t *testing.T) {
	t.Setenv("FAKE_API_TOKEN", "s3cr3t-token-value")
	b := newBench(t, `
server: {command: "SERVER", env: {FAKE_API_TOKEN: "${{ env.FAKE_API_TOKEN }}"}, ready: READY}
client: {command: [sh, -c, 'echo "token $FAKE_API_TOKEN"; echo "{\"duration\": 1.0, \"completed\": 1, \"total_output_tokens\": 5}"']}
`)
	if v, err := b.run(context.Background(), Again{}, nil); err != nil || v.OK != 1 {
		t.Fatalf("verdict %+v, err %v", v, err)
	}
	seen := 0
	err := filepath.WalkDir(string(b.folder), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		if strings.Contains(string(data), "s3cr3t-token-value") {
			t.Errorf("%s holds the secret", path)
		}
		if strings.Contains(string(data), "token "+secret.Mask) {
			seen++
		}
		return err
	})
	if err != nil || seen == 0 {
		t.Errorf("walk: %v; the client's output was not found", err)
	}
}

func TestHooksRunAtTheirMoments(t *testing.T) {
	b := newBench(t, `
server: {command: "SERVER", ready: READY}
client: {axes: {c: [x, fail]}, command: "CLIENT ${{ c }}"}
run: {retries: 0}
hooks:
  before_run: {command: [sh, -c, 'echo moment $SERVEMATRIX_MOMENT']}
  before_launch: {command: [sh, -c, 'test -n "$SERVEMATRIX_LAUNCH"']}
  after_cell: {command: [sh, -c, 'test -n "$SERVEMATRIX_CELL"']}
  on_failure: {command: [sh, -c, 'exit 3']}
  after_run: {command: [sleep, "60"], timeout: 200ms}
`)
	if v, err := b.run(context.Background(), Again{}, nil); err != nil || v.OK != 1 || v.Failed != 1 {
		t.Fatalf("verdict %+v, err %v", v, err)
	}
	var got []string
	for _, e := range b.events(journal.HookEnded) {
		h, err := journal.Decode[journal.HookRun](e)
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, fmt.Sprintf("%s:%d", h.Moment, h.Code))
	}
	want := "before_run:0 before_launch:0 after_cell:0 before_launch:0 on_failure:3 after_cell:0 after_run:-1"
	if strings.Join(got, " ") != want {
		t.Errorf("hooks %v, want %s", got, want)
	}
	if n := len(b.events(journal.Warning)); n != 2 {
		t.Errorf("%d warnings, want 2", n)
	}
}

func TestHookThatMustNotFail(t *testing.T) {
	for moment, want := range map[string]journal.Verdict{
		"before_run":    {Missing: 1, ExitCode: ExitPreflight},
		"before_launch": {Failed: 1, ExitCode: ExitFailed},
	} {
		b := newBench(t, "server: {command: 'SERVER', ready: READY}\nclient: {command: 'CLIENT'}\nrun: {retries: 0}\nhooks: {"+moment+": {command: ['false'], on_error: stop}}\n")
		v, err := b.run(context.Background(), Again{}, nil)
		if v != want || (err != nil) != (moment == "before_run") {
			t.Errorf("%s: verdict %+v, err %v", moment, v, err)
		}
	}
}
