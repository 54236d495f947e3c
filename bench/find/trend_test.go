package find

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"
)

func TestRiseOfALine(t *testing.T) {
	var line Trend
	for i := range 10 {
		at := time.Duration(i) * time.Second
		line.Add(at, 100*time.Millisecond+at/4)
	}
	if math.Abs(line.Rise()-0.25) > 1e-6 {
		t.Error(line.Rise())
	}
	var none, still Trend
	for range 5 {
		still.Add(time.Second, time.Second)
	}
	if none.Rise() != 0 || still.Rise() != 0 {
		t.Error(none.Rise(), still.Rise())
	}
}

// A server with a queue, which takes 10 ms for each request: the wait rises as the arrivals exceed
// what it serves, and where they do not, no queue is said to grow, but for bad luck.
func TestRiseTellsAGrowingQueue(t *testing.T) {
	const service, sent, starts = 0.01, 2000, 200
	for share, want := range map[float64]struct{ low, high int }{0.5: {0, 0}, 0.8: {0, 2}, 1.15: {195, 200}, 1.5: {200, 200}} {
		growing := 0
		for seed := range uint64(starts) {
			rng := rand.New(rand.NewPCG(seed, 1))
			var line Trend
			now, free := 0.0, 0.0
			for range sent {
				now += rng.ExpFloat64() * service / share
				free = max(free, now) + service
				line.Add(time.Duration(now*1e9), time.Duration((free-now)*1e9))
			}
			if line.Rise() > mostRise {
				growing++
			}
		}
		if growing < want.low || growing > want.high {
			t.Errorf("at %v of the capacity the queue is said to grow in %d of %d starts, want %d to %d", share, growing, starts, want.low, want.high)
		}
	}
}
