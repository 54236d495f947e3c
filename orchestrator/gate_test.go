package orchestrator

import (
	"context"
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"servematrix/journal"
	"servematrix/process"
)

func TestUnmetWaitsForAll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		began := time.Now()
		after := func(d time.Duration) func(*journal.Held) {
			return func(h *journal.Held) {
				if time.Since(began) < d {
					h.By = "pid 7"
				}
			}
		}
		looks := 0
		dear := func(h *journal.Held) { // a look that takes a second
			looks++
			time.Sleep(time.Second)
			h.By = "pid 8"
		}
		left := unmet(ctx, []demand{
			{journal.Held{Name: "at once"}, after(0)},
			{journal.Held{Name: "late"}, after(20 * time.Second)},
			{journal.Held{Name: "never"}, dear},
			{journal.Held{Name: "behind it"}, after(30 * time.Second)},
		})
		if len(left) != 1 || left[0].Name != "never" || left[0].By != "pid 8" {
			t.Errorf("left %+v, want never alone", left)
		}
		if looks < 5 || looks > 11 {
			t.Errorf("%d dear looks in 40 seconds, want one every 4", looks)
		}
	})
}

// hastenGate makes the gate give up soon.
func hastenGate(t *testing.T) {
	t.Helper()
	before := gateLimit
	gateLimit = 100 * time.Millisecond
	t.Cleanup(func() { gateLimit = before })
}

func TestPortThatAStrangerHoldsOnEndsTheRun(t *testing.T) {
	hastenGate(t)
	held := filepath.Join(t.TempDir(), "held")
	b := newBench(t, `
server: {axes: {s: [x, y]}, command: "SERVER ${{ s }}", ready: READY}
client: {command: "CLIENT await `+held+`"}
`)
	var stranger net.Listener
	port := 0
	verdict, err := b.run(context.Background(), Again{}, func(e journal.Event) {
		switch e.Type {
		case journal.LaunchStarted:
			d, _ := journal.Decode[journal.Launch](e)
			port = d.Port
		case journal.ClientStarted:
			var err error
			if stranger, err = listenShared("127.0.0.1:" + number(port)); err != nil {
				t.Error(err)
			}
			if err = os.WriteFile(held, nil, 0o600); err != nil {
				t.Error(err)
			}
		}
	})
	defer stranger.Close()
	dirty, ok := errors.AsType[*NotCleanError](err)
	if !ok || verdict != (journal.Verdict{OK: 1, Missing: 1, ExitCode: ExitPreflight}) {
		t.Fatalf("verdict %+v, err %v", verdict, err)
	}
	me := "pid " + number(os.Getpid())
	if !strings.Contains(dirty.Error(), "port "+number(port)+" is held by "+me) {
		t.Errorf("%q does not say who holds the port", dirty)
	}
	end := b.state().Last().Ended
	if end == nil || end.PortFree || !end.Retried || len(end.Held) != 1 || end.Held[0].Name != number(port) || !strings.HasPrefix(end.Held[0].By, me) {
		t.Errorf("launch.ended: %+v", end)
	}
	if f := b.state().Last().Failure; f == nil || f.Class != "host_not_clean" || f.Phase != "stop" {
		t.Errorf("failure %+v", f)
	}
}

func TestProcessThatOutlivedItsEnd(t *testing.T) {
	id, err := process.Identify(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	alive := processGone(id, "pid 1 (me)")
	id.StartTicks++
	other := processGone(id, "pid 1 (me)")
	if alive.met() || !other.met() {
		t.Errorf("a living process: %q; another with its pid: %q", alive.By, other.By)
	}
	if class, said := dirtyClass([]journal.Held{{What: journal.HeldPort}, alive.Held}), notClean([]journal.Held{alive.Held}); class != "stop_dirty" || !strings.Contains(said, "(me) outlived SIGKILL") {
		t.Errorf("class %s: %s", class, said)
	}
}

// TestPortThatWasTakenWhileAServerLoaded: it never had it, so it need not give it
// back; the stranger costs this cell, not a minute and the run.
func TestPortThatWasTakenWhileAServerLoaded(t *testing.T) {
	b := newBench(t, `
server: {axes: {s: [bad-flag, good]}, command: "SERVER ${{ s }}", ready: READY, failure: [{class: port_busy, log: unrecognized arguments}]}
client: {command: "CLIENT"}
run: {retries: 0}
`)
	port := 0
	var stranger net.Listener
	verdict, err := b.run(context.Background(), Again{}, func(e journal.Event) {
		switch e.Type {
		case journal.LaunchStarted:
			d, _ := journal.Decode[journal.Launch](e)
			port = d.Port
		case journal.LaunchRunning:
			if stranger != nil {
				return
			}
			var err error
			if stranger, err = listenShared("127.0.0.1:" + number(port)); err != nil {
				t.Error(err)
			}
		}
	})
	defer stranger.Close()
	if err != nil || verdict != (journal.Verdict{OK: 1, Failed: 1, ExitCode: ExitFailed}) {
		t.Fatalf("verdict %+v, err %v", verdict, err)
	}
	end, err := journal.Decode[journal.Gone](b.events(journal.LaunchEnded)[0])
	if err != nil || end.PortFree || end.Retried || len(end.Held) > 0 || !strings.Contains(end.Note, "another process's") {
		t.Errorf("launch.ended: %+v, %v", end, err)
	}
}
