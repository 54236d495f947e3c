package report

import (
	"bytes"
	"strings"
	"testing"

	"servematrix/journal"
	"servematrix/matrix"
	"servematrix/result"
)

// troubled is a run in whose end everything stands that went wrong or is in doubt.
func troubled(t folderTB, dir, lang string) *run {
	plan := samplePlan(lang, "cell")
	for _, name := range []string{"again", "third"} {
		plan.Cells = append(plan.Cells, matrix.Cell{ID: "triton-" + name + "-c0ffee", Server: plan.Servers[1].ID, Client: plan.Clients[0].ID})
	}
	r := newRun(t, dir, plan)
	_, sections := sampleReport(t)
	measured := func(status string, reasons ...result.Reason) outcome {
		return outcome{out: sections[0].out, status: status, metrics: sections[0].metrics, reasons: reasons}
	}
	differ := result.Reason{Reason: "text_json_differ", Severity: "warning", Detail: "duration_s: 255.25 in the text, 255.31 in the JSON"}
	died := outcome{status: result.StatusFailed, failure: &journal.Failure{Class: "server_died", Phase: "client", Message: "the server ended with exit code 1"}}
	r.begin()

	// Two deaths of the server, then a measurement; it and the next share a doubt.
	r.startServer("0001", 0, 0, 1, false)
	r.attempt("0001", 0, 1, 1, died)
	r.startServer("0002", 0, 0, 1, false)
	r.attempt("0002", 0, 1, 2, died)
	r.startServer("0003", 0, 0, 1, false)
	r.attempt("0003", 0, 1, 3, measured(result.StatusOK, differ))
	r.startServer("0004", 1, 1, 1, false)
	r.attempt("0004", 1, 1, 1, measured(result.StatusOK, differ))

	// Invalid for two reasons, one of them found twice.
	r.startServer("0005", 2, 2, 1, false)
	r.attempt("0005", 2, 1, 1, measured(result.StatusInvalid,
		result.Reason{Reason: "requests_failed", Severity: "error", Detail: "3 of 10 requests failed"},
		differ, result.Reason{Reason: "text_json_differ", Severity: "warning", Detail: "completed: 7 in the text, 8 in the JSON"}))

	// A start that failed and no file that says why.
	r.startServer("0006", 3, 3, 1, false)
	late := &journal.Failure{Class: "timeout", Phase: "start", Message: "not ready after 600 s"}
	r.add(r.launch(journal.LaunchFailed, "0006", 3, 1), late)
	r.end("0006", 3, 1, 1, outcome{status: result.StatusFailed, failure: late})
	r.add(journal.Event{Type: journal.CellSkipped, Cell: plan.Cells[4].ID, Block: 1}, journal.Skip{Failure: *late, Cause: "0006"})

	// Cut short after it had printed numbers.
	r.startServer("0007", 5, 5, 1, false)
	cut := measured(result.StatusFailed, result.Reason{Reason: "partial", Severity: "error", Detail: "the output was cut short"})
	cut.failure = &journal.Failure{Class: "interrupted", Phase: "client", Message: "interrupted by SIGINT"}
	r.attempt("0007", 5, 1, 1, cut)
	r.add(journal.Event{Type: journal.Warning}, journal.Note{Message: "the clock went back"})
	r.add(journal.Event{Type: journal.RunEnded}, journal.Verdict{ExitCode: 130, OK: 2, Invalid: 1, Failed: 1, Skipped: 1, Missing: 1})
	return r
}

func TestTheEndTellsWhy(t *testing.T) {
	for _, lang := range []string{"en", "zh"} {
		r := troubled(t, t.TempDir(), lang)
		text := r.text("")
		end := text[strings.LastIndex(text, "["+wordsOf(lang).results+"]"):]
		golden(t, "troubled."+lang+".txt", []byte(end))
		r.file(reportFile, []byte(text))
		samples, err := result.Import([]string{r.folder.Path(reportFile)})
		if err != nil || len(samples) != 8 { // seven attempts and a skipped cell
			t.Errorf("%s: %d samples read back, want 8: %v", lang, len(samples), err)
		}
	}
	var md bytes.Buffer
	if err := Markdown(&md, troubled(t, t.TempDir(), "en").folder); err != nil {
		t.Fatal(err)
	}
	end, _, _ := strings.Cut(md.String(), "<details>")
	golden(t, "troubled.md", []byte(end))
}
