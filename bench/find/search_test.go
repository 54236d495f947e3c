package find

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"servematrix/metric"
)

const limit = 500

func options(goal string, from, to, precision float64) Options {
	return Options{Goal: goal, SLO: "p99_ttft_ms<500", From: from, To: to, Precision: precision, Probe: 30e9, MinRequests: 100}
}

// server measures a server whose p99 TTFT is a function of the level.
func server(ttft func(a Ask) float64) Measure {
	return func(_ context.Context, a Ask) (Seen, error) {
		return seen(a, ttft(a)), nil
	}
}

func seen(a Ask, ttft float64) Seen {
	return Seen{Sent: a.Level, Metrics: metric.Of(map[string]float64{
		"p99_ttft_ms": ttft, "completed": float64(a.Requests), "failed": 0, "request_throughput": a.Level, "mean_e2e_latency_ms": 900,
	})}
}

// steep meets the limit up to a capacity, and is far from it on both sides.
func steep(capacity float64) Measure {
	return server(func(a Ask) float64 {
		if a.Level <= capacity {
			return limit / 4
		}
		return limit * 4
	})
}

func search(t interface{ Fatal(...any) }, o Options, m Measure) *Result {
	r, err := Search(context.Background(), o, m, func(Probe) {})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// Without noise the capacity lies between what is found and the next level, which is no further
// away than the precision, and it takes no more probes than were announced.
func TestASteepServersCapacityIsFound(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o := options(rapid.SampledFrom([]string{MaxRate, MaxConcurrency}).Draw(t, "goal"), 1, 1024, rapid.Float64Range(finest, coarsest).Draw(t, "precision"))
		o.From = float64(rapid.IntRange(1, 40).Draw(t, "from"))
		o.To = o.From * float64(rapid.IntRange(1, 700).Draw(t, "times"))
		capacity := math.Exp(rapid.Float64Range(-1, 12).Draw(t, "log capacity"))
		r := search(t, o, steep(capacity))
		most, plain := o.Cost()
		if n := len(r.Probes); n > most.Probes || capacity >= o.From && n > plain.Probes {
			t.Fatalf("%d probes, announced were %+v and %+v", n, most, plain)
		}
		switch {
		case capacity < o.From:
			if r.Outcome != None || r.Level() != 0 || r.Above != o.From || len(r.Probes) != 2 {
				t.Fatalf("%+v of a capacity below the smallest level", r)
			}
		case capacity >= o.To:
			if r.Outcome != AtLeast || r.Level() != o.To || !r.Confirmed {
				t.Fatalf("%+v of a capacity above the largest level", r)
			}
		default:
			close := r.Above <= r.Level()*(1+o.Precision)*(1+1e-9) || o.whole() && r.Above-r.Level() <= 1
			if r.Outcome != Found || r.Level() > capacity || r.Above <= capacity || !close || !r.Confirmed || len(r.Notes) > 0 {
				t.Fatalf("found %v, %v fails: %+v, the capacity is %v", r.Level(), r.Above, r, capacity)
			}
		}
	})
}

// Whatever a server does, a search ends within what was announced, and what it found has met the
// SLO in its last measurement.
func TestAnyServerIsMeasuredWithinTheAnnouncedCost(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o := options(rapid.SampledFrom([]string{MaxRate, MaxConcurrency}).Draw(t, "goal"), 1, 1024, rapid.Float64Range(finest, 0.3).Draw(t, "precision"))
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		share := rapid.Float64Range(0, 1).Draw(t, "share")
		r := search(t, o, server(func(Ask) float64 {
			switch draw := rng.Float64(); {
			case draw < share/2:
				return limit * 0.5
			case draw < share:
				return limit * 0.99
			case draw < share+(1-share)/2:
				return limit * 1.01
			}
			return limit * 2
		}))
		if most, _ := o.Cost(); len(r.Probes) > most.Probes {
			t.Fatalf("%d probes, announced were %+v", len(r.Probes), most)
		}
		if r.Best != nil && (!r.Best.Met || r.Best.Metrics.Value("p99_ttft_ms") >= limit || !r.Best.Confirm) {
			t.Fatalf("%+v did not meet the SLO", r.Best)
		}
		if (r.Best == nil) != (r.Outcome == None) {
			t.Fatalf("%+v", r)
		}
	})
}

// Latency that grows as a power of the load, with log-normal noise: where a standard deviation of it
// is worth as much load as the precision, the found level is within the precision of the truth in at
// least 80 of 100 searches, and within twice that in at least 97.
func TestANoisyServersCapacityIsFound(t *testing.T) {
	const searches, precision = 1000, 0.05
	for _, power := range []float64{1, 4} {
		rng := rand.New(rand.NewPCG(7, uint64(power)))
		once, twice, probes := 0, 0, 0
		for range searches {
			capacity := math.Exp(math.Log(2) + rng.Float64()*math.Log(400))
			r := search(t, options(MaxRate, 1, 1024, precision), server(func(a Ask) float64 {
				noise := power * math.Log(1+precision) * rng.NormFloat64()
				if a.Confirm {
					noise /= math.Sqrt2 // twice as many requests
				}
				return limit * math.Pow(a.Level/capacity, power) * math.Exp(noise)
			}))
			off := math.Abs(math.Log(r.Level()/capacity)) / math.Log(1+precision)
			probes += len(r.Probes)
			if off <= 1 {
				once++
			}
			if off <= 2 {
				twice++
			}
		}
		t.Logf("power %v: %d and %d of %d searches, %.1f probes each", power, once, twice, searches, float64(probes)/searches)
		if once < searches*80/100 || twice < searches*97/100 {
			t.Errorf("power %v: %d searches are within the precision, %d within twice that, of %d", power, once, twice, searches)
		}
	}
}

func TestWhatIsLateWasNotServed(t *testing.T) {
	// The server could do 200; the client sends 50 at most.
	r := search(t, options(MaxRate, 1, 1024, 0.05), func(_ context.Context, a Ask) (Seen, error) {
		s := seen(a, limit/4)
		s.Sent = min(a.Level, 50)
		return s, nil
	})
	if r.Outcome != AtLeast || r.Level() > 50/leastSent || r.Level() < 48 || !strings.Contains(strings.Join(r.Notes, "\n"), "a lower bound, of the client") {
		t.Errorf("%s %q", r.Sentence(), r.Notes)
	}
}

// A first probe at the smallest level that fails is asked again: it can be the server that warms up.
func TestAColdStartIsNoVerdict(t *testing.T) {
	r := search(t, options(MaxRate, 1, 64, 0.05), server(func(a Ask) float64 {
		if a.Number == 1 || a.Level > 20 {
			return 10 * limit
		}
		return limit / 4
	}))
	if r.Outcome != Found || r.Level() < 19 || r.Level() > 20 {
		t.Error(r.Sentence())
	}
}

// The longer probes have the last word: what a short one let pass is found to be too much.
func TestLongerProbesCorrectWhatWasFound(t *testing.T) {
	for short, long := range map[float64]float64{20: 12, 12: 20, 30: 29, 29: 30} {
		r := search(t, options(MaxRate, 1, 64, 0.05), server(func(a Ask) float64 {
			capacity := short
			if a.Confirm {
				capacity = long
			}
			if a.Level <= capacity {
				return limit / 4
			}
			return limit * 4
		}))
		if r.Outcome != Found || r.Level() > long || r.Above <= long || r.Above > r.Level()*1.05*1.0001 {
			t.Errorf("short %v, long %v: %s", short, long, r.Sentence())
		}
		// Where a level failed at first, and a larger one then met the SLO, the assumption of the search is at stake.
		if told := strings.Contains(strings.Join(r.Notes, "\n"), "req/s failed, but the larger "); told != (short == 12) {
			t.Errorf("short %v, long %v: %q", short, long, r.Notes)
		}
	}
}

func TestAnErrorEndsTheSearchWithTheBestSoFar(t *testing.T) {
	broken := errors.New("broken")
	for after, want := range map[int]float64{1: 0, 2: 1, 5: 8, 8: 11.31} {
		n := 0
		r, err := Search(context.Background(), options(MaxRate, 1, 64, 0.05), func(ctx context.Context, a Ask) (Seen, error) {
			if n++; n == after {
				return Seen{}, broken
			}
			return steep(12)(ctx, a)
		}, func(Probe) {})
		if !errors.Is(err, broken) || r.Outcome != Interrupted || r.Level() != want || len(r.Probes) != after-1 {
			t.Errorf("after %d: %s, %v", after, r.Sentence(), err)
		}
	}
	r, err := Search(context.Background(), options(MaxRate, 1, 64, 0.05), func(_ context.Context, a Ask) (Seen, error) {
		s := seen(a, limit/4)
		s.Partial = a.Level > 4
		return s, nil
	}, func(Probe) {})
	if !errors.Is(err, context.Canceled) || r.Level() != 4 || r.Outcome != Interrupted {
		t.Errorf("%s, %v", r.Sentence(), err)
	}
}

func TestRequestsOfAProbe(t *testing.T) {
	o := options(MaxRate, 1, 1024, 0.05)
	for _, c := range []struct {
		level float64
		long  bool
		want  int
	}{{1, false, 100}, {1, true, 200}, {10, false, 300}, {10.5, true, 630}} {
		s := searchState{opt: o}
		if got := s.requests(c.level, c.long); got != c.want {
			t.Errorf("at %v, long %v: %d requests, want %d", c.level, c.long, got, c.want)
		}
	}
	o.Goal = MaxConcurrency
	s := searchState{opt: o, probes: []Probe{
		{Ask: Ask{Level: 2}, Seen: Seen{Metrics: metric.Of(map[string]float64{"request_throughput": 1})}},
		{Ask: Ask{Level: 64}, Seen: Seen{Metrics: metric.Of(map[string]float64{"request_throughput": 40})}},
	}}
	for level, want := range map[float64]int{4: 100, 128: 2400, 32: 600, 500: 9375} {
		if got := s.requests(level, false); got != want {
			t.Errorf("%v at one time: %d requests, want %d", level, got, want)
		}
	}
	s.opt.Requests = 7
	if s.requests(128, false) != 7 || s.requests(128, true) != 14 {
		t.Error("a number that was given does not count")
	}
}

// Where nothing succeeds the SLO is not met; where nothing could be sent that is the client's limit.
func TestProbesThatMeasureNothing(t *testing.T) {
	for _, unsent := range []bool{false, true} {
		r := search(t, options(MaxConcurrency, 2, 64, 0.05), func(_ context.Context, a Ask) (Seen, error) {
			switch {
			case a.Level <= 10:
				return seen(a, limit/4), nil
			case unsent:
				return Seen{Nothing: "too few files"}, nil
			}
			return Seen{Nothing: "no request succeeded", Metrics: metric.Of(map[string]float64{"failed": 5, "completed": 0})}, nil
		})
		if want := map[bool]string{false: Found, true: AtLeast}[unsent]; r.Outcome != want || r.Level() != 10 || r.Above != 11 {
			t.Errorf("unsent %v: %s, %v, %v", unsent, r.Outcome, r.Level(), r.Above)
		}
		if _, err := json.Marshal(r.Report()); err != nil {
			t.Error(err)
		}
		table := &strings.Builder{}
		for _, p := range r.Probes {
			NewTable(table, r.Options).Add(p)
		}
		if says := "-  not met: " + map[bool]string{false: "no request succeeded", true: "too few files"}[unsent]; !strings.Contains(table.String(), says+"\n") {
			t.Errorf("%q is missing in\n%s", says, table)
		}
	}
}
