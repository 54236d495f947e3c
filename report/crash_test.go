package report

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"servematrix/journal"
	"servematrix/matrix"
	"servematrix/metric"
	"servematrix/result"
)

// A crashed run's report has its table, says where the run broke off, what is missing and what to do.
func TestReportOfACrashedRun(t *testing.T) {
	const goOn = "They are measured by: servematrix resume "
	valid := outcome{out: "out", status: result.StatusOK, metrics: metric.Of(map[string]float64{"completed": 1})}
	for name, c := range map[string]struct {
		happens func(r *run)
		where   string
		rows    []string // the statuses
		left    string
	}{
		"before the first server": {func(*run) {}, "while no server ran", []string{"not run", "not run", "not run", "not run"}, "0 cut short, 4 not run. " + goOn},
		"in a start": {func(r *run) { r.startServer("0001", 0, 0, 1, false) },
			"while the server flashinfer was starting, for flashinfer × rand256x32 b1", []string{"not run", "not run", "not run", "not run"}, "0 cut short, 4 not run"},
		"before a client": {func(r *run) { r.startServer("0001", 0, 0, 1, false); r.ready("0001", 0, 1) },
			"while the server flashinfer was up and no client ran", []string{"not run", "not run", "not run", "not run"}, "0 cut short, 4 not run"},
		"in a client": {func(r *run) {
			r.startServer("0001", 0, 0, 1, false)
			r.ready("0001", 0, 1)
			r.startClient("0001", 0, 1, 1)
		}, "while a client ran, for flashinfer × rand256x32 b1", []string{"interrupted", "not run", "not run", "not run"}, "1 cut short, 3 not run"},
		"in a second attempt": {func(r *run) {
			r.startServer("0001", 0, 0, 1, false)
			r.ready("0001", 0, 1)
			r.attempt("0001", 0, 1, 1, outcome{out: "out", status: result.StatusFailed, failure: &journal.Failure{Class: "client_failed", Phase: "client", Message: "no"}})
			r.startClient("0001", 0, 1, 2)
		}, "while a client ran, for flashinfer × rand256x32 b1", []string{"interrupted", "not run", "not run", "not run"}, "1 cut short, 3 not run"},
		"in a stop": {func(r *run) {
			r.startServer("0001", 0, 0, 1, false)
			r.ready("0001", 0, 1)
			r.attempt("0001", 0, 1, 1, valid)
			r.add(r.launch(journal.LaunchStopping, "0001", 0, 1), journal.Stopping{})
		}, "while the server flashinfer was being stopped", []string{"ok", "not run", "not run", "not run"}, "0 cut short, 3 not run"},
		"behind a resume": {func(r *run) {
			r.startServer("0001", 0, 0, 1, false)
			r.ready("0001", 0, 1)
			r.startClient("0001", 0, 1, 1)
			r.resume()
		}, "while no server ran", []string{"not run", "not run", "not run", "not run"}, "0 cut short, 4 not run"},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRun(t, t.TempDir(), samplePlan("en", "cell"))
			r.begin()
			c.happens(r)
			at := stamp(r.events[len(r.events)-1].Time)
			text := r.text("")
			for _, want := range []string{"\n[RESULTS] ", "\n*** CRASHED: the run ended at " + at + " without its last event, " + c.where + ". ", "\nNot measured: " + c.left, "servematrix resume " + r.plan.Name + "-"} {
				if !strings.Contains(text, want) {
					t.Errorf("the report does not say %q:\n%s", want, text)
				}
			}
			var rows []string
			tally, err := tallyOf(r.folder)
			if err == nil {
				err = tally.eachSample(func(*result.Sample) error { return nil })
			}
			if err != nil {
				t.Fatal(err)
			}
			for _, row := range tally.table() {
				rows = append(rows, english.statusOf(row.Status))
			}
			if !slices.Equal(rows, c.rows) {
				t.Errorf("rows %q, want %q", rows, c.rows)
			}
			if zh := r.text("zh"); !strings.Contains(zh, "已崩溃：运行于 "+at) || !strings.Contains(zh, "用以下命令继续：servematrix resume ") {
				t.Errorf("in Chinese:\n%s", zh)
			}
			var md bytes.Buffer
			if err := Markdown(&md, r.folder); err != nil || !strings.Contains(md.String(), "**CRASHED: the run ended at "+at) || !strings.Contains(md.String(), "Not measured: ") {
				t.Errorf("%v: %s", err, md.String())
			}

			r.live() // the same events of a run that goes on
			if text := r.text(""); strings.Contains(text, "CRASHED") || strings.Contains(text, "[RESULTS]") {
				t.Errorf("a live run's report says that it crashed:\n%s", text)
			}
			md.Reset()
			if err := Markdown(&md, r.folder); err != nil || !strings.Contains(md.String(), "The run has not ended; so far it ran ") || strings.Contains(md.String(), "CRASHED") {
				t.Errorf("%v: %s", err, md.String())
			}
		})
	}
}

// What a crash left of a run with --only: what was not begun is in no row, and counted.
func TestCrashWithOnly(t *testing.T) {
	r := newRun(t, t.TempDir(), samplePlan("en", "cell"))
	r.add(journal.Event{Type: journal.RunStarted}, journal.Session{Blocks: 2, Cells: 3, Only: "backend == 'triton'"})
	r.startServer("0001", 2, 0, 1, false)
	r.startClient("0001", 2, 1, 1)
	if text := r.text(""); !strings.Contains(text, "\nNot measured: 1 cut short, 5 not run. ") {
		t.Error(text)
	}
}

// A run whose last event alone is lost has everything, and what has not begun did not crash.
func TestNothingIsLeft(t *testing.T) {
	r := newSample(t, measured)
	r.keep(len(r.events) - 1)
	if text := r.text(""); !strings.Contains(text, "CRASHED") || !strings.Contains(text, "\nEverything was measured before that. servematrix resume ") {
		t.Error(text)
	}
	r.write("")
	if text := r.text(""); text != "" {
		t.Error(text)
	}
	r = newRun(t, t.TempDir(), &matrix.Plan{Name: "import", Imported: &matrix.Imported{}})
	r.begin()
	if text := r.text(""); strings.Contains(text, "CRASHED") {
		t.Error(text)
	}
}
