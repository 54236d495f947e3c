package sim

import (
	"context"
	"errors"
	"math"
	"testing"
	"testing/synctest"
	"time"
)

// testEngine runs an engine in a synctest bubble, where time passes only when all sleep: the
// cost model's formulas must come out exactly.
func testEngine(t *testing.T, opt Options, f func(e *engine)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		opt, err := opt.resolved()
		if err != nil {
			t.Fatal(err)
		}
		e := opt.newEngine()
		e.sleep = func(ctx context.Context, until time.Time) bool {
			time.Sleep(time.Until(until))
			return ctx.Err() == nil
		}
		ctx, cancel := context.WithCancel(context.Background())
		done := make(chan struct{})
		go func() { e.run(ctx); close(done) }()
		f(e)
		cancel()
		<-done
	})
}

// times submits a request and gives when each token came, since now.
func times(t *testing.T, e *engine, r *request) []time.Duration {
	t.Helper()
	start := time.Now()
	if err := e.submit(r); err != nil {
		t.Error(err)
		return nil
	}
	var came []time.Duration
	for {
		tokens, done, err := r.stream.take(context.Background(), nil)
		if err != nil {
			t.Error(err)
			return came
		}
		for range tokens {
			came = append(came, time.Since(start))
		}
		if done {
			return came
		}
	}
}

func ids(n, from int) []int32 {
	list := make([]int32, n)
	for i := range list {
		list[i] = int32(from + i)
	}
	return list
}

func exact(n, from, out int) *request { return newRequest(ids(n, from), out, 0, true) }

const ms = time.Millisecond

func near(t *testing.T, what string, got, want time.Duration) {
	t.Helper()
	if d := (got - want).Abs(); d > 10*time.Microsecond {
		t.Errorf("%s = %v, want %v", what, got, want)
	}
}

func TestLoneRequestFollowsTheFormulas(t *testing.T) {
	for _, style := range []string{SGLang, VLLM} {
		testEngine(t, Options{Style: style}, func(e *engine) {
			came := times(t, e, exact(3000, 0, 5))
			if len(came) != 5 {
				t.Fatalf("%d tokens", len(came))
			}
			near(t, "TTFT", came[0], 5*ms+100*ms) // base + 3000 / 30000 per second
			for i := 1; i < 5; i++ {
				near(t, "ITL", came[i]-came[i-1], 5*ms+50*time.Microsecond)
			}
		})
	}
}

func TestDecodeThroughputAtBatch(t *testing.T) {
	testEngine(t, Options{}, func(e *engine) {
		const n, out = 32, 100
		var all [][]time.Duration
		results := make(chan []time.Duration)
		for i := range n {
			go func() { results <- times(t, e, exact(10, i*100, out)) }()
		}
		for range n {
			all = append(all, <-results)
		}
		pass := 5*ms + n*50*time.Microsecond
		for _, came := range all {
			// The first to come is prefilled alone, so its first two tokens are further apart.
			near(t, "time between second and last token", came[out-1]-came[1], (out-2)*pass)
		}
	})
}

func TestPrefixCacheSavesPrefill(t *testing.T) {
	testEngine(t, Options{}, func(e *engine) {
		times(t, e, exact(3000, 0, 1))
		again := exact(3000, 0, 1)
		near(t, "TTFT of the same prompt", times(t, e, again)[0], 5*ms+time.Second/30000)
		if got := again.stream.cachedTokens(); got != 2999 { // the last token is always computed
			t.Errorf("cached %d tokens", got)
		}
		longer := newRequest(append(ids(1500, 0), ids(1500, 50000)...), 1, 0, true)
		near(t, "TTFT with half the prompt cached", times(t, e, longer)[0], 5*ms+50*ms)
		if err := e.flush(); err != nil {
			t.Fatal(err)
		}
		near(t, "TTFT after a flush", times(t, e, exact(3000, 0, 1))[0], 105*ms)
	})
}

func TestVLLMCachesWholeBlocks(t *testing.T) {
	testEngine(t, Options{Style: VLLM}, func(e *engine) {
		times(t, e, exact(100, 0, 1))
		again := exact(100, 0, 1)
		times(t, e, again)
		if got := again.stream.cachedTokens(); got != 96 {
			t.Errorf("cached %d tokens, want 6 blocks of 16", got)
		}
	})
}

func TestWithoutPrefixCacheEveryPromptIsComputed(t *testing.T) {
	testEngine(t, Options{DisableRadixCache: true}, func(e *engine) {
		for range 2 {
			r := exact(3000, 0, 1)
			near(t, "TTFT", times(t, e, r)[0], 105*ms)
			if got := r.stream.cachedTokens(); got != 0 {
				t.Errorf("cached %d tokens", got)
			}
		}
	})
}

func TestAnswerIsCachedForTheNextTurn(t *testing.T) {
	testEngine(t, Options{}, func(e *engine) {
		first := exact(100, 0, 20)
		times(t, e, first)
		second := newRequest(append(first.tokens[:120:120], ids(10, 90000)...), 1, 0, true)
		times(t, e, second)
		// All but the last token of the answer was computed: that one was only sampled.
		if got := second.stream.cachedTokens(); got != 119 {
			t.Errorf("cached %d tokens of 120", got)
		}
	})
}

func TestSGLangPrefillsBeforeItDecodes(t *testing.T) {
	testEngine(t, Options{}, func(e *engine) {
		results := make(chan []time.Duration)
		go func() { results <- times(t, e, exact(10, 0, 10)) }()
		time.Sleep(20 * ms) // the first is in the midst of its answer
		go func() { results <- times(t, e, exact(3000, 5000, 1)) }()
		<-results
		first := <-results
		longest := time.Duration(0)
		for i := 1; i < len(first); i++ {
			longest = max(longest, first[i]-first[i-1])
		}
		near(t, "longest gap", longest, 105*ms+5*ms+50*time.Microsecond)
	})
}

func TestVLLMMixesPrefillAndDecode(t *testing.T) {
	testEngine(t, Options{Style: VLLM, ChunkedPrefillSize: 301}, func(e *engine) {
		results := make(chan []time.Duration)
		go func() { results <- times(t, e, exact(10, 0, 40)) }()
		time.Sleep(20 * ms)
		go func() { results <- times(t, e, exact(3000, 5000, 1)) }()
		<-results
		first := <-results
		longest := time.Duration(0)
		for i := 1; i < len(first); i++ {
			longest = max(longest, first[i]-first[i-1])
		}
		near(t, "longest gap", longest, 5*ms+50*time.Microsecond+10*ms) // 300 prompt tokens beside one decode
	})
}

func TestChunkedPrefill(t *testing.T) {
	testEngine(t, Options{ChunkedPrefillSize: 1000}, func(e *engine) {
		near(t, "TTFT in three chunks", times(t, e, exact(3000, 0, 1))[0], 3*5*ms+100*ms)
	})
	testEngine(t, Options{ChunkedPrefillSize: -1}, func(e *engine) {
		near(t, "TTFT in one", times(t, e, exact(30000, 0, 1))[0], 5*ms+time.Second)
	})
}

func TestRunningLimitQueues(t *testing.T) {
	testEngine(t, Options{MaxRunningRequests: 1}, func(e *engine) {
		results := make(chan []time.Duration)
		for i := range 2 {
			go func() { results <- times(t, e, exact(30, i*1000, 11)) }()
		}
		a, b := <-results, <-results
		alone := 6*ms + 10*(5*ms+50*time.Microsecond)
		near(t, "end of the first", a[10], alone)
		near(t, "end of the second", b[10], 2*alone)
	})
}

func TestTooLongIsRefused(t *testing.T) {
	testEngine(t, Options{MaxTotalTokens: 100}, func(e *engine) {
		if err := e.submit(exact(50, 0, 51)); !errors.Is(err, errTooLong) {
			t.Errorf("submit gave %v", err)
		}
		if len(times(t, e, exact(50, 0, 50))) != 50 {
			t.Error("a request that just fits did not end")
		}
	})
}

func TestNaturalEnds(t *testing.T) {
	sum, n := 0, 20000
	for i := range n {
		sum += newRequest([]int32{int32(i), 7}, 1<<30, 0, false).length
	}
	if mean := float64(sum) / float64(n); math.Abs(mean-meanAnswer) > 8 { // sd of the mean is 1.8
		t.Errorf("mean natural length %v, want about %d", mean, meanAnswer)
	}
	r := newRequest([]int32{1}, 5, 3, false)
	if r.length < 3 || r.length > 5 {
		t.Errorf("length %d outside min and max", r.length)
	}
	if a, b := newRequest([]int32{1, 2, 3}, 1000, 0, false), newRequest([]int32{1, 2, 3}, 1000, 0, false); a.length != b.length {
		t.Error("the same prompt has two lengths")
	}
}

func TestNoise(t *testing.T) {
	c := newCost(5*ms, 0, 30000, 0.05, 42)
	sum, squares, n := 0.0, 0.0, 20000
	for range n {
		x := c.pass(0, 0).Seconds() / (0.005 * c.start)
		sum, squares = sum+x, squares+x*x
	}
	mean := sum / float64(n)
	sd := math.Sqrt(squares/float64(n) - mean*mean)
	if math.Abs(mean-1) > 0.002 || math.Abs(sd-0.05) > 0.002 {
		t.Errorf("factor has mean %v and sd %v, want 1 and 0.05", mean, sd)
	}
	if newCost(0, 0, 1, 0.05, 42).start != c.start || newCost(0, 0, 1, 0.05, 43).start == c.start {
		t.Error("the start's factor must depend on the seed alone")
	}
	if newCost(0, 0, 1, 0, 1).start != 1 {
		t.Error("no noise, but a factor")
	}
}

func TestDrift(t *testing.T) {
	d := drift{share: 0.02, period: 8 * time.Second}
	for _, c := range []struct {
		seconds int64
		want    float64
	}{{0, 1}, {1, math.Exp(0.02 * math.Sqrt2 / 2)}, {2, math.Exp(0.02)}, {4, 1}, {6, math.Exp(-0.02)}, {8, 1}, {1_000_000_002, math.Exp(0.02)}} {
		if got := d.at(time.Unix(c.seconds, 0)); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("after %d s: %v, want %v", c.seconds, got, c.want)
		}
	}
	if got := (drift{}).at(time.Unix(1, 0)); got != 1 {
		t.Errorf("no drift is %v", got)
	}
	opt, err := Options{Drift: 0.5, DriftPeriod: time.Hour}.resolved()
	if err != nil {
		t.Fatal(err)
	}
	if got := opt.newEngine().cost.drift; got != (drift{0.5, time.Hour}) {
		t.Errorf("the engine's drift is %v", got)
	}
	// A lone pass of an hour's period takes what that moment says.
	c := newCost(5*ms, 0, 30000, 0, 1)
	c.drift = opt.newEngine().cost.drift
	low, pass, high := c.drift.at(time.Now()), c.pass(0, 0).Seconds()/0.005, c.drift.at(time.Now())
	if pass < min(low, high)-1e-6 || pass > max(low, high)+1e-6 {
		t.Errorf("a pass takes %v times its base, not between %v and %v", pass, low, high)
	}
}
