package journal

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// A journal that is read in many blocks gives its events in order, however its lines lie in them.
func TestLongJournalIsReadInOrder(t *testing.T) {
	var text bytes.Buffer
	const n = 9000
	for i := range n {
		long := strings.Repeat("x", i%700)
		if i == n/2 {
			long = strings.Repeat("y", 3*blockSize)
		}
		fmt.Fprintf(&text, `{"seq":%d,"time":"2026-01-02T03:04:05Z","mono":1,"session":1,"type":"warning","data":{"message":"%s"}}`+"\n", i+1, long)
	}
	f := Folder(t.TempDir())
	if err := os.WriteFile(f.Path(EventsFile), text.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	next := int64(1)
	end, err := f.Read(func(e Event) error {
		if d, err := Decode[Note](e); err != nil || e.Seq != next || len(d.Message) == 0 && (next-1)%700 != 0 {
			t.Fatalf("event %d in place of %d (%v)", e.Seq, next, err)
		}
		next++
		return nil
	})
	if want := (End{Offset: int64(text.Len()), Seq: n, Session: 1}); err != nil || end != want {
		t.Errorf("%+v, %v; want %+v", end, err, want)
	}
	enough := errors.New("enough")
	if end, err := f.Read(func(e Event) error {
		if e.Seq == 3 {
			return enough
		}
		return nil
	}); err != enough || end.Seq != 2 {
		t.Errorf("%+v, %v", end, err)
	}
	for e, err := range f.Past(End{Offset: end.Offset}) {
		if err != nil {
			t.Fatal(err)
		}
		if e.Seq == 7000 {
			break
		}
	}
}

func TestPastEndsWhereItWasReadTo(t *testing.T) {
	f, _ := newFolder(t)
	w := open(t, f)
	write(t, w, Warning, Note{"one"})
	write(t, w, Warning, Note{"two"})
	end, err := f.Read(func(Event) error { return nil })
	if err != nil {
		t.Fatal(err)
	}
	write(t, w, Warning, Note{"three"})
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	var seen []int64
	for e, err := range f.Past(end) {
		if err != nil {
			t.Fatal(err)
		}
		seen = append(seen, e.Seq)
	}
	if diff := cmp.Diff([]int64{1, 2}, seen); diff != "" {
		t.Error(diff)
	}
}

func TestLeadGivesTheFirstTexts(t *testing.T) {
	for data, want := range map[string]bool{
		`{"server":"a","name":"b","number":1}`:   true,
		`{"server":"a","name":"b"}`:              true,
		`{"name":"b","server":"a"}`:              false,
		`{"server":"\\u0061","name":"b"}`:        false,
		`{"server":"a"}`:                         false,
		`{"server": "a", "name": "b"}`:           false,
		``:                                       false,
		`{"server":"a","name":"b` + "\x00" + `"`: false,
	} {
		got, _, ok := Lead(Event{Data: json.RawMessage(data)}, "server", "name")
		if ok != want || ok && (got[0] != "a" || got[1] != "b") {
			t.Errorf("%s: %v %v", data, got, ok)
		}
	}
}

func FuzzReplay(f *testing.F) {
	f.Add([]byte(`{"seq":1,"time":"2026-01-02T03:04:05Z","mono":0.5,"session":1,"type":"warning","data":{"message":"x"}}` + "\n"))
	f.Add([]byte(`{"seq":2,"time":"2026-01-02T03:04:05.6Z","mono":1e-3,"session":1,"type":"sample.ended","launch":"l","cell":"c","block":1,"attempt":2,"data":{"a":["]}\\\""]}}` + "\n"))
	f.Add([]byte(`{"type":"warning","seq":1,"data":{"x":{}},"more":{}}` + "\n"))
	f.Add([]byte(`{"seq":1,"time":"2026-01-02T03:04:05Z","mono":0,"session":1,"type":"x","data":{"x":{}},"more":{}}` + "\n"))
	f.Add([]byte("{}\n{"))
	f.Add([]byte("\n\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, EventsFile), data, 0o600); err != nil {
			t.Fatal(err)
		}
		var events []Event
		end, err := Folder(dir).Read(func(e Event) error {
			events = append(events, e)
			return nil
		})
		whole := data[:end.Offset]
		if err == nil && len(events) != bytes.Count(whole, []byte("\n")) {
			t.Errorf("%d events in %q", len(events), whole)
		}
		// What is read quickly is what encoding/json reads, of every line that is JSON.
		for i, line := range bytes.SplitAfter(whole, []byte("\n"))[:len(events)] {
			var want Event
			if json.Unmarshal(line, &want) == nil && !same(want, events[i]) {
				t.Errorf("line %q is read as %+v, want %+v", line, events[i], want)
			}
		}
	})
}

func same(a, b Event) bool {
	if !a.Time.Equal(b.Time) || string(a.Data) != string(b.Data) {
		return false
	}
	a.Time, b.Time, a.Data, b.Data = time.Time{}, time.Time{}, nil, nil
	return cmp.Equal(a, b)
}

func TestRecentBeginsBehindTheCut(t *testing.T) {
	f, lock := newFolder(t)
	defer lock.Release()
	w, err := f.Append(End{})
	if err != nil {
		t.Fatal(err)
	}
	for range 100 {
		write(t, w, Warning, Note{Message: "again"})
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(f.Path(EventsFile))
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range []int64{1, 500, 1000, info.Size() - 1, info.Size(), info.Size() + 1} {
		events, err := f.Recent(n)
		if err != nil {
			t.Fatal(err)
		}
		most, whole := int(n/60), n >= info.Size()
		if len(events) > most || whole != (len(events) == 100) || len(events) > 0 && events[len(events)-1].Seq != 100 || n > 200 && len(events) == 0 {
			t.Errorf("in the last %d of %d bytes: %d events", n, info.Size(), len(events))
		}
	}
}
