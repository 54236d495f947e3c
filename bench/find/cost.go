package find

import (
	"fmt"
	"math"
	"time"
)

// Cost is what a search takes.
type Cost struct {
	Probes int
	// Time is how long they send; answers that are still under way then come on top. 0 where nobody knows.
	Time time.Duration
}

// mostVotes is how many probes it takes to decide a level at most: two that agree.
const mostVotes = 3

// Cost is what a search takes at most, and what it takes at most where no probe is repeated and the
// longer ones agree with the others.
func (o Options) Cost() (most, plain Cost) {
	levels := []float64{o.From}
	for last := o.From; last < o.To; {
		last = min(2*last, o.To)
		levels = append(levels, last)
	}
	narrow := halvings(min(2, o.To/o.From), o.Precision)
	widest := math.Pow(1+o.Precision, math.Exp2(mostSteps))
	correct := halvings(widest, o.Precision)
	for first := range levels { // the one that fails first
		low := levels[max(first-1, 0)]
		worst, usual := o.cost(low, narrow, 1, mostVotes), o.cost(low, narrow, 1, 1)
		for _, level := range levels[:first+1] {
			worst, usual = worst.and(o.cost(level, 1, 1, mostVotes)), usual.and(o.cost(level, 1, 1, 1))
		}
		worst = worst.and(o.cost(max(low/widest/widest, o.From), 2+mostSteps+correct, 2, mostVotes))
		usual = usual.and(o.cost(low, 2, 2, 1))
		most, plain = most.orMore(worst), plain.orMore(usual)
	}
	return most, plain
}

// halvings is how often a gap is halved, on a logarithmic scale, until it is as small as the
// precision; levels are rounded, so it can take one more.
func halvings(gap, precision float64) int {
	if gap <= 1+precision {
		return 0
	}
	return int(math.Ceil(math.Log2(math.Log(gap)/math.Log(1+precision)) + 0.05))
}

// cost is what some levels take, all measured as often and at about the same level.
func (o Options) cost(level float64, levels, times, votes int) Cost {
	s := searchState{opt: o}
	each := o.Duration(Ask{Level: level, Requests: s.requests(level, false)})
	if o.whole() && o.Requests == 0 {
		each = o.Probe
	}
	return Cost{levels * votes, each * time.Duration(levels*times*votes)}
}

func (c Cost) and(d Cost) Cost    { return Cost{c.Probes + d.Probes, c.Time + d.Time} }
func (c Cost) orMore(d Cost) Cost { return Cost{max(c.Probes, d.Probes), max(c.Time, d.Time)} }

// String is the cost in words: "17 probes, 10m30s of sending".
func (c Cost) String() string {
	if c.Time == 0 {
		return fmt.Sprintf("%d probes", c.Probes)
	}
	return fmt.Sprintf("%d probes, %v of sending", c.Probes, c.Time.Round(time.Second))
}
