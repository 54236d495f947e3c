package sim

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

// TestMemoryPressure runs more requests than fit, in both styles, cache on and off: all must end
// with all their tokens, and the books must balance afterwards.
func TestMemoryPressure(t *testing.T) {
	for _, style := range []string{SGLang, VLLM} {
		for _, off := range []bool{false, true} {
			testEngine(t, Options{Style: style, DisableRadixCache: off, MaxTotalTokens: 1000}, func(e *engine) {
				const n = 20
				results := make(chan []time.Duration)
				for i := range n {
					go func() { results <- times(t, e, exact(100+i, i*7%3*1000, 200)) }()
				}
				for range n {
					if came := <-results; len(came) != 200 {
						t.Errorf("%s: %d tokens", style, len(came))
					}
				}
				synctest.Wait()
				e.mu.Lock()
				defer e.mu.Unlock()
				if e.kv.held != 0 || e.kv.used() != 0 {
					t.Errorf("%s, cache off %v: %d tokens held, usage %v at the end", style, off, e.kv.held, e.kv.used())
				}
				if style == VLLM && e.stats.retracted == 0 {
					t.Error("vLLM's optimistic admission preempted nobody")
				}
				if free := e.kv.free(); free < 0 || free > 1000 {
					t.Errorf("free = %d", free)
				}
			})
		}
	}
}

func TestConservativenessAvoidsRetraction(t *testing.T) {
	retracted := func(conservativeness float64) (n uint64) {
		testEngine(t, Options{DisableRadixCache: true, MaxTotalTokens: 1000, ScheduleConservativeness: conservativeness}, func(e *engine) {
			results := make(chan []time.Duration)
			for i := range 12 {
				go func() { results <- times(t, e, exact(50, i*100, 150)) }()
			}
			for range 12 {
				<-results
			}
			n = e.stats.retracted
		})
		return n
	}
	if n := retracted(2); n != 0 {
		t.Errorf("a full reserve retracted %d", n)
	}
	if n := retracted(0.1); n == 0 {
		t.Error("hardly any reserve retracted nobody")
	}
}

func TestAbortFreesMemory(t *testing.T) {
	testEngine(t, Options{MaxTotalTokens: 200}, func(e *engine) {
		gone := exact(100, 0, 100)
		if err := e.submit(gone); err != nil {
			t.Fatal(err)
		}
		time.Sleep(50 * ms)
		if err := e.flush(); !errors.Is(err, errBusy) {
			t.Errorf("flush while running gave %v", err)
		}
		e.abort(gone)
		if len(times(t, e, exact(100, 5000, 100))) != 100 {
			t.Error("the next request got no memory")
		}
		synctest.Wait()
		if err := e.flush(); err != nil {
			t.Error(err)
		}
	})
}

func TestStallStopsTokens(t *testing.T) {
	testEngine(t, Options{}, func(e *engine) {
		r := exact(10, 0, 1000)
		if err := e.submit(r); err != nil {
			t.Fatal(err)
		}
		time.Sleep(50 * ms)
		e.stall()
		time.Sleep(10 * ms)
		generated := func() int {
			e.mu.Lock()
			defer e.mu.Unlock()
			return r.generated
		}
		before := generated()
		time.Sleep(time.Hour)
		if after := generated(); before == 0 || after != before {
			t.Errorf("%d tokens before, %d after an hour", before, after)
		}
	})
}
