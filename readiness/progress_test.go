package readiness

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

var barRE = regexp.MustCompile(`(Loading [^:|]*):\s+(\d+)%[^|]*\|\s*(\d+/\d+) \[`)

// loads plays the lines of a start on a clock that only the test turns, and
// says when the wait was over, and how.
func loads(t *testing.T, c Conditions, play func(print func(string))) (after time.Duration, err error) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		w := &waiter{c: c, cancel: cancel, seen: make(chan sighting)}
		w.begin()
		take := w.sift(ctx)
		var player sync.WaitGroup
		player.Go(func() {
			play(func(line string) {
				w.grew()
				take("server.log", []byte(line), 1)
			})
		})
		_, err = w.race(ctx, ctx)
		after = time.Since(w.start)
		w.end()
		player.Wait()
	})
	return after, err
}

func shards(done, total int, elapsed string) string {
	return fmt.Sprintf("Loading safetensors checkpoint shards: %3d%% Completed | %d/%d [%s<?, ?it/s]", 100*done/total, done, total, elapsed)
}

// TestLoadingIsNotKilled loads for two hours under a timeout of 30 minutes.
func TestLoadingIsNotKilled(t *testing.T) {
	c := Conditions{Log: rollRE, Progress: barRE, Timeout: 30 * time.Minute, Silence: 15 * time.Minute}
	after, err := loads(t, c, func(print func(string)) {
		for done := range 13 {
			print(shards(done, 12, fmt.Sprint(done)))
			time.Sleep(10 * time.Minute)
		}
		print(rollLine)
	})
	if err != nil || after < 2*time.Hour {
		t.Errorf("after %v: %v", after, err)
	}
}

func TestWithoutProgressTheTimeoutHolds(t *testing.T) {
	c := Conditions{Log: rollRE, Progress: barRE, Timeout: 30 * time.Minute, Silence: 15 * time.Minute}
	for name, tc := range map[string]struct {
		print func(round int) string
		least time.Duration // when it must have been given up, and no later than a minute after
		says  string
	}{
		"noise":           {func(n int) string { return fmt.Sprintf("still working, round %d", n) }, 30 * time.Minute, "not ready after 30m0s: no log line matched"},
		"the same bar":    {func(n int) string { return shards(3, 12, fmt.Sprint(n)) }, 30 * time.Minute, `no progress for 30m0s since "Loading safetensors checkpoint shards:  25% Completed | 3/12 [0<`},
		"it starts again": {func(n int) string { return shards(n%5, 12, fmt.Sprint(n)) }, 34 * time.Minute, "no progress for 30m0s since"},
	} {
		t.Run(name, func(t *testing.T) {
			after, err := loads(t, c, func(print func(string)) {
				for n := range 40 {
					print(tc.print(n))
					time.Sleep(time.Minute)
				}
			})
			if err == nil || after < tc.least || after > tc.least+time.Minute {
				t.Fatalf("after %v: %v", after, err)
			}
			if f := err.(*Failure); f.Class != ReadyTimeout || !strings.Contains(f.Message, tc.says) {
				t.Errorf("%v, want %q", f, tc.says)
			}
		})
	}
}

func TestStatesAreBounded(t *testing.T) {
	a := newAdvance(regexp.MustCompile(`state \d+`), time.Now())
	for n := range statesMax + 5 {
		a.look(fmt.Appendf(nil, "state %d", n))
	}
	if want := fmt.Sprintf("state %d", statesMax-1); a.newest() != want || len(a.seen) != statesMax {
		t.Errorf("newest %q, want %q; %d kept", a.newest(), want, len(a.seen))
	}
}
