package progress

import (
	"bytes"
	"encoding/json"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"servematrix/journal"
	"servematrix/matrix"
	"servematrix/orchestrator"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// sink is a terminal's other end.
type sink struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *sink) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *sink) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}

// story is a run of two servers and one client, told event by event on the clock of the test.
type story struct {
	t      *testing.T
	folder journal.Folder
	plan   *matrix.Plan
	view   *View
	began  time.Time
	seq    int64
	jump   time.Duration // what somebody sets the clock by, in the midst of it
}

func newStory(t *testing.T, opt Options) *story {
	t.Helper()
	s := &story{t: t, folder: journal.Folder(filepath.Join(t.TempDir(), "demo-1")), began: time.Now()}
	s.plan = &matrix.Plan{
		Servers: []*matrix.Server{
			{Variant: matrix.Variant{ID: "fa3-1", Name: "fa3"}, Isolation: "cell"},
			{Variant: matrix.Variant{ID: "triton-2", Name: "triton"}, Isolation: "cell"},
		},
		Clients: []*matrix.Client{{Variant: matrix.Variant{ID: "load-3", Name: "load"}}},
		Cells:   []matrix.Cell{{ID: "c1", Server: "fa3-1", Client: "load-3"}, {ID: "c2", Server: "triton-2", Client: "load-3"}},
	}
	opt.Plan, opt.Folder, opt.Zone = s.plan, s.folder, time.UTC
	s.view = New(opt)
	return s
}

// tell hands the view the next event.
func (s *story) tell(e journal.Event, data any) {
	s.t.Helper()
	s.view.Handle(s.event(e, data))
}

func (s *story) event(e journal.Event, data any) journal.Event {
	s.t.Helper()
	raw, err := json.Marshal(data)
	if err != nil {
		s.t.Fatal(err)
	}
	s.seq++
	e.Seq, e.Time, e.Mono, e.Session, e.Data = s.seq, time.Now().Round(0), time.Since(s.began).Seconds(), 1, raw
	if s.seq > 5 { // while the first client runs
		e.Time = e.Time.Add(s.jump)
	}
	return e
}

func (s *story) write(name, text string) {
	s.t.Helper()
	path := s.folder.Path(name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		s.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		s.t.Fatal(err)
	}
}

func (s *story) start(launch, server, name string) {
	s.tell(journal.Event{Type: journal.LaunchStarted, Launch: launch, Block: 1}, journal.Launch{Server: server, Name: name, Logs: []string{"launches/" + launch + "/server.out"}})
	s.tell(journal.Event{Type: journal.LaunchRunning, Launch: launch, Block: 1}, journal.Running{PID: 7})
}

func (s *story) ready(launch string, after time.Duration) {
	time.Sleep(after)
	s.tell(journal.Event{Type: journal.LaunchReady, Launch: launch, Block: 1}, journal.Ready{Seconds: after.Seconds()})
}

func (s *story) client(launch, cell string) {
	folder := journal.AttemptName(cell, 1, 1)
	s.write(filepath.Join(folder, "client.err"), "\r  0%|  | 0/500 [00:00<?, ?it/s]\r 43%|██ | 214/500 [00:20<00:26,  9.9it/s]")
	s.tell(journal.Event{Type: journal.SampleStarted, Launch: launch, Cell: cell, Block: 1, Attempt: 1}, journal.Sample{Folder: folder})
	s.tell(journal.Event{Type: journal.ClientStarted, Launch: launch, Cell: cell, Block: 1, Attempt: 1}, journal.Running{PID: 8})
}

func (s *story) ok(launch, cell string, after time.Duration) {
	s.measured(launch, cell, after, `{"output_throughput":2914.2,"p99_ttft_ms":212.3,"accept_length":null}`)
}

func (s *story) measured(launch, cell string, after time.Duration, metrics string) {
	time.Sleep(after)
	s.write(filepath.Join(journal.AttemptName(cell, 1, 1), journal.SampleFile), `{"metrics":`+metrics+`}`)
	s.tell(journal.Event{Type: journal.ClientExited, Launch: launch, Cell: cell, Block: 1, Attempt: 1}, journal.Exited{Seconds: after.Seconds()})
	s.tell(journal.Event{Type: journal.SampleEnded, Launch: launch, Cell: cell, Block: 1, Attempt: 1}, journal.Ended{Status: "ok", Final: true})
}

func (s *story) gone(launch string, after time.Duration) {
	s.tell(journal.Event{Type: journal.LaunchStopping, Launch: launch, Block: 1}, journal.Stopping{Why: "its clients are done"})
	time.Sleep(after)
	s.tell(journal.Event{Type: journal.LaunchEnded, Launch: launch, Block: 1}, journal.Gone{PortFree: true, Seconds: after.Seconds()})
}

func (s *story) unit(cell string) orchestrator.Unit { return orchestrator.Unit{Cell: cell, Block: 1} }

// almost tells a launch whose cell is measured and that is being stopped; good also of its end.
func (s *story) almost(launch, cell string) {
	server := s.view.track.cells[cell].Server
	s.start(launch, server, server)
	s.ready(launch, 100*time.Second)
	s.client(launch, cell)
	s.ok(launch, cell, 200*time.Second)
	s.tell(journal.Event{Type: journal.LaunchStopping, Launch: launch, Block: 1}, journal.Stopping{Why: "its clients are done"})
}

func (s *story) good(launch, cell string) {
	s.almost(launch, cell)
	time.Sleep(10 * time.Second)
	s.tell(journal.Event{Type: journal.LaunchEnded, Launch: launch, Block: 1}, journal.Gone{PortFree: true, Seconds: 10})
}

// bad tells a launch that fails at once.
func (s *story) bad(launch, cell string, final bool) {
	server := s.view.track.cells[cell].Server
	s.start(launch, server, server)
	time.Sleep(time.Second)
	f := journal.Failure{Class: "oom", Phase: "start", Message: "no room"}
	s.tell(journal.Event{Type: journal.LaunchFailed, Launch: launch, Block: 1}, f)
	s.tell(journal.Event{Type: journal.SampleEnded, Launch: launch, Cell: cell, Block: 1, Attempt: 1}, journal.Ended{Status: "failed", Failure: &f, Final: final})
	s.gone(launch, 2*time.Second)
}

// whole tells a run whose second server runs out of memory.
func (s *story) whole() {
	s.tell(journal.Event{Type: journal.RunStarted}, journal.Session{Blocks: 1, Cells: 2})
	s.start("0001", "fa3-1", "fa3")
	s.ready("0001", 71*time.Second)
	s.client("0001", "c1")
	s.ok("0001", "c1", 5*time.Minute+30*time.Second)
	s.gone("0001", 2*time.Second)
	s.start("0002", "triton-2", "triton")
	time.Sleep(212 * time.Second)
	f := journal.Failure{Class: "oom", Phase: "start", Message: "torch.OutOfMemoryError: CUDA\tout \x1b[31mof memory", File: "launches/0002/server.err", Line: 812}
	s.tell(journal.Event{Type: journal.LaunchFailed, Launch: "0002", Block: 1}, f)
	s.tell(journal.Event{Type: journal.SampleEnded, Launch: "0002", Cell: "c2", Block: 1, Attempt: 1}, journal.Ended{Status: "failed", Failure: &f, Final: true})
	s.gone("0002", time.Second)
	s.tell(journal.Event{Type: journal.RunEnded}, journal.Verdict{ExitCode: 3, OK: 1, Failed: 1})
}

// What a search found stands first.
func TestLinesOfSearches(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out sink
		s := newStory(t, Options{W: &out, Mode: "plain"})
		s.tell(journal.Event{Type: journal.RunStarted}, journal.Session{Blocks: 1, Cells: 2})
		for i, metrics := range []string{
			`{"output_throughput":2914.2,"max_request_rate":152.2,"max_concurrency_found":null,"p99_ttft_ms":212.3}`,
			`{"output_throughput":2914.2,"max_request_rate":null,"max_concurrency_found":48}`,
		} {
			launch, cell := fmt.Sprintf("000%d", i+1), s.plan.Cells[i]
			s.start(launch, cell.Server, "server")
			s.ready(launch, time.Second)
			s.client(launch, cell.ID)
			s.measured(launch, cell.ID, time.Second, metrics)
			s.gone(launch, time.Second)
		}
		s.view.Close()
		for _, want := range []string{"  152.2 req/s within SLO  2914 tok/s  ttft.p99 212.3ms\n", "  concurrency 48 within SLO  2914 tok/s\n"} {
			if !strings.Contains(out.String(), want) {
				t.Errorf("no %q in\n%s", want, out.String())
			}
		}
	})
}

func lines(s string) []string { return strings.Split(strings.TrimSuffix(s, "\n"), "\n") }

func TestPlainTellsEachPhaseAndLivesOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out sink
		s := newStory(t, Options{W: &out, Mode: "plain"})
		s.whole()
		s.view.Close()
		want := []string{
			"00:00:00 run   demo-1: 2 samples",
			"00:00:00 start fa3  0001",
			"00:01:00 ...   0/2  0 ok  fa3   start✓0.0s ▶ready 60s  ETA ?",
			"00:01:11 ready fa3 after 71s",
			"00:01:11 bench fa3 × load b1",
			"00:02:11 ...   0/2  0 ok  fa3 × load b1   start✓0.0s ready✓71s ▶bench 60s  client 214/500  ETA ?",
			"00:03:11 ...   0/2  0 ok  fa3 × load b1   start✓0.0s ready✓71s ▶bench 2m00s  client 214/500  ETA ?",
			"00:04:11 ...   0/2  0 ok  fa3 × load b1   start✓0.0s ready✓71s ▶bench 3m00s  client 214/500  ETA ?",
			"00:05:11 ...   0/2  0 ok  fa3 × load b1   start✓0.0s ready✓71s ▶bench 4m00s  client 214/500  ETA ?",
			"00:06:11 ...   0/2  0 ok  fa3 × load b1   start✓0.0s ready✓71s ▶bench 5m00s  client 214/500  ETA ?",
			"00:06:41 ok    1/2 fa3 × load b1  6m41s ready 71s  2914 tok/s  ttft.p99 212.3ms",
			"00:06:43 stop  fa3 in 2.0s",
			"00:06:43 start triton  0002",
			"00:07:43 ...   1/2  1 ok  triton   start✓0.0s ▶ready 60s/~71s  ETA 5m–6m → 00:13 UTC",
			"00:08:43 ...   1/2  1 ok  triton   start✓0.0s ▶ready 2m00s/~71s  ETA 5m–6m → 00:13–00:14 UTC",
			"00:09:43 ...   1/2  1 ok  triton   start✓0.0s ▶ready 3m00s/~71s  ETA 5m–6m → 00:14–00:15 UTC",
			"00:10:15 down  triton: oom after 3m32s",
			"00:10:15 FAIL  2/2 triton × load b1  oom after 3m32s: the device ran out of memory",
			"               launches/0002/server.err:812 torch.OutOfMemoryError: CUDA out [31mof memory",
			"               logs: servematrix logs " + string(s.view.opt.Folder) + " c2",
			"00:10:16 stop  triton in 1.0s",
			"00:10:16 end   demo-1: 1 ok 1 failed in 10m16s",
		}
		got := lines(out.String())
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("want - got +\n%s", diff)
		}
	})
}

// TestClockJumpChangesNoDuration sets the clock while the first client runs: only
// the times of day at the begin of lines differ.
func TestClockJumpChangesNoDuration(t *testing.T) {
	told := func(jump time.Duration) (all []string) {
		synctest.Test(t, func(t *testing.T) {
			var out sink
			s := newStory(t, Options{W: &out, Mode: "plain"})
			s.jump = jump
			s.whole()
			s.view.Close()
			for _, line := range lines(strings.ReplaceAll(out.String(), string(s.view.opt.Folder), "RUN")) {
				all = append(all, line[len("00:00:00"):])
			}
		})
		return all
	}
	want := told(0)
	for _, jump := range []time.Duration{-3 * time.Hour, 5 * time.Hour} {
		if diff := cmp.Diff(want, told(jump)); diff != "" {
			t.Errorf("jump of %v: -want +got\n%s", jump, diff)
		}
	}
}

func TestBarDrawsAtMostTwiceASecondAndOnlyChanges(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out sink
		s := newStory(t, Options{W: &out, Mode: "bar"})
		s.tell(journal.Event{Type: journal.RunStarted}, journal.Session{Blocks: 1, Cells: 2})
		s.start("0001", "fa3-1", "fa3")
		time.Sleep(10*time.Second + time.Millisecond)
		synctest.Wait()
		// Ten seconds went by; each changed the elapsed time once.
		if n := strings.Count(out.String(), "elapsed"); n < 10 || n > 12 {
			t.Errorf("drawn %d times in 10 s, want once a second:\n%q", n, out.String())
		}
		s.ready("0001", 0)
		s.client("0001", "c1")
		time.Sleep(2 * time.Second)
		synctest.Wait()
		if !strings.Contains(out.String(), "client 214/500") {
			t.Errorf("the client's own progress is missing:\n%s", out.String())
		}
		s.view.Close()
		if !strings.HasSuffix(out.String(), "\x1b[J") {
			t.Errorf("the block must go at the end: %q", out.String())
		}
	})
}

func TestStalledTerminalHoldsNothingUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		free := make(chan struct{})
		s := newStory(t, Options{W: writerFunc(func(p []byte) (int, error) { <-free; return 0, os.ErrClosed }), Mode: "bar"})
		before := time.Now()
		s.tell(journal.Event{Type: journal.RunStarted}, journal.Session{Blocks: 1})
		for i := range 1000 {
			s.tell(journal.Event{Type: journal.Warning}, journal.Note{Message: fmt.Sprint(i)})
		}
		s.view.Close()
		if took := time.Since(before); took > patience {
			t.Errorf("a terminal that takes nothing held the run up for %v", took)
		}
		close(free)
	})
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

func TestJSONIsTheJournal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out sink
		s := newStory(t, Options{W: &out, Mode: "json"})
		s.whole()
		s.view.Close()
		got := lines(out.String())
		if int64(len(got)) != s.seq {
			t.Fatalf("%d lines for %d events", len(got), s.seq)
		}
		var e journal.Event
		if err := json.Unmarshal([]byte(got[len(got)-1]), &e); err != nil || e.Type != journal.RunEnded || e.Seq != s.seq {
			t.Errorf("last line %s: %v", got[len(got)-1], err)
		}
	})
}

func TestSkippedCellsInARowAreNamedOnceForEachCause(t *testing.T) {
	skip := func(s *story, block int, causes ...string) {
		for _, cause := range causes {
			s.tell(journal.Event{Type: journal.CellSkipped, Cell: "c2", Block: block}, journal.Skip{Cause: cause, Failure: journal.Failure{Class: "oom", Message: "no room"}})
			block++
		}
	}
	for name, c := range map[string]struct {
		tell func(*story)
		want []string
	}{
		"one cause": {
			func(s *story) { skip(s, 1, "0002", "0002", "0002") },
			[]string{"skip  1/6 triton × load b1  not tried: oom at 0002", "no room", "skip  3/6 and 2 cells more for the same reason"},
		},
		"two that take turns": {
			func(s *story) { skip(s, 1, "0002", "0003", "0002") },
			[]string{"skip  1/6 triton × load b1  not tried: oom at 0002", "no room", "skip  2/6 triton × load b2  not tried: oom at 0003", "skip  3/6 and 1 cell more for the same reasons"},
		},
		"a second row": {
			func(s *story) {
				skip(s, 1, "0002", "0002")
				s.tell(journal.Event{Type: journal.LaunchStarted, Launch: "0004"}, journal.Launch{Name: "fa"})
				skip(s, 3, "0002")
			},
			[]string{"skip  1/6 triton × load b1  not tried: oom at 0002", "no room", "skip  2/6 and 1 cell more for the same reason", "start fa  0004", "skip  3/6 triton × load b3  not tried: oom at 0002"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var out sink
				s := newStory(t, Options{W: &out, Mode: "plain"})
				s.tell(journal.Event{Type: journal.RunStarted}, journal.Session{Blocks: 3})
				c.tell(s)
				s.view.Close()
				var got []string
				for _, l := range lines(out.String())[1:] { // behind that of the run
					got = append(got, strings.TrimSpace(strings.TrimPrefix(l, "00:00:00 ")))
				}
				if diff := cmp.Diff(c.want, got); diff != "" {
					t.Errorf("want - got +\n%s", diff)
				}
			})
		})
	}
}

func TestResumedRunCountsWhatIsDone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		first := newStory(t, Options{Mode: "none"})
		var past []journal.Event
		add := func(e journal.Event, data any) { past = append(past, first.event(e, data)) }
		add(journal.Event{Type: journal.RunStarted}, journal.Session{Blocks: 1})
		add(journal.Event{Type: journal.SampleStarted, Cell: "c1", Block: 1, Attempt: 1}, journal.Sample{})
		add(journal.Event{Type: journal.SampleEnded, Cell: "c1", Block: 1, Attempt: 1}, journal.Ended{Status: "ok", Final: true})
		first.view.Close()
		var out sink
		s := newStory(t, Options{W: &out, Mode: "plain", Past: told(past), Units: []orchestrator.Unit{{Cell: "c2", Block: 1}}})
		s.tell(journal.Event{Type: journal.RunResumed}, journal.Session{Blocks: 1})
		s.view.Close()
		if want := "00:00:00 again demo-1: 1 of 2 done, goes on\n"; out.String() != want {
			t.Errorf("got %q, want %q", out.String(), want)
		}
		var full sink
		s = newStory(t, Options{W: &full, Mode: "plain", Past: told(past)})
		s.tell(journal.Event{Type: journal.RunResumed}, journal.Session{Blocks: 1})
		s.view.Close()
		if !strings.HasSuffix(full.String(), " done, nothing is missing\n") {
			t.Errorf("with nothing to do: %q", full.String())
		}
	})
}

// A run that goes on by itself has more samples with each block, or fewer when a budget ends
// it, in its own view, in that of a resume, and in that of somebody who watches.
func TestRunThatGoesOnCountsItsBlocks(t *testing.T) {
	units := func(blocks int) (units []orchestrator.Unit) {
		for b := 1; b <= blocks; b++ {
			units = append(units, orchestrator.Unit{Cell: "c2", Block: b})
		}
		return units
	}
	only := map[string]bool{"c2": true}
	until := &journal.Until{Precision: 0.02, Most: 20}
	type step struct {
		t      journal.Type
		blocks int
		total  int // behind it
	}
	for name, c := range map[string]struct {
		units []orchestrator.Unit
		steps []step
	}{
		"grows":         {units(3), []step{{journal.RunStarted, 3, 3}, {journal.BlockEnded, 3, 3}, {journal.BlockEnded, 4, 4}, {journal.BlockEnded, 5, 5}}},
		"shrinks":       {units(3), []step{{journal.RunStarted, 3, 3}, {journal.BlockEnded, 1, 1}}},
		"resumed":       {units(3)[1:], []step{{journal.RunStarted, 3, 2}, {journal.BlockEnded, 1, 1}, {journal.RunResumed, 3, 3}, {journal.BlockEnded, 4, 4}}},
		"watched later": {units(5), []step{{journal.RunStarted, 3, 5}, {journal.BlockEnded, 4, 4}, {journal.BlockEnded, 5, 5}, {journal.BlockEnded, 6, 6}}},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStory(t, Options{Mode: "none", Units: c.units, Cells: only})
			defer s.view.Close()
			track := s.view.track
			measured := 0
			for _, step := range c.steps {
				var data any = journal.Session{Blocks: step.blocks, Until: until}
				if step.t == journal.BlockEnded {
					if measured++; measured == 1 {
						track.apply(s.event(journal.Event{Type: journal.SampleEnded, Cell: "c2", Block: 1, Attempt: 1}, journal.Ended{Status: "ok", Final: true}))
					}
					data = journal.Look{Blocks: step.blocks}
				}
				track.apply(s.event(journal.Event{Type: step.t, Block: 1}, data))
				if track.total != step.total || track.done() != min(measured, 1) || track.left.clients["load-3"] != step.total-min(measured, 1) {
					t.Errorf("%s with %d blocks: %d of %d done, %d left, want %d in all", step.t, step.blocks, track.done(), track.total, track.left.clients["load-3"], step.total)
				}
			}
		})
	}
}

// told gives events as a journal does.
func told(events []journal.Event) iter.Seq2[journal.Event, error] {
	return func(yield func(journal.Event, error) bool) {
		for _, e := range events {
			if !yield(e, nil) {
				return
			}
		}
	}
}
