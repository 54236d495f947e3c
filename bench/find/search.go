package find

import (
	"context"
	"math"
)

// Outcomes of a search.
const (
	Found       = "found"       // the level is the largest, up to the precision
	AtLeast     = "at_least"    // it met the SLO, and nothing larger could be tried
	None        = "none"        // not even the smallest level met the SLO
	Interrupted = "interrupted" // the search was cut short; the level is the best so far
)

// Result is what a search found.
type Result struct {
	Options Options
	SLO     SLO
	// Outcome is one of those above.
	Outcome string
	// Best is the probe of the level found, the last one there that met the SLO; nil where none did.
	Best *Probe
	// Above is the smallest level that failed; 0 where none did.
	Above float64
	// Confirmed says that Best is a longer probe.
	Confirmed bool
	// Notes say what else a reader has to know.
	Notes []string
	// Probes are all measurements, in their order.
	Probes []Probe
}

// Level is the level found; 0 where there is none.
func (r *Result) Level() float64 {
	if r.Best == nil {
		return 0
	}
	return r.Best.Level
}

// searchState is a search under way.
type searchState struct {
	opt      Options
	slo      SLO
	scale    scale
	measure  Measure
	tell     func(Probe)
	probes   []Probe
	verdicts map[float64]verdict // of the levels, as they stand
}

// verdict is what was decided of a level, by longer probes or not.
type verdict struct{ met, long bool }

// Search searches as checked options say. tell is told of each probe when it has ended. When
// measure gives an error, or ctx ends, the result is of what was measured by then.
func Search(ctx context.Context, opt Options, measure Measure, tell func(Probe)) (*Result, error) {
	slo, err := ParseSLO(opt.SLO)
	if err != nil {
		return nil, err
	}
	s := &searchState{
		opt: opt, slo: slo, measure: measure, tell: tell, verdicts: map[float64]verdict{},
		scale: scale{from: opt.From, to: opt.To, precision: opt.Precision, whole: opt.whole()},
	}
	low, high, err := s.bracket(ctx)
	if err == nil && low > 0 {
		low, high, err = s.confirm(ctx, low, high)
	}
	return s.result(low, high, err), err
}

// bracket is the first stage: the largest level that met the SLO and the smallest that failed, as
// close as asked for. low is 0 where none met it, high is infinite where none failed.
func (s *searchState) bracket(ctx context.Context) (low, high float64, err error) {
	high = math.Inf(1)
	for next := s.opt.From; low < s.opt.To && math.IsInf(high, 1); next = min(2*next, s.opt.To) {
		if low, high, err = s.try(ctx, next, low, high, false); err != nil {
			return low, high, err
		}
	}
	if low == 0 || math.IsInf(high, 1) {
		return low, high, nil
	}
	return s.narrow(ctx, low, high, false)
}

// narrow bisects what lies between two levels.
func (s *searchState) narrow(ctx context.Context, low, high float64, confirm bool) (float64, float64, error) {
	for {
		middle, ok := s.scale.between(low, high)
		if !ok {
			return low, high, nil
		}
		var err error
		if low, high, err = s.try(ctx, middle, low, high, confirm); err != nil {
			return low, high, err
		}
	}
}

// mostSteps bounds how far the second stage goes from what the first one found: by 1, 2, 4 and 8
// times the precision.
const mostSteps = 4

// confirm is the second stage, of longer probes: it begins with what the first one found and
// the level above. Where the longer probes say otherwise it goes up or down from there, in
// growing steps, and narrows that down again.
func (s *searchState) confirm(ctx context.Context, found, above float64) (low, high float64, err error) {
	high = math.Inf(1)
	next, steps := found, 1
	for range 2 + mostSteps {
		if low, high, err = s.try(ctx, next, low, high, true); err != nil {
			return low, high, err
		}
		switch {
		case low > 0 && !math.IsInf(high, 1):
			return s.narrow(ctx, low, high, true)
		case low == s.opt.To || high == s.opt.From:
			return low, high, nil
		case low == found && !math.IsInf(above, 1):
			next = above
		case low > 0:
			next, steps = s.scale.beside(low, steps), 2*steps
		default:
			next, steps = s.scale.beside(high, -steps), 2*steps
		}
	}
	return low, high, nil
}

// try decides a level that lies between two others, and takes it in the place of one of them.
func (s *searchState) try(ctx context.Context, level, low, high float64, confirm bool) (float64, float64, error) {
	met, err := s.decide(ctx, level, confirm)
	switch {
	case err != nil:
		return low, high, err
	case met:
		return level, high, nil
	}
	return low, level, nil
}

// decide measures a level until its verdict stands. One clear probe is enough; what is close to a
// limit needs two that agree. So does whether a level can be measured at all that nothing was
// measured below, and what the second stage asks of a level that the first one has decided: there
// the former verdict counts as one.
func (s *searchState) decide(ctx context.Context, level float64, confirm bool) (met bool, err error) {
	votes := map[bool]int{}
	former, decided := s.verdicts[level]
	if confirm && decided {
		votes[former.met]++
	}
	for {
		p, err := s.probe(ctx, level, confirm)
		if err != nil {
			return false, err
		}
		votes[p.Met]++
		doubtful := p.near || !p.Met && level == s.opt.From
		if votes[p.Met] >= 2 || len(votes) == 1 && !doubtful {
			s.verdicts[level] = verdict{p.Met, confirm}
			return p.Met, nil
		}
	}
}

func (s *searchState) probe(ctx context.Context, level float64, confirm bool) (Probe, error) {
	ask := Ask{Number: len(s.probes) + 1, Level: level, Requests: s.requests(level, confirm), Confirm: confirm}
	seen, err := s.measure(ctx, ask)
	if err != nil {
		return Probe{}, err
	}
	if seen.Partial {
		return Probe{}, context.Canceled
	}
	p, err := s.slo.judge(ask, seen, !s.opt.whole())
	if err != nil {
		return p, err
	}
	s.probes = append(s.probes, p)
	s.tell(p)
	return p, nil
}

// result puts together what was found between two levels.
func (s *searchState) result(low, high float64, err error) *Result {
	r := &Result{Options: s.opt, SLO: s.slo, Probes: s.probes, Outcome: Found}
	if !math.IsInf(high, 1) {
		r.Above = high
	}
	if err != nil && low == 0 {
		low = s.bestSoFar()
	}
	for i, p := range s.probes {
		if p.Level == low && p.Met && (p.Confirm || r.Best == nil || !r.Best.Confirm) {
			r.Best = &s.probes[i]
		}
	}
	r.Confirmed = r.Best != nil && r.Best.Confirm
	switch {
	case err != nil:
		r.Outcome = Interrupted
	case r.Best == nil:
		r.Outcome = None
	case r.Above == 0:
		r.Outcome = AtLeast
		r.note("nothing above %s was seen to fail: this is a lower bound", s.opt.Quantity(low))
	case s.onlyClient(r.Above):
		r.Outcome = AtLeast
		r.note("at %s the client could not send so much: this is a lower bound, of the client and not of the server", s.opt.Quantity(r.Above))
	}
	s.notes(r)
	return r
}

// bestSoFar is the largest level that the first stage took for good.
func (s *searchState) bestSoFar() (best float64) {
	for level, v := range s.verdicts {
		if v.met {
			best = max(best, level)
		}
	}
	return best
}

// onlyClient tells whether all that failed at a level is that the client could not send so much.
func (s *searchState) onlyClient(level float64) bool {
	for _, p := range s.probes {
		if p.Level == level && !p.Met && !p.ByClient {
			return false
		}
	}
	return true
}
