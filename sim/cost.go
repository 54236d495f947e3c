package sim

import (
	"math"
	"math/rand/v2"
	"time"
)

// cost is the model of how long one forward pass takes. It has three parameters that a reader
// can check against a real engine's log, and noise around them:
//
//	T = (base + perSeq·n + p/rate) · F · ε · D
//
// where n is the number of sequences that decode one token in this pass, p the number of
// prompt tokens computed in it (tokens found in the prefix cache are not computed), base what
// any pass costs (reading the weights), perSeq what one more sequence costs, rate the prefill
// rate in tokens per second, F a factor drawn once per start and ε one drawn per pass. Both
// are log-normal with mean 1 and standard deviation ≈ noise, so noise slows and speeds up
// alike, and independent starts differ as real ones do. D is the host's drift, 1 by default.
//
// Consequences that hold exactly without noise, and that the tests check:
//
//	TTFT of a lone request           = base + p/rate
//	TPOT of a lone request           = base + perSeq
//	output throughput at batch n     = n / (base + perSeq·n)
type cost struct {
	base, perSeq time.Duration
	rate         float64 // tokens per second
	noise        float64
	start        float64 // F
	rng          *rand.Rand
	drift        drift
}

func newCost(base, perSeq time.Duration, rate, noise float64, seed uint64) *cost {
	c := &cost{base: base, perSeq: perSeq, rate: rate, noise: noise, rng: rand.New(rand.NewPCG(seed, 0x5eed))}
	c.start = c.draw()
	return c
}

// draw gives a log-normal factor of mean 1: exp(σz − σ²/2), z standard normal.
func (c *cost) draw() float64 {
	if c.noise <= 0 {
		return 1
	}
	return math.Exp(c.noise*c.rng.NormFloat64() - c.noise*c.noise/2)
}

// pass gives the duration of a forward pass that decodes n sequences and prefills p tokens.
func (c *cost) pass(n, p int) time.Duration {
	seconds := c.base.Seconds() + c.perSeq.Seconds()*float64(n) + float64(p)/c.rate
	return time.Duration(seconds * c.start * c.draw() * c.drift.at(time.Now()) * float64(time.Second))
}

// drift is a host that slowly slows down and speeds up again, as one does that warms up and
// cools down: D = exp(share · sin(2πt/period)), t the wall clock since 1970. Servers that start one
// after the other on a host thus go through the same weather, without knowing of each other.
type drift struct {
	share  float64
	period time.Duration
}

func (d drift) at(t time.Time) float64 {
	if d.share == 0 {
		return 1
	}
	phase := float64(t.UnixNano()%int64(d.period)) / float64(d.period)
	return math.Exp(d.share * math.Sin(2*math.Pi*phase))
}
