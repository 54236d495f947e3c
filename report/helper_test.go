package report

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"flag"
	"io"
	"iter"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"servematrix/journal"
	"servematrix/matrix"
)

var update = flag.Bool("update", false, "write the golden files anew")

// golden compares got with testdata/name; on a difference it leaves testdata/name.got.
func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		if err := os.WriteFile(path+".got", got, 0o644); err != nil {
			t.Error(err)
		}
		t.Errorf("%s differs (-want +got), see %s.got:\n%s", path, path, cmp.Diff(string(want), string(got)))
	}
}

// folderTB is what rapid's T and testing's have in common here.
type folderTB interface {
	Helper()
	Fatal(args ...any)
}

// run is a run folder that a test fills as an orchestrator would, on a clock of its own.
type run struct {
	t       folderTB
	folder  journal.Folder
	plan    *matrix.Plan
	events  []journal.Event
	clock   time.Time
	session int
}

func newRun(t folderTB, dir string, plan *matrix.Plan) *run {
	t.Helper()
	data, err := json.Marshal(plan)
	if err != nil {
		t.Fatal(err)
	}
	clock := time.Date(2026, 11, 20, 22, 11, 2, 0, time.UTC)
	folder, lock, err := journal.Create(dir, plan.Name, clock, map[string][]byte{journal.PlanFile: data})
	if err != nil {
		t.Fatal(err)
	}
	if err := lock.Release(); err != nil {
		t.Fatal(err)
	}
	return &run{t: t, folder: folder, plan: plan, clock: clock}
}

// add appends an event with its data and lets a second pass.
func (r *run) add(e journal.Event, data any) journal.Event {
	r.t.Helper()
	raw, err := json.Marshal(data)
	if err != nil {
		r.t.Fatal(err)
	}
	if e.Type == journal.RunStarted || e.Type == journal.RunResumed {
		r.session++
	}
	e.Seq, e.Time, e.Mono, e.Session, e.Data = int64(len(r.events)+1), r.clock, float64(len(r.events)), r.session, raw
	r.clock = r.clock.Add(time.Second)
	r.events = append(r.events, e)
	line, err := json.Marshal(e)
	if err != nil {
		r.t.Fatal(err)
	}
	file, err := os.OpenFile(r.folder.Path(journal.EventsFile), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		r.t.Fatal(err)
	}
	if _, err := file.Write(append(line, '\n')); err != nil {
		r.t.Fatal(err)
	}
	if err := file.Close(); err != nil {
		r.t.Fatal(err)
	}
	return e
}

// file writes a file of the run folder and gives its SHA-256.
func (r *run) file(rel string, data []byte) string {
	r.t.Helper()
	path := r.folder.Path(rel)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		r.t.Fatal(err)
	}
	if err := os.WriteFile(path, data, 0o600); err != nil {
		r.t.Fatal(err)
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// text gives report.txt as it is drawn from the folder alone.
func (r *run) text(lang string) string {
	r.t.Helper()
	var b bytes.Buffer
	if err := Text(&b, r.folder, lang); err != nil {
		r.t.Fatal(err)
	}
	return b.String()
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

// drawEvents draws the text report of events.
func drawEvents(w io.Writer, t *tally, events []journal.Event) error {
	t.outputs = true
	return drawText(w, t, func(yield func(happening, error) bool) {
		for _, e := range events {
			if !yield(t.prepare(e), nil) {
				return
			}
		}
	}, "")
}
