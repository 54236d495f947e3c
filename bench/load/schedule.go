package load

import (
	"math"
	"math/rand/v2"
	"time"

	"servematrix/bench/dataset"
)

// streamArrivals is the stream of randomness of arrivals; those of package dataset are others.
const streamArrivals = 4

// never is later than any benchmark lasts; twice that is still a Duration.
const never = 100 * 365 * 24 * time.Hour

// Scheduled tells whether prompts of the set have points in time at which they are due.
func (o Options) Scheduled(set *dataset.Set) bool {
	return set.Timed || !math.IsInf(o.RequestRate, 1) || o.RampUpStrategy != ""
}

// schedule gives a function that tells when each prompt is due, called with one after another. A
// set's own times go before a rate, as in both clients. Points are absolute, since the beginning
// of the run: a late one delays none of those after it. The first is due at once.
func (o Options) schedule(set *dataset.Set) func(dataset.Prompt) time.Duration {
	switch {
	case set.Timed:
		return func(p dataset.Prompt) time.Duration { return p.At }
	case !o.Scheduled(set):
		return func(dataset.Prompt) time.Duration { return 0 }
	}
	rng := rand.New(rand.NewPCG(o.Seed, streamArrivals))
	scale := o.scale()
	due, sent, turns := time.Duration(0), 0, 0
	return func(p dataset.Prompt) time.Duration {
		if sent > 0 {
			rate := o.rate(float64(turns) / float64(max(set.Count-1, 1)))
			wait := scale * gap(rng, o.Burstiness) / rate * float64(time.Second)
			due = min(due+time.Duration(min(wait, float64(never))), never)
		}
		sent++
		turns += p.Turns()
		return due
	}
}

// scale brings the mean of as many times between arrivals as Exact says to what it should be. The
// number of arrivals is then no longer random, what lies between them still is.
func (o Options) scale() float64 {
	if o.Exact < 2 {
		return 1
	}
	rng := rand.New(rand.NewPCG(o.Seed, streamArrivals))
	sum := 0.0
	for range o.Exact - 1 {
		sum += gap(rng, o.Burstiness)
	}
	return float64(o.Exact-1) / sum
}

// rate is that of arrivals when a share of the prompts has been sent. The formulas of the ramps are
// those of vllm bench serve.
func (o Options) rate(share float64) float64 {
	from, to := o.RampUpStartRPS, o.RampUpEndRPS
	switch o.RampUpStrategy {
	case Linear:
		return from + (to-from)*share
	case Exponential:
		return from * math.Pow(to/from, share)
	}
	return o.RequestRate
}

// gap draws the time between two arrivals, with mean 1, from a gamma distribution of shape k:
// exponential for 1 (a Poisson process), in bursts below it, more even above it, constant for +Inf.
func gap(rng *rand.Rand, k float64) float64 {
	switch {
	case k == 1:
		return rng.ExpFloat64()
	case math.IsInf(k, 1):
		return 1
	case k < 1: // X·U^(1/k) has shape k where X has shape k+1
		return gamma(rng, k+1) * math.Pow(1-rng.Float64(), 1/k) / k
	}
	return gamma(rng, k) / k
}

// gamma draws from a gamma distribution of shape k >= 1 and scale 1: Marsaglia and Tsang, A simple
// method for generating gamma variables, ACM TOMS 26 (2000) 363.
func gamma(rng *rand.Rand, k float64) float64 {
	d := k - 1.0/3
	c := 1 / math.Sqrt(9*d)
	for {
		x := rng.NormFloat64()
		v := math.Pow(1+c*x, 3)
		if v > 0 && math.Log(1-rng.Float64()) < x*x/2+d-d*v+d*math.Log(v) {
			return d * v
		}
	}
}
