package progress

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"servematrix/journal"
)

// A run folder shows the same block once: of a live run by the clock, of one that is not as it ended.
func TestStillBlock(t *testing.T) {
	began := journal.Session{Blocks: 1, Cells: 2}
	for name, c := range map[string]struct {
		over string
		tell func(add func(journal.Event, any), after time.Duration)
		want []string
	}{
		"nothing yet": {"new", func(func(journal.Event, any), time.Duration) {}, nil},
		"live": {"", func(add func(journal.Event, any), after time.Duration) {
			add(journal.Event{Type: journal.RunStarted}, began)
			add(journal.Event{Type: journal.LaunchStarted, Launch: "1", Block: 1}, journal.Launch{Server: "fa3-1", Name: "fa3"})
			time.Sleep(after)
		}, []string{" demo-1  0/2  0 ok        since 00:00 UTC   elapsed 20s", " fa3   ▶start 20s", " ETA ?"}},
		"crashed": {"crashed", func(add func(journal.Event, any), after time.Duration) {
			add(journal.Event{Type: journal.RunStarted}, began)
			time.Sleep(after)
			add(journal.Event{Type: journal.LaunchStarted, Launch: "1", Block: 1}, journal.Launch{Server: "fa3-1", Name: "fa3"})
			add(journal.Event{Type: journal.LaunchRunning, Launch: "1", Block: 1}, journal.Running{PID: 1})
			time.Sleep(10 * time.Hour)
		}, []string{" demo-1  0/2  0 ok        since 00:00 UTC   elapsed 20s", " fa3   start✓0.0s ▶ready 0s", " crashed, ? left"}},
		"interrupted": {"interrupted", func(add func(journal.Event, any), after time.Duration) {
			add(journal.Event{Type: journal.RunStarted}, began)
			time.Sleep(after)
			add(journal.Event{Type: journal.RunInterrupted}, journal.Note{Message: "interrupted by SIGINT"})
			add(journal.Event{Type: journal.RunEnded}, journal.Verdict{ExitCode: 130, Missing: 2})
			time.Sleep(48 * time.Hour)
		}, []string{" demo-1  0/2  0 ok    since Sat 00:00 UTC   elapsed 20s", " interrupted, ? left"}},
		"done": {"done", func(add func(journal.Event, any), after time.Duration) {
			add(journal.Event{Type: journal.RunStarted}, began)
			time.Sleep(after)
			for _, cell := range []string{"c1", "c2"} {
				add(journal.Event{Type: journal.SampleEnded, Cell: cell, Block: 1, Attempt: 1}, journal.Ended{Status: "ok", Final: true})
			}
			add(journal.Event{Type: journal.RunEnded}, journal.Verdict{OK: 2})
		}, []string{" demo-1  2/2  2 ok        since 00:00 UTC   elapsed 20s", " done"}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newStory(t, Options{Mode: "none"})
				defer s.view.Close()
				var past []journal.Event
				c.tell(func(e journal.Event, data any) { past = append(past, s.event(e, data)) }, 20*time.Second)
				got := Still(Options{Plan: s.plan, Folder: s.folder, Zone: time.UTC, Past: told(past), Size: func() (int, int) { return 56, 24 }}, c.over, time.Now())
				want := c.want
				if want != nil {
					want = append([]string{strings.Repeat("─", 55)}, want...)
				}
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("want - got +\n%s", diff)
				}
			})
		})
	}
}

// TestFoldedEntriesAreAligned: what follows a folded line of the history stands under its text, in a
// terminal of 40 columns too, and in none it is wider than that.
func TestFoldedEntriesAreAligned(t *testing.T) {
	for width := 39; width <= 100; width++ {
		for _, text := range []string{"flashinfer × rand256x32 b1  launches/0001/server.log:812 CUDA out of memory, tried to allocate", "闪电注意力 × 随机输入 b1  bad_flag 未知的参数 在启动 之后 十二 秒 停止 了"} {
			entry := "22:11:02 FAIL  " + text
			for i, line := range append(fold(entry, width), fold(indent+text, width)...) {
				if columns(line) > width {
					t.Errorf("%d columns in %d: %s", columns(line), width, line)
				}
				if begins := strings.HasPrefix(line, indent) && line[len(indent)] != ' '; !begins && i > 0 {
					t.Errorf("in %d columns line %d is not under the text: %q", width, i, line)
				}
			}
		}
	}
}

func TestFold(t *testing.T) {
	for _, c := range []struct {
		line  string
		width int
		want  []string
	}{
		{"22:11:02 ok    1/2 a × b", 30, []string{"22:11:02 ok    1/2 a × b"}},
		{"22:11:02 ok    1/2 a × b  12s  ready 3s", 24, []string{"22:11:02 ok    1/2 a ×", "      b  12s  ready 3s"}},
		{"\x1b[32m22:11:02\x1b[0m ok    1/2 a × b  12s", 24, []string{"\x1b[32m22:11:02\x1b[0m ok    1/2 a ×", "      b  12s"}},
		{indent + "ending in order", 20, []string{"     ending in order"}},
		{indent + "ending in order: first", 20, []string{"     ending in", "     order: first"}},
		{"闪电注意力闪电注意力", 8, []string{"闪电注意", "  力闪电", "  注意力"}},
	} {
		got := fold(c.line, c.width)
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%q in %d columns: want - got +\n%s", c.line, c.width, diff)
		}
	}
}
