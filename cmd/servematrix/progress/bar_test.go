package progress

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"servematrix/journal"
)

// watched is a run on a console, whose names are given.
func watched(t *testing.T, c *console, server, client string) *story {
	s := newStory(t, Options{W: c, Mode: "bar", Color: "always", Size: c.size})
	for _, v := range s.plan.Servers {
		v.Name = server
	}
	s.plan.Clients[0].Name = client
	return s
}

// look checks what stands on the console between two drawings.
func look(t *testing.T, c *console, when string) {
	t.Helper()
	synctest.Wait()
	all := c.text()
	shown := strings.Join(all, "\n")
	if c.wrapped > 0 || len(c.unknown) > 0 {
		t.Fatalf("%s: %d lines wrap, unknown %q:\n%s", when, c.wrapped, c.unknown, shown)
	}
	if c.col != 0 || c.row != len(c.lines)-1 || all[len(all)-1] != "" {
		t.Fatalf("%s: the cursor stands at %d, %d:\n%s", when, c.row, c.col, shown)
	}
	from := len(all)
	for i, l := range all {
		if strings.HasPrefix(l, "──") {
			from = i
		}
	}
	if n := c.rules(); n != 1 || len(all)-1-from > tallest {
		t.Fatalf("%s: %d blocks, %d lines below the last rule:\n%s", when, n, len(all)-2-from, shown)
	}
}

// No line wraps and nothing of a block is left behind, at any width, with any name, while
// the terminal is made narrower and wider.
func TestBlockOnTerminalsOfAnySize(t *testing.T) {
	for _, names := range [][2]string{
		{"fa3/tp4/radix-on", "sharegpt"}, {"闪电注意力/张量并行", "負荷の高い要求"}, {"👩‍💻🚀❤️", "🇨🇳👍🏽"}, {"مرحبا", "שלום"}, {"é́\u202e\x1b[2J", "a\tb"},
		{strings.Repeat("long-", 30), strings.Repeat("words ", 30)},
	} {
		for _, width := range []int{20, 21, 33, 40, 64, 80, 81, 120, 200} {
			synctest.Test(t, func(t *testing.T) {
				c := newConsole(width, 24)
				s := watched(t, c, names[0], names[1])
				defer s.view.Close()
				s.tell(journal.Event{Type: journal.RunStarted}, journal.Session{Blocks: 1, Cells: 2})
				s.start("0001", "fa3-1", names[0])
				for i := range 5 {
					time.Sleep(redraw + time.Millisecond)
					look(t, c, fmt.Sprintf("%v at %d columns, start %d", names, width, i))
				}
				s.ready("0001", 5*time.Second)
				s.client("0001", "c1")
				for i, to := range []int{width, max(width/2, 20), width + 7, 20, 200, width} {
					c.resize(to, 24)
					time.Sleep(2 * redraw)
					look(t, c, fmt.Sprintf("%v at %d columns, then %d, resize %d", names, width, to, i))
				}
				s.ok("0001", "c1", 10*time.Second)
				synctest.Wait()
				look(t, c, "behind a history line")
				s.view.Close()
				synctest.Wait()
				if shown := c.text(); c.rules() != 0 || !strings.Contains(strings.Join(strings.Fields(strings.Join(shown, " ")), " "), "2914 tok/s") || shown[len(shown)-1] != "" {
					t.Errorf("at the end:\n%s", strings.Join(shown, "\n"))
				}
			})
		}
	}
}

// A terminal of few rows shows as much of the block as it can, and keeps it in place.
func TestBlockOnTerminalsOfFewRows(t *testing.T) {
	for height := 1; height < 9; height++ {
		synctest.Test(t, func(t *testing.T) {
			c := newConsole(40, height)
			s := watched(t, c, "fa3", "load")
			defer s.view.Close()
			s.tell(journal.Event{Type: journal.RunStarted}, journal.Session{Blocks: 1, Cells: 2})
			s.start("0001", "fa3-1", "fa3")
			s.ready("0001", 0)
			s.client("0001", "c1")
			time.Sleep(10 * time.Second)
			synctest.Wait()
			if n := len(c.text()); n > height || height > 7 && (c.drawings < 10 || c.rules() != 1) {
				t.Errorf("%d rows: %d drawings left %d lines:\n%s", height, c.drawings, n, strings.Join(c.text(), "\n"))
			}
		})
	}
}

func TestBlockAsPeopleSeeIt(t *testing.T) {
	for width, want := range map[int][]string{
		100: {
			strings.Repeat("─", 80),
			" demo-1  1/2  1 ok                               since 00:00 UTC   elapsed 9m36s",
			" triton/tp8 × sharegpt b1   start✓0.0s ready✓74s ▶bench 2m10s/~5m",
			" client 214/500   GPU×2 94% 612W 71°C 71/80GiB 2m00s ago   server log 3m23s ago",
			" ETA 3m → 00:12 UTC",
		},
		40: {
			strings.Repeat("─", 39),
			" demo-1  1/2  1 ok        elapsed 9m36s",
			" triton/tp8 × sharegpt b1",
			" start✓0.0s ready✓74s ▶bench 2m10s/~5m",
			" client 214/500",
			" GPU×2 94% 612W 71°C 71/80GiB 2m00s ago",
			" ETA 3m → 00:12 UTC",
		},
		24: {
			strings.Repeat("─", 23),
			" demo-1  1/2  1 ok",
			" triton/tp8 × sharegpt…",
			" ▶bench 2m10s/~5m",
			" client 214/500",
			" GPU×2 94% 612W 71°C 7…",
			" ETA 3m → 00:12 UTC",
		},
	} {
		synctest.Test(t, func(t *testing.T) {
			c := newConsole(width, 24)
			s := watched(t, c, "triton/tp8", "sharegpt")
			defer s.view.Close()
			s.tell(journal.Event{Type: journal.RunStarted}, journal.Session{Blocks: 1, Cells: 2})
			s.start("0001", "fa3-1", "triton/tp8")
			s.ready("0001", 70*time.Second)
			s.client("0001", "c1")
			s.ok("0001", "c1", 5*time.Minute)
			s.gone("0001", 2*time.Second)
			s.start("0002", "triton-2", "triton/tp8")
			s.write("launches/0002/server.out", "loading\n")
			s.ready("0002", 74*time.Second)
			s.client("0002", "c2")
			s.write(journal.AttemptName("c2", 1, 1)+"/"+journal.TelemetryFile, fmt.Sprintf(
				`{"time":%q,"tool":"nvidia-smi","devices":[{"index":0,"memory":{"used_bytes":75161927680,"total_bytes":85899345920},"utilization":90,"power_watts":600.4,"temperature_celsius":68},{"index":1,"memory":{"used_bytes":76235669504,"total_bytes":85899345920},"utilization":97,"power_watts":624,"temperature_celsius":71}]}`+"\n"+`{"time":"2000-01-01T00:00:40Z","seconds":40,"engine":{"running_requests":64}}`+"\n",
				time.Now().Add(10*time.Second).Format(time.RFC3339)))
			time.Sleep(130 * time.Second)
			synctest.Wait()
			all := c.text()
			got := all[len(all)-1-len(want) : len(all)-1]
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%d columns, want - got +\n%s\n%s", width, diff, strings.Join(all, "\n"))
			}
		})
	}
}
