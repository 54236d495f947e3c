package orchestrator

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"servematrix/journal"
)

// Wherever a crash cuts the journal of a run, a resume has exactly the units to
// measure whose sample's end is not in it, each once; and it goes on behind the last whole line.
func TestCutJournalMissesExactlyWhatItDoesNotTell(t *testing.T) {
	b := newBench(t, `
server: {axes: {s: [a, bad-flag]}, command: "SERVER ${{ s }}", ready: READY, failure: [{class: bad_flag, log: unrecognized arguments}]}
client: {axes: {c: [x, y, fail]}, command: "CLIENT ${{ c }}"}
run: {blocks: 2, retries: 1}
`)
	if _, err := b.run(context.Background(), Again{}, nil); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(b.folder.Path(journal.EventsFile))
	if err != nil {
		t.Fatal(err)
	}
	all := PlanUnits(b.plan, 2)
	full, _, err := ReadState(b.folder)
	if err != nil {
		t.Fatal(err)
	}
	if left := full.Missing(all, Again{}); len(left) != 0 {
		t.Fatalf("the whole run misses %v", left)
	}
	dir := t.TempDir()
	check := func(t interface{ Fatalf(string, ...any) }, cut int, behind string) {
		folder := journal.Folder(dir)
		if err := os.WriteFile(folder.Path(journal.EventsFile), append(bytes.Clone(whole[:cut]), behind...), 0o600); err != nil {
			t.Fatalf("%v", err)
		}
		told := finalIn(t, whole[:cut])
		state, end, err := ReadState(folder)
		if err != nil {
			t.Fatalf("cut at %d: %v", cut, err)
		}
		if want := int64(bytes.LastIndexByte(whole[:cut], '\n') + 1); end.Offset != want {
			t.Fatalf("cut at %d: goes on at %d, want %d", cut, end.Offset, want)
		}
		missing := map[Unit]int{}
		for _, u := range state.Missing(all, Again{}) {
			missing[u]++
		}
		for _, u := range all {
			if want := map[bool]int{true: 0, false: 1}[told[u]]; missing[u] != want {
				t.Fatalf("cut at %d: %v is to be measured %d times, want %d", cut, u, missing[u], want)
			}
		}
	}
	for cut := range whole { // at the end of each line, and one byte before it
		if whole[cut] == '\n' {
			check(t, cut, "")
			check(t, cut+1, "")
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		padding := strings.Repeat("\x00", rapid.SampledFrom([]int{0, 1, 4096}).Draw(t, "padding"))
		check(t, rapid.IntRange(0, len(whole)).Draw(t, "cut"), padding)
	})
}

// finalIn reads from whole lines, without a State, which units have ended for good.
func finalIn(t interface{ Fatalf(string, ...any) }, text []byte) map[Unit]bool {
	dir, err := os.MkdirTemp("", "cut")
	if err != nil {
		t.Fatalf("%v", err)
	}
	defer os.RemoveAll(dir)
	folder := journal.Folder(dir)
	if err := os.WriteFile(filepath.Join(dir, journal.EventsFile), text[:bytes.LastIndexByte(text, '\n')+1], 0o600); err != nil {
		t.Fatalf("%v", err)
	}
	events, err := folder.Replay()
	if err != nil {
		t.Fatalf("%v", err)
	}
	final := map[Unit]bool{}
	for _, e := range events {
		u := Unit{e.Cell, e.Block}
		switch e.Type {
		case journal.SampleStarted:
			final[u] = false
		case journal.CellSkipped:
			final[u] = true
		case journal.SampleEnded:
			d, err := journal.Decode[journal.Ended](e)
			if err != nil {
				t.Fatalf("%v", err)
			}
			final[u] = d.Final
		}
	}
	return final
}

// A run that is resumed from any prefix of its journal, with all the folders and
// samples still there that were made later, measures each unit once.
func TestResumeFromAnyPrefix(t *testing.T) {
	b := newBench(t, "server: {command: 'SERVER', ready: READY}\nclient: {axes: {c: [x, y]}, command: 'CLIENT ${{ c }}'}\n")
	if v, err := b.run(context.Background(), Again{}, nil); err != nil || v.OK != 2 {
		t.Fatalf("verdict %+v, err %v", v, err)
	}
	journalPath := b.folder.Path(journal.EventsFile)
	whole, err := os.ReadFile(journalPath)
	if err != nil {
		t.Fatal(err)
	}
	for cut := 0; cut < len(whole); cut += bytes.IndexByte(whole[cut:], '\n') + 1 {
		torn := min(len(whole), cut+20)
		if err := os.WriteFile(journalPath, whole[:torn], 0o600); err != nil {
			t.Fatal(err)
		}
		before := 0
		for _, final := range finalIn(t, whole[:cut]) {
			if final {
				before++
			}
		}
		v, err := b.run(context.Background(), Again{}, nil)
		if err != nil || v != (journal.Verdict{OK: 2}) {
			t.Fatalf("cut at %d: verdict %+v, err %v", cut, v, err)
		}
		ends := b.events(journal.SampleEnded)
		seen := map[Unit]int{}
		for _, e := range ends {
			seen[Unit{e.Cell, e.Block}]++
		}
		if len(seen) != 2 || len(ends) != 2 {
			t.Errorf("cut at %d, %d were measured before: %v", cut, before, seen)
		}
	}
}
