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

// Behind damage the reading goes on; a torn end is none, however it is filled up.
func TestSalvage(t *testing.T) {
	line := func(seq int) string {
		return fmt.Sprintf(`{"seq":%d,"time":"2026-01-02T03:04:05Z","mono":1,"session":1,"type":"warning","data":{"message":"%d"}}`+"\n", seq, seq)
	}
	long := ""
	for seq := range 9000 {
		long += line(seq + 1)
	}
	for name, c := range map[string]struct {
		text   string
		events []int64 // their numbers; nil: as many as last, in order
		last   int64
		lines  []int // that are damaged
	}{
		"whole":                   {line(1) + line(2), []int64{1, 2}, 2, nil},
		"one in the middle":       {line(1) + "rubbish\n" + line(3), []int64{1, 3}, 3, []int{2}},
		"the first":               {"rubbish\n" + line(2), []int64{2}, 2, []int{1}},
		"two, and one":            {line(1) + "a\nb\n" + line(4) + "c\n" + line(6), []int64{1, 4, 6}, 6, []int{2, 3, 5}},
		"an empty line":           {line(1) + "\n" + line(3), []int64{1, 3}, 3, []int{2}},
		"a torn end":              {line(1) + line(2)[:30], []int64{1}, 1, nil},
		"a torn end with its \\n": {line(1) + line(2)[:30] + "\n", []int64{1}, 1, nil},
		"a torn end with zeroes":  {line(1) + "x\n\x00\x00\n\x00", []int64{1}, 1, nil},
		"two at the end":          {line(1) + "a\nb\n", []int64{1}, 1, []int{2, 3}},
		"one, and a torn end":     {line(1) + "a\n" + line(3) + "b", []int64{1, 3}, 3, []int{2}},
		"torn, and half a line":   {line(1) + "a\nb", []int64{1}, 1, []int{2}},
		"in a later block":        {long + "rubbish\n" + line(9001), nil, 9001, []int{9001}},
		"nothing but rubbish":     {"a\nb\n", []int64{}, 0, []int{1, 2}},
	} {
		t.Run(name, func(t *testing.T) {
			f := Folder(t.TempDir())
			if err := os.WriteFile(f.Path(EventsFile), []byte(c.text), 0o600); err != nil {
				t.Fatal(err)
			}
			for way, read := range map[string]func(func(Event) error, func(*DamageError) error) (End, error){
				"Salvage": f.Salvage,
				"Ahead": func(each func(Event) error, damaged func(*DamageError) error) (End, error) {
					return Ahead(f, func(e Event) Event { return e }, each, damaged)
				},
				"Events": func(each func(Event) error, damaged func(*DamageError) error) (end End, err error) {
					for e, err := range f.Events() {
						if d, is := errors.AsType[*DamageError](err); is {
							err = damaged(d)
						} else if err == nil {
							end.Seq = e.Seq
							err = each(e)
						}
						if err != nil {
							return end, err
						}
					}
					return end, nil
				},
			} {
				seqs, lines := []int64{}, []int(nil)
				end, err := read(func(e Event) error { seqs = append(seqs, e.Seq); return nil }, func(d *DamageError) error { lines = append(lines, d.Line); return nil })
				if err != nil || end.Seq != c.last || !cmp.Equal(lines, c.lines) || c.events != nil && !cmp.Equal(seqs, c.events) || c.events == nil && int64(len(seqs)) != c.last {
					t.Errorf("%s: %d events, the last %d, damaged %v, %v; want %v", way, len(seqs), end.Seq, lines, err, c)
				}
			}
			_, err := f.Read(func(Event) error { return nil })
			if d, is := errors.AsType[*DamageError](err); is != (c.lines != nil) || is && d.Line != c.lines[0] {
				t.Errorf("Read says %v", err)
			}
			end, err := f.Salvage(func(Event) error { return nil }, func(*DamageError) error { return nil })
			if n := strings.LastIndex(c.text, "}\n"); err != nil || end.Offset != int64(max(n+2, 2)) && n >= 0 {
				t.Errorf("it ends at %d, %v", end.Offset, err)
			}
		})
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

// A damaged line has the number that it has in the file, from wherever that is read.
func TestRecentNamesTheDamagedLine(t *testing.T) {
	f := hundredEvents(t)
	text, err := os.ReadFile(f.Path(EventsFile))
	if err != nil {
		t.Fatal(err)
	}
	lines := bytes.SplitAfter(text, []byte("\n"))
	lines[96] = []byte("rubbish\n")
	if err := os.WriteFile(f.Path(EventsFile), bytes.Join(lines, nil), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, n := range []int64{1000, int64(len(text) / 2), 2 * int64(len(text))} {
		_, err := f.Recent(n)
		if d, damaged := errors.AsType[*DamageError](err); !damaged || d.Line != 97 {
			t.Errorf("in the last %d bytes: %v", n, err)
		}
	}
}

func TestRecentBeginsBehindTheCut(t *testing.T) {
	f := hundredEvents(t)
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

// hundredEvents gives a run folder whose journal has so many.
func hundredEvents(t *testing.T) Folder {
	t.Helper()
	f, lock := newFolder(t)
	t.Cleanup(func() { lock.Release() })
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
	return f
}
