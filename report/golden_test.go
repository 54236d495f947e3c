package report

import (
	"bytes"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"servematrix/journal"
	"servematrix/matrix"
	"servematrix/metric"
	"servematrix/result"
)

// eventful is a run in which everything happens that a report has to tell.
func eventful(t folderTB, dir, lang string) *run {
	plan := samplePlan(lang, "cell")
	plan.Run.Blocks = 2
	plan.Cells = append(plan.Cells, matrix.Cell{ID: "triton-again-c0ffee", Server: plan.Servers[1].ID, Client: plan.Clients[0].ID})
	r := newRun(t, dir, plan)
	_, sections := sampleReport(t)
	good := func(cell int) outcome {
		return outcome{out: sections[cell].out, err: sections[cell].err, status: result.StatusOK, metrics: sections[cell].metrics}
	}
	r.begin()
	r.add(journal.Event{Type: journal.HookEnded}, journal.HookRun{Moment: "before_run", Argv: []string{"nvidia-smi", "-L"}, Output: "GPU 0: H200\nGPU 1: H200\n", Seconds: 0.25})

	// A good cell, after a warm-up; measured on the simulated server.
	r.startServer("0001-flashinfer", 0, 0, 1, true)
	r.ready("0001-flashinfer", 0, 1)
	warm := r.sample(journal.SampleStarted, "0001-flashinfer", 0, 1, 1)
	r.add(warm, journal.Sample{Name: "rand256x32", Warmup: true, Argv: []string{"warm"}})
	r.add(r.sample(journal.ClientExited, "0001-flashinfer", 0, 1, 1), journal.Exited{Code: 0, Seconds: 3})
	r.add(journal.Event{Type: journal.CacheFlushed, Launch: "0001-flashinfer"}, journal.Flushed{Request: "POST /flush_cache", Status: 200, Body: "Cache flushed.", OK: true, Seconds: 0.05})
	sim := good(0)
	sim.simulated = true
	r.attempt("0001-flashinfer", 0, 1, 1, sim)
	r.stopServer("0001-flashinfer", 0, 1)

	// A client that says 0 although requests failed, then the same again with the text in dispute.
	r.startServer("0002-flashinfer", 1, 1, 1, false)
	r.ready("0002-flashinfer", 1, 1)
	bad := good(1)
	bad.status, bad.reasons = result.StatusInvalid, []result.Reason{{Reason: "requests_failed", Severity: "error", Detail: "12 of 128 requests failed"}}
	r.attempt("0002-flashinfer", 1, 1, 1, bad)
	r.stopServer("0002-flashinfer", 1, 1)
	r.startServer("0003-flashinfer", 1, 1, 1, false)
	r.ready("0003-flashinfer", 1, 1)
	doubt := good(1)
	doubt.reasons = []result.Reason{{Reason: "text_json_differ", Severity: "warning", Detail: "duration_s: 255.25 in the text, 255.31 in the JSON"}}
	r.attempt("0003-flashinfer", 1, 1, 2, doubt)
	r.stopServer("0003-flashinfer", 1, 1)

	// A server that does not start, with hostile last words; the next cell of it is skipped.
	r.startServer("0004-triton", 2, 2, 1, false)
	oom := &journal.Failure{
		Class: "oom", Phase: "start", Message: "torch.OutOfMemoryError: CUDA out of memory\x1b[2J @octocat <img src=x>", File: "launches/0004-triton/server.err", Line: 812,
		Lines: []journal.LogLine{
			{File: "launches/0004-triton/server.err", Line: 812, Text: "torch.OutOfMemoryError: CUDA out of memory\x1b[2J @octocat <img src=x>"},
			{File: "launches/0004-triton/server.out", Line: 7, Text: "``` \u202eevil"},
		},
		Tail: []string{"\x1b[31mTraceback\x1b[0m (most recent call last):", "  File \"x.py\", line 1", "torch.OutOfMemoryError: ```", "", "\u202eevil"},
	}
	r.add(r.launch(journal.LaunchFailed, "0004-triton", 2, 1), oom)
	r.end("0004-triton", 2, 1, 1, outcome{status: result.StatusFailed, failure: oom})
	r.stopServer("0004-triton", 2, 1)
	r.add(journal.Event{Type: journal.CellSkipped, Cell: plan.Cells[3].ID, Block: 1}, journal.Skip{Failure: *oom, Cause: "0004-triton"})
	r.add(journal.Event{Type: journal.Warning}, journal.Note{Message: "server.log is silent\nfor 10 minutes"})
	r.add(journal.Event{Type: journal.Warning}, journal.Note{Message: "server.log is silent\nfor 10 minutes"})

	// The second block: interrupted in the middle of a client, resumed.
	r.startServer("0005-flashinfer", 0, 0, 2, false)
	r.ready("0005-flashinfer", 0, 2)
	cut := outcome{
		out: "half a li", status: result.StatusFailed, exit: journal.Exited{Code: -1, Signal: "SIGTERM", Why: "interrupted", Seconds: 12.5},
		failure: &journal.Failure{Class: "interrupted", Phase: "client", Message: "interrupted by interrupt"},
	}
	r.attempt("0005-flashinfer", 0, 2, 1, cut)
	r.stopServer("0005-flashinfer", 0, 2)
	r.add(journal.Event{Type: journal.RunInterrupted}, journal.Note{Message: "interrupted by interrupt"})
	r.add(journal.Event{Type: journal.RunEnded}, journal.Verdict{ExitCode: 130, OK: 2, Failed: 2, Missing: 6})
	r.resume()
	r.startServer("0006-flashinfer", 0, 0, 2, false)
	r.ready("0006-flashinfer", 0, 2)
	r.attempt("0006-flashinfer", 0, 2, 2, good(0))
	r.add(r.launch(journal.LaunchStopping, "0006-flashinfer", 0, 2), journal.Stopping{Why: "its clients are done"})
	r.add(r.launch(journal.LaunchEnded, "0006-flashinfer", 0, 2), journal.Gone{Code: -1, Signal: "SIGKILL", Killed: true, Survivors: 2, Seconds: 60, Note: "2 processes of launch 0006-flashinfer outlived SIGKILL"})

	// A client that dies without a word.
	r.startServer("0007-flashinfer", 1, 1, 2, false)
	r.ready("0007-flashinfer", 1, 2)
	dead := outcome{
		status: result.StatusFailed, exit: journal.Exited{Code: 1, Seconds: 2},
		failure: &journal.Failure{Class: "client_failed", Phase: "client", Message: "the client ended with exit code 1", File: "cells/x/client.err", Tail: []string{"ValueError: no"}},
	}
	r.attempt("0007-flashinfer", 1, 2, 1, dead)
	r.add(r.launch(journal.LaunchEnded, "0007-flashinfer", 1, 2), journal.Gone{Code: 1, PortFree: true, Seconds: 0.5})

	// A server that was never started: somebody else has its port.
	s := plan.Servers[1]
	r.add(r.launch(journal.LaunchStarted, "0008-triton", 4, 1), journal.Launch{Server: s.ID, Name: s.Name, Number: 2, Argv: s.Argv, Env: s.Env, Unset: []string{"HTTP_PROXY"}})
	busy := &journal.Failure{Class: "port_busy", Phase: "preflight", Message: "port 30000 is not free: held by pid 99 (python3)"}
	r.add(r.launch(journal.LaunchFailed, "0008-triton", 4, 1), busy)
	r.end("0008-triton", 4, 1, 1, outcome{status: result.StatusFailed, failure: busy})
	r.add(r.launch(journal.LaunchEnded, "0008-triton", 4, 1), journal.Gone{Code: -1, PortFree: true, Orderly: true, Note: "it was never started"})
	r.add(journal.Event{Type: journal.RunEnded}, journal.Verdict{ExitCode: 3, OK: 3, Failed: 3, Skipped: 1, Missing: 3})
	return r
}

func TestGolden(t *testing.T) {
	for _, lang := range []string{"en", "zh"} {
		r := eventful(t, t.TempDir(), lang)
		golden(t, "eventful."+lang+".txt", []byte(r.text("")))
		if lang == "zh" {
			continue
		}
		for name, draw := range map[string]func(io.Writer, journal.Folder) error{"eventful.md": Markdown, "eventful.csv": CSV, "eventful.jsonl": JSONL} {
			var b bytes.Buffer
			if err := draw(&b, r.folder); err != nil {
				t.Fatal(err)
			}
			golden(t, name, b.Bytes())
		}
	}
}

// The other language is asked for by name, and the run's own is the default.
func TestLanguage(t *testing.T) {
	r := eventful(t, t.TempDir(), "en")
	want, err := os.ReadFile("testdata/eventful.zh.txt")
	if err != nil {
		t.Fatal(err)
	}
	if r.text("zh") != string(want) {
		t.Error("--lang zh of an English run is not the report of a Chinese run")
	}
	if r.text("en") != r.text("") || strings.Contains(r.text(""), "组合") {
		t.Error("the run's own language is not the default")
	}
}

// With isolation: launch a server is started once, before the banners of its cells.
func TestOneLaunchForAllClients(t *testing.T) {
	r := newRun(t, t.TempDir(), samplePlan("en", "launch"))
	_, sections := sampleReport(t)
	r.begin()
	for i, name := range []string{"0001-flashinfer", "0002-triton"} {
		r.startServer(name, 2*i, -1, 1, false)
		r.ready(name, -1, 1)
		r.attempt(name, 2*i, 1, 1, outcome{out: sections[0].out, status: result.StatusOK, metrics: sections[0].metrics})
		r.add(r.launch(journal.CacheFlushed, name, -1, 1), journal.Flushed{Request: "POST /flush_cache", Status: 200, OK: true, Seconds: 0.1})
		r.attempt(name, 2*i+1, 1, 1, outcome{out: sections[1].out, status: result.StatusOK, metrics: sections[1].metrics})
		r.stopServer(name, -1, 1)
	}
	r.add(journal.Event{Type: journal.RunEnded}, journal.Verdict{OK: 4})
	golden(t, "launch.en.txt", []byte(r.text("")))
}

// A crash while a server starts leaves an attempt's folder and no event that tells of it: the
// next start is for the second attempt, and one banner says so.
func TestCrashWhileStarting(t *testing.T) {
	r := newRun(t, t.TempDir(), samplePlan("en", "cell"))
	r.begin()
	r.startServer("0001-flashinfer", 0, 0, 1, false)
	r.resume()
	r.startServer("0002-flashinfer", 0, 0, 1, false)
	r.ready("0002-flashinfer", 0, 1)
	r.attempt("0002-flashinfer", 0, 1, 2, outcome{out: "out", status: result.StatusOK, metrics: metric.Of(map[string]float64{"completed": 1})})
	var banners []string
	for line := range strings.Lines(r.text("")) {
		if strings.HasPrefix(line, "[CELL]") {
			banners = append(banners, line)
		}
	}
	want := []string{"[CELL] SERVER=flashinfer  CLIENT=rand256x32\n", "[CELL] SERVER=flashinfer  CLIENT=rand256x32  ATTEMPT=2\n"}
	if diff := cmp.Diff(want, banners); diff != "" {
		t.Error(diff)
	}
}
