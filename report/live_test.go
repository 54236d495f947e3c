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
	"pgregory.net/rapid"

	"servematrix/journal"
	"servematrix/matrix"
	"servematrix/result"
)

// setEvents makes events the whole journal of the folder.
func setEvents(t folderTB, folder journal.Folder, events []journal.Event) {
	t.Helper()
	var b bytes.Buffer
	for _, e := range events {
		line, err := json.Marshal(e)
		if err != nil {
			t.Fatal(err)
		}
		b.Write(append(line, '\n'))
	}
	if err := os.WriteFile(folder.Path(journal.EventsFile), b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
}

// sameAsDrawn compares the files that a Live left with what is drawn from the folder alone.
func sameAsDrawn(t folderTB, folder journal.Folder) {
	t.Helper()
	for name, draw := range map[string]func(*bytes.Buffer) error{
		reportFile:   func(b *bytes.Buffer) error { return Text(b, folder, "") },
		csvFile:      func(b *bytes.Buffer) error { return CSV(b, folder) },
		jsonlFile:    func(b *bytes.Buffer) error { return JSONL(b, folder) },
		markdownFile: func(b *bytes.Buffer) error { return Markdown(b, folder) },
		htmlFile:     func(b *bytes.Buffer) error { return HTML(b, folder, "") },
	} {
		var want bytes.Buffer
		if err := draw(&want); err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(folder.Path(name))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want.String(), string(got)); diff != "" {
			t.Fatal(fmt.Sprintf("%s is not what is drawn from the folder (-drawn +live):\n%s", name, diff))
		}
	}
}

// Whatever part of a run a session sees, and however sessions and crashes cut it up: the files
// hold what is drawn from the folder alone.
func TestLiveIsReplay(t *testing.T) {
	r := eventful(t, t.TempDir(), "en")
	rapid.Check(t, func(t *rapid.T) {
		// Events that no orchestrator writes in this order must not break the report either.
		events := slices.Clone(r.events)
		if rapid.Bool().Draw(t, "disturbed") {
			n := rapid.IntRange(1, 10).Draw(t, "dropped")
			for range n {
				at := rapid.IntRange(0, len(events)-1).Draw(t, "at")
				if rapid.Bool().Draw(t, "drop") {
					events = slices.Delete(events, at, at+1)
				} else {
					to := rapid.IntRange(0, len(events)-1).Draw(t, "to")
					events[at], events[to] = events[to], events[at]
				}
			}
		}
		events = events[:rapid.IntRange(0, len(events)).Draw(t, "length")]
		for done := 0; ; {
			setEvents(t, r.folder, events[:done])
			live, err := Open(r.folder, r.plan, told(events[:done]))
			if err != nil {
				t.Fatal(err)
			}
			next := rapid.IntRange(done, len(events)).Draw(t, "until")
			for _, e := range events[done:next] {
				live.Handle(e)
			}
			done = next
			setEvents(t, r.folder, events[:done])
			if rapid.Bool().Draw(t, "crash") && done < len(events) {
				if err := live.closeFiles(); err != nil {
					t.Fatal(err)
				}
				live.page.rest() // a crash ends a drawing, too
				damage(t, r.folder)
				continue
			}
			if err := live.Close(); err != nil {
				t.Fatal(err)
			}
			sameAsDrawn(t, r.folder)
			if done == len(events) {
				return
			}
		}
	})
}

// damage leaves the files as a crash can: torn somewhere, or with garbage behind.
func damage(t *rapid.T, folder journal.Folder) {
	for _, name := range []string{reportFile, csvFile, jsonlFile} {
		data, err := os.ReadFile(folder.Path(name))
		if err != nil {
			t.Fatal(err)
		}
		data = data[:rapid.IntRange(0, len(data)).Draw(t, "torn")]
		data = append(data, rapid.SliceOfN(rapid.Byte(), 0, 100).Draw(t, "garbage")...)
		if err := os.WriteFile(folder.Path(name), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// A section is in the file as soon as its event has been handled, and the end of a session is
// gone when the next one begins.
func TestLiveGrows(t *testing.T) {
	r := eventful(t, t.TempDir(), "en")
	live, err := Open(r.folder, r.plan, nil)
	if err != nil {
		t.Fatal(err)
	}
	read := func() string {
		data, err := os.ReadFile(r.folder.Path(reportFile))
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	before := ""
	ends := 0
	for _, e := range r.events {
		live.Handle(e)
		now := read()
		switch e.Type {
		case journal.LaunchStarted:
			if !strings.Contains(now[len(before):], "[SERVER] start ") {
				t.Errorf("event %d: the start is not there at once", e.Seq)
			}
		case journal.SampleEnded:
			if len(now) == len(before) {
				t.Errorf("event %d: the sample is not there at once", e.Seq)
			}
			lines, err := os.ReadFile(r.folder.Path(jsonlFile))
			if err != nil || !bytes.HasSuffix(lines, []byte("}\n")) {
				t.Errorf("event %d: results.jsonl ends with %q (%v)", e.Seq, lines, err)
			}
		case journal.RunEnded:
			ends++
			if !strings.Contains(now, "[RESULTS]") {
				t.Error("the end is not there at once")
			}
		case journal.RunResumed:
			if strings.Contains(now, "[RESULTS]") {
				t.Error("the end of the first session stayed")
			}
		}
		if e.Type != journal.RunResumed && !strings.HasPrefix(now, before) {
			t.Errorf("event %d: something that was written is no longer there", e.Seq)
		}
		before = now
	}
	if err := live.Close(); err != nil {
		t.Fatal(err)
	}
	if ends != 2 {
		t.Errorf("the run ended %d times", ends)
	}
	sameAsDrawn(t, r.folder)
}

// A file that is followed with tail -f stays the same file over a resume.
func TestResumeKeepsTheFile(t *testing.T) {
	r := eventful(t, t.TempDir(), "en")
	inode := func() os.FileInfo {
		info, err := os.Stat(r.folder.Path(reportFile))
		if err != nil {
			t.Fatal(err)
		}
		return info
	}
	var first os.FileInfo
	for range 2 {
		live, err := Open(r.folder, r.plan, told(r.events))
		if err != nil {
			t.Fatal(err)
		}
		if err := live.Close(); err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = inode()
		}
	}
	if !os.SameFile(first, inode()) {
		t.Error("the second session made a new report.txt")
	}
	if mode := inode().Mode().Perm(); mode != 0o600 {
		t.Errorf("report.txt has mode %o", mode)
	}
}

// A report that cannot be written is one error at the end, and ends nothing before.
func TestLiveKeepsTheFirstError(t *testing.T) {
	r := eventful(t, t.TempDir(), "en")
	live, err := Open(r.folder, r.plan, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := live.text.file.Close(); err != nil {
		t.Fatal(err)
	}
	for _, e := range r.events {
		live.Handle(e)
	}
	if err := live.Close(); err == nil || !strings.Contains(err.Error(), "servematrix report draws it again") {
		t.Errorf("Close gave %v", err)
	}
	if _, err := Open(journal.Folder(filepath.Join(t.TempDir(), "gone")), r.plan, nil); err == nil {
		t.Error("Open of a folder that is not there went well")
	}
}

// A run of thousands of samples is not drawn thousands of times over: report.md is written a
// few times only, and is small enough for one comment.
func TestManySamples(t *testing.T) {
	plan := samplePlan("en", "launch")
	_, sections := sampleReport(t)
	const n = 1500
	plan.Cells = nil
	for i := range n {
		plan.Cells = append(plan.Cells, matrix.Cell{ID: fmt.Sprintf("cell-%05d", i), Server: plan.Servers[i%2].ID, Client: plan.Clients[i/2%2].ID})
	}
	r := newRun(t, t.TempDir(), plan)
	live, err := Open(r.folder, r.plan, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.begin()
	for i := range n {
		o := outcome{status: result.StatusOK, metrics: sections[0].metrics}
		if i%3 == 0 {
			o = outcome{status: result.StatusFailed, failure: &journal.Failure{Class: "oom", Phase: "start", Message: fmt.Sprintf("out of memory %d @all", i), Tail: []string{strings.Repeat("x", 5000)}}}
		}
		r.end("l", i, 1, 1, o)
	}
	r.add(journal.Event{Type: journal.RunEnded}, journal.Verdict{OK: n})
	versions := map[string]bool{}
	for _, e := range r.events {
		live.Handle(e)
		if info, err := os.Stat(r.folder.Path(markdownFile)); err == nil {
			versions[fmt.Sprint(info.ModTime())] = true
		}
	}
	if err := live.Close(); err != nil {
		t.Fatal(err)
	}
	if len(versions) > n/10 {
		t.Errorf("report.md was written %d times for %d samples", len(versions), n)
	}
	md, err := os.ReadFile(r.folder.Path(markdownFile))
	if err != nil {
		t.Fatal(err)
	}
	if len(md) > 65_536 {
		t.Errorf("report.md has %d bytes, more than a comment takes", len(md))
	}
	for _, want := range []string{"1000 ok, 500 FAILED", "more kinds of failure, in report.txt", "more rows are in report.txt and results.csv", "The details of"} {
		if !strings.Contains(string(md), want) {
			t.Errorf("report.md does not say %q", want)
		}
	}
}
