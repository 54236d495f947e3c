package find

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"servematrix/metric"
)

// Ask is a measurement that a search wants.
type Ask struct {
	// Number counts the measurements, from 1. Prompts and arrivals should differ with it.
	Number int
	// Level is the request rate, or the number of requests at one time.
	Level float64
	// Requests is how many to send.
	Requests int
	// Confirm says that this one is longer and has the last word.
	Confirm bool
}

// Duration is how long an open loop sends them; 0 for a closed one, where nobody knows.
func (o Options) Duration(a Ask) time.Duration {
	if o.whole() {
		return 0
	}
	return time.Duration(float64(a.Requests) / a.Level * float64(time.Second))
}

// Seen is what a measurement saw.
type Seen struct {
	// Metrics are at least those of the SLO, completed, failed and request_throughput; nil where the
	// client could not send so much at all.
	Metrics *metric.Values
	// Nothing says why nothing could be measured, which meets no SLO: no request succeeded, or none
	// was sent. Empty: something was.
	Nothing string
	// Sent is the request rate with which an open loop really sent.
	Sent float64
	// Rise is by how many seconds the wait of an open loop's requests rises each second (see Trend).
	Rise float64
	// Client says in words why the client may have been the limit; empty: it was not.
	Client []string
	// Partial says that the measurement was cut short.
	Partial bool
}

// Measure measures a server at one level. An error ends the search.
type Measure func(ctx context.Context, a Ask) (Seen, error)

// Probe is one measurement of a search and what it said.
type Probe struct {
	Ask
	Seen
	// Met says that the SLO was met. Why says why not.
	Met bool
	Why []string
	// ByClient says that the only thing amiss is that the client could not send so much.
	ByClient bool

	near bool // close to a limit
}

const (
	// margin is how close to its limit a value is close: it could well fall on the other side next time.
	margin = 0.1
	// mostRise is from what rise on a queue counts as growing: 5 % more requests arrive than are served.
	mostRise = 0.05
	// leastSent is the share of the asked rate that a client has to send.
	leastSent = 0.95
)

// judge tells what a measurement means.
func (s SLO) judge(a Ask, seen Seen, openLoop bool) (Probe, error) {
	p := Probe{Ask: a, Seen: seen}
	if seen.Nothing != "" {
		p.Why, p.ByClient = []string{seen.Nothing}, seen.Metrics == nil
		return p, nil
	}
	worst := 0.0
	check := func(met bool, load float64, why string, args ...any) {
		worst = max(worst, load)
		if !met {
			p.Why = append(p.Why, fmt.Sprintf(why, args...))
		}
	}
	if failed := seen.Metrics.Value("failed"); failed > 0 {
		check(false, math.Inf(1), "%s of %d requests failed", number(failed), a.Requests)
	}
	for _, o := range s {
		value, known := o.value(seen.Metrics)
		if !known {
			return p, fmt.Errorf("%s was not measured: answers of a single token have no TPOT and no ITL, answers that are not streamed no TTFT either, and goodput is what --goodput asks for", o.Metric)
		}
		check(o.met(value), o.load(value), "%s is %s", o.Metric, short(value))
	}
	if openLoop {
		check(seen.Rise <= mostRise, seen.Rise/mostRise, "the queue grows: requests wait %s s longer with each second", short(seen.Rise))
		p.ByClient = len(p.Why) == 0
		unsent := (1 - seen.Sent/a.Level) / (1 - leastSent)
		check(unsent <= 1, unsent, "the client sent only %s req/s", short(seen.Sent))
	}
	p.Met = len(p.Why) == 0
	p.ByClient = p.ByClient && !p.Met
	p.near = worst > 1-margin && worst < 1+margin
	return p, nil
}

// why is what was amiss, on one line.
func (p Probe) why() string { return strings.Join(p.Why, "; ") }

// short writes a measured number with three or four digits.
func short(f float64) string {
	if math.Abs(f) >= 1000 {
		return fmt.Sprintf("%.0f", f)
	}
	return fmt.Sprintf("%.3g", f)
}

// requests is how many requests a probe sends. Of a closed loop nobody knows how long that takes:
// it goes by the throughput of the nearest level that was measured.
func (s *searchState) requests(level float64, confirm bool) int {
	times := 1.0
	if confirm {
		times = 2
	}
	if s.opt.Requests > 0 {
		return s.opt.Requests * int(times)
	}
	want := level * s.opt.Probe.Seconds()
	if s.opt.whole() {
		want = max(rounds*level, s.nearestThroughput(level)*s.opt.Probe.Seconds())
	}
	return int(math.Ceil(times * max(want, float64(s.opt.MinRequests))))
}

// rounds is how many requests each sender of a closed loop sends at least, so that most of a probe
// is neither its beginning nor its end.
const rounds = 5

// nearestThroughput guesses the request throughput at a level from the nearest one that was measured,
// as if it went up with the level; where it does not, the probe takes longer. 0 where nothing is known.
func (s *searchState) nearestThroughput(level float64) float64 {
	if len(s.probes) == 0 {
		return 0
	}
	nearest := slices.MinFunc(s.probes, func(a, b Probe) int {
		return compareDistance(a.Level/level, b.Level/level)
	})
	return nearest.Metrics.Value("request_throughput") * level / nearest.Level
}

func compareDistance(a, b float64) int {
	switch a, b = math.Abs(math.Log(a)), math.Abs(math.Log(b)); {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}
