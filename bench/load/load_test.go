package load

import (
	"context"
	"iter"
	"math"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aclements/go-moremath/stats"

	"servematrix/bench/dataset"
)

// prompts is a set of n equal ones.
func prompts(n int) *dataset.Set { return times(make([]time.Duration, n)...) }

// times is a set of prompts that are due at certain times; whether that counts, Timed says.
func times(at ...time.Duration) *dataset.Set {
	var all iter.Seq[dataset.Prompt] = func(yield func(dataset.Prompt) bool) {
		for _, t := range at {
			if !yield(dataset.Prompt{At: t}) {
				return
			}
		}
	}
	return &dataset.Set{Count: len(at), Prompts: all}
}

// run gives when each prompt was due and when it was sent; each request takes as long as said.
func run(t *testing.T, o Options, set *dataset.Set, takes time.Duration) (due, sent []time.Duration) {
	t.Helper()
	began := time.Now()
	type both struct{ due, sent time.Duration }
	all := make(chan both, set.Count)
	o.Run(t.Context(), began, set, func(_ dataset.Prompt, at time.Duration) {
		all <- both{at, time.Since(began)}
		time.Sleep(takes)
	})
	close(all)
	for b := range all {
		due, sent = append(due, b.due), append(sent, b.sent)
	}
	return due, sent
}

// TestArrivals holds the times between arrivals against the gamma distribution: mean 1/rate, and a
// standard deviation of 1/(rate·√burstiness). Their errors are about 1/√n = 0.7 %, more in bursts.
func TestArrivals(t *testing.T) {
	const rate, n = 50.0, 20000
	for burstiness, std := range map[float64]float64{1: 1, 0.25: 2, 4: 0.5, math.Inf(1): 0} {
		synctest.Test(t, func(t *testing.T) {
			due, sent := run(t, Options{RequestRate: rate, Burstiness: burstiness, Seed: 1}, prompts(n), 0)
			slices.Sort(due)
			slices.Sort(sent)
			if !slices.Equal(due, sent) || sent[0] != 0 {
				t.Errorf("sent at %v…, not when due at %v…", sent[:3], due[:3])
			}
			var gaps []float64
			for i := 1; i < n; i++ {
				gaps = append(gaps, (due[i]-due[i-1]).Seconds()*rate)
			}
			if m, s := stats.Mean(gaps), stats.StdDev(gaps); math.Abs(m-1) > 0.05 || math.Abs(s-std) > 0.06 {
				t.Errorf("burstiness %v: gaps have mean %v and sd %v of 1/rate, want 1 and %v", burstiness, m, s, std)
			}
		})
	}
}

// Arrivals that are to be exact come at their rate with each seed, and are as random as before.
func TestExactArrivals(t *testing.T) {
	const rate, n = 50.0, 100
	synctest.Test(t, func(t *testing.T) {
		for seed := range uint64(20) {
			due, _ := run(t, Options{RequestRate: rate, Burstiness: 1, Seed: seed, Exact: n}, prompts(n), 0)
			slices.Sort(due)
			if last := due[n-1].Seconds() * rate; math.Abs(last-(n-1)) > 1e-4 {
				t.Errorf("seed %d: the last of %d is due after %v times the mean gap", seed, n, last)
			}
			if even := due[1] * (n - 1); even == due[n-1] {
				t.Errorf("seed %d: arrivals are not random", seed)
			}
		}
	})
}

// A request is late by what it waited for a slot, and those after it are due as if it had not been.
func TestLatenessBehindALimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := Options{RequestRate: 10, Burstiness: math.Inf(1), MaxConcurrency: 1}
		due, sent := run(t, o, prompts(4), 250*time.Millisecond)
		const ms = time.Millisecond
		if !slices.Equal(due, []time.Duration{0, 100 * ms, 200 * ms, 300 * ms}) || !slices.Equal(sent, []time.Duration{0, 250 * ms, 500 * ms, 750 * ms}) {
			t.Errorf("due %v, sent %v", due, sent)
		}
	})
}

func TestOwnTimes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		at := []time.Duration{0, 3 * time.Second, 3 * time.Second, 7500 * time.Millisecond}
		set := times(at...)
		set.Timed = true
		o := Options{RequestRate: 1000, Burstiness: 1}
		due, sent := run(t, o, set, time.Minute)
		if slices.Sort(sent); !o.Scheduled(set) || !slices.Equal(due, at) || !slices.Equal(sent, at) {
			t.Errorf("due %v, sent %v, want %v", due, sent, at)
		}
	})
}

func TestClosedLoopHasNoSchedule(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := Options{RequestRate: math.Inf(1), Burstiness: 1, MaxConcurrency: 2}
		due, sent := run(t, o, prompts(4), time.Second)
		slices.Sort(sent)
		if want := []time.Duration{0, 0, time.Second, time.Second}; o.Scheduled(prompts(4)) || !slices.Equal(sent, want) || slices.Max(due) != 0 {
			t.Errorf("due %v, sent %v", due, sent)
		}
	})
}

// What a rate and a burstiness make of a gap may be longer than a Duration.
func TestGapsOfAges(t *testing.T) {
	for _, o := range []Options{
		{RequestRate: 1e-11, Burstiness: 1, Seed: 1}, {RequestRate: 1, Burstiness: math.Inf(1), RampUpStrategy: Linear, RampUpStartRPS: 1e-300, RampUpEndRPS: 1e-300},
	} {
		due := o.schedule(prompts(50))
		last := time.Duration(0)
		for range 50 {
			if at := due(dataset.Prompt{}); at < last {
				t.Fatalf("%+v: due at %v after %v", o, at, last)
			} else {
				last = at
			}
		}
		if last != never {
			t.Errorf("%+v: the last is due at %v", o, last)
		}
	}
}

func TestRamps(t *testing.T) {
	for strategy, want := range map[string][]time.Duration{
		// Rates 1, 2, 3, 4, 5 and 1, 1.5, 2.2, 3.3, 5 a second, of which the first has no gap before it.
		Linear:      {0, 500 * time.Millisecond, 833 * time.Millisecond, 1083 * time.Millisecond, 1283 * time.Millisecond},
		Exponential: {0, 669 * time.Millisecond, 1116 * time.Millisecond, 1415 * time.Millisecond, 1615 * time.Millisecond},
	} {
		synctest.Test(t, func(t *testing.T) {
			o, err := Options{RequestRate: math.Inf(1), Burstiness: math.Inf(1), RampUpStrategy: strategy, RampUpStartRPS: 1, RampUpEndRPS: 5}.Resolve()
			if err != nil {
				t.Fatal(err)
			}
			due, _ := run(t, o, prompts(5), 0)
			slices.Sort(due)
			for i := range due {
				if (due[i] - want[i]).Abs() > time.Millisecond {
					t.Errorf("%s: due %v, want %v", strategy, due, want)
					break
				}
			}
		})
	}
	for says, o := range map[string]Options{
		"want --ramp-up-strategy":            {RequestRate: math.Inf(1), RampUpEndRPS: 2},
		"--ramp-up-strategy steep":           {RequestRate: math.Inf(1), RampUpStrategy: "steep", RampUpStartRPS: 1, RampUpEndRPS: 2},
		"want --ramp-up-start-rps":           {RequestRate: math.Inf(1), RampUpStrategy: Linear, RampUpEndRPS: 2},
		"--request-rate 3 contradicts it; a": {RequestRate: 3, RampUpStrategy: Linear, RampUpStartRPS: 1, RampUpEndRPS: 2},
	} {
		if _, err := o.Resolve(); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%+v gives %v", o, err)
		}
	}
}

func TestTheEndOfTheContextEndsTheLoad(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, limit := range []int{0, 2} {
			ctx, cancel := context.WithTimeout(t.Context(), 95*time.Millisecond)
			var sent atomic.Int64
			o := Options{RequestRate: 100, Burstiness: math.Inf(1), MaxConcurrency: limit}
			o.Run(ctx, time.Now(), prompts(1000), func(dataset.Prompt, time.Duration) {
				sent.Add(1)
				<-ctx.Done()
			})
			cancel()
			if want := map[int]int64{0: 10, 2: 2}[limit]; sent.Load() != want {
				t.Errorf("limit %d: %d sent, want %d", limit, sent.Load(), want)
			}
		}
	})
}
