package find

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

const capacity = 37 // requests per second

// queue is a server that takes as long for each request, one after another, with Poisson arrivals
// (M/D/1). It gives what a measurement sees; TTFT is the time from arrival to service's end.
func queue(a Ask, rng *rand.Rand) Seen {
	var line Trend
	var took []float64
	now, free := 0.0, 0.0
	for range a.Requests {
		now += rng.ExpFloat64() / a.Level
		free = max(free, now) + 1.0/capacity
		took = append(took, (free-now)*1000)
		line.Add(span(now), span(free-now))
	}
	slices.Sort(took)
	s := seen(a, took[len(took)*99/100])
	s.Rise = line.Rise()
	return s
}

func span(seconds float64) time.Duration { return time.Duration(seconds * float64(time.Second)) }

// The wait of a queue grows without bound towards the capacity, and what is noise in it is what
// arrivals make it. The truth is what a hundred times as many requests say.
func TestTheRateOfAQueueIsFound(t *testing.T) {
	const bound, precision, searches = 200, 0.05, 60
	truth := 0.0
	for rate := 20.0; rate < capacity; rate += 0.1 {
		if queue(Ask{Level: rate, Requests: 100_000}, rand.New(rand.NewPCG(1, 1))).Metrics.Value("p99_ttft_ms") >= bound {
			break
		}
		truth = rate
	}
	o := options(MaxRate, 1, 1024, precision)
	o.SLO = "p99_ttft_ms<200"
	close := 0
	for seed := range uint64(searches) {
		r := search(t, o, func(_ context.Context, a Ask) (Seen, error) {
			return queue(a, rand.New(rand.NewPCG(seed, uint64(a.Number)))), nil
		})
		off := math.Abs(math.Log(r.Level()/truth)) / math.Log(1+precision)
		if off <= 1 {
			close++
		}
		if off > 2 {
			t.Errorf("seed %d: %s; the truth is %.1f", seed, r.Sentence(), truth)
		}
	}
	t.Logf("%d of %d searches are within the precision of %.1f req/s", close, searches, truth)
	if close < searches*70/100 {
		t.Errorf("only %d of %d searches are within the precision of %.1f req/s", close, searches, truth)
	}
}

// Where the SLO bounds no wait, a queue that grows is a failure all the same.
func TestAGrowingQueueIsNoThroughput(t *testing.T) {
	o := options(MaxRate, 1, 1024, 0.05)
	o.SLO = "mean_tpot_ms<50"
	r := search(t, o, func(_ context.Context, a Ask) (Seen, error) {
		s := queue(a, rand.New(rand.NewPCG(3, uint64(a.Number))))
		s.Metrics.Set("mean_tpot_ms", 20)
		return s, nil
	})
	if r.Outcome != Found || r.Level() < 0.9*capacity || r.Level() > 1.1*capacity {
		t.Error(r.Sentence())
	}
}
