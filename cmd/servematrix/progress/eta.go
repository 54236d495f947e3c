package progress

import (
	"slices"
	"time"

	"servematrix/matrix"
)

// load counts the units that are left, by server and by client.
type load struct{ servers, clients map[string]int }

// times holds the seconds that each phase took where it went well.
type times struct{ start, warmup, client, stop group }

// group holds observations by the server or client that they belong to.
type group struct {
	by    map[string][]float64
	all   []float64
	whole span // of all, as long as there are no more than known
	known int
}

func newTimes() times {
	g := func() group { return group{by: map[string][]float64{}} }
	return times{g(), g(), g(), g()}
}

func (g *group) add(id string, s float64) {
	g.by[id] = append(g.by[id], s)
	g.all = append(g.all, s)
}

// over gives the extremes and the median of all.
func (g *group) over() span {
	if g.known < len(g.all) {
		slices.Sort(g.all)
		g.known = len(g.all)
		g.whole = span{g.all[0], quantile(g.all, 0.5), g.all[g.known-1]}
	}
	return g.whole
}

// span is an estimate in seconds: a low, a middling and a high one.
type span struct{ low, mid, high float64 }

func (s span) plus(o span, n float64) span {
	return span{s.low + n*o.low, s.mid + n*o.mid, s.high + n*o.high}
}

// of estimates a phase: the median and the quartiles of the same server or
// client, the extremes where there are few observations; over all others where
// there are none of its own. False: nothing is known yet.
func (g *group) of(id string) (span, bool) {
	v := slices.Sorted(slices.Values(g.by[id]))
	switch {
	case len(g.all) == 0:
		return span{}, false
	case len(v) == 0:
		return g.over(), true
	case len(v) < 4:
		return span{v[0], quantile(v, 0.5), v[len(v)-1]}, true
	}
	return span{quantile(v, 0.25), quantile(v, 0.5), quantile(v, 0.75)}, true
}

// quantile interpolates linearly between the closest ranks of sorted values (numpy's default).
func quantile(sorted []float64, q float64) float64 {
	h := q * float64(len(sorted)-1)
	i := int(h)
	if i+1 >= len(sorted) {
		return sorted[len(sorted)-1]
	}
	return sorted[i] + (h-float64(i))*(sorted[i+1]-sorted[i])
}

// least is the relative half width that an estimate always has: less would
// claim more than two or three equal times can show.
const least = 0.05

// launch estimates what one launch of a server takes apart from its clients:
// start, stop and the cooldown after it. False: no start was seen yet.
func (s *times) launch(id string, plan *matrix.Plan) (span, bool) {
	start, ok := s.start.of(id)
	if !ok {
		return span{}, false
	}
	stop, _ := s.stop.of(id) // the first stop comes late; until then it counts for nothing
	pause := time.Duration(plan.Run.Cooldown).Seconds()
	return start.plus(stop, 1).plus(span{pause, pause, pause}, 1), true
}

// remaining estimates the time from now to the end. False: a phase that is
// still to come was never seen yet. now is since the session began.
func (t *tracker) remaining(now time.Duration) (low, high time.Duration, ok bool) {
	if t.stale {
		t.work, t.known = t.estimate()
		t.stale = false
	}
	past := t.past(now)
	lo := min(t.work.low, t.work.mid*(1-least)) - past
	hi := max(t.work.high, t.work.mid*(1+least)) - past
	return seconds(max(lo, 0)), seconds(max(hi, 0)), t.known
}

// estimate adds up the whole work that is left, the unit in hand included.
func (t *tracker) estimate() (sum span, ok bool) {
	for id, units := range t.left.servers {
		if units <= 0 {
			continue
		}
		launch, ok := t.seen.launch(id, t.plan)
		if !ok {
			return span{}, false
		}
		sum = sum.plus(launch, float64(t.launches(id, units)))
	}
	for id, units := range t.left.clients {
		if units <= 0 {
			continue
		}
		run, ok := t.seen.client.of(id)
		if !ok {
			return span{}, false
		}
		sum = sum.plus(run, float64(units)).plus(t.warming(id, run), float64(units*t.warmups(id)))
	}
	return sum, true
}

// past is the part of the launch and the unit in hand that is over already. A
// phase that takes longer than it should eats nothing of the ones after it.
func (t *tracker) past(now time.Duration) float64 {
	last := t.state.Last()
	if last == nil || t.phase == phaseNone {
		return 0
	}
	server := last.Launch.Server
	if t.phase == phaseStop { // of a launch that counts no more
		stop, _ := t.seen.stop.of(server)
		return min((now-t.since).Seconds()-stop.mid, 0)
	}
	start, _ := t.seen.start.of(server)
	if t.phase == phaseStart || t.phase == phaseReady {
		return min((now - t.launched).Seconds(), start.mid)
	}
	if s := t.servers[server]; t.phase == phaseIdle && t.settled(t.unit) != "" && (s == nil || s.Isolation != "launch") {
		return 0 // its one cell is measured: it counts no more
	}
	return min(t.readyIn.Seconds(), start.mid) + t.pastOfUnit(now)
}

// pastOfUnit is the part of the unit in hand that is over.
func (t *tracker) pastOfUnit(now time.Duration) float64 {
	if t.phase != phaseWarmup && t.phase != phaseBench {
		return 0
	}
	id := t.cells[t.unit.Cell].Client
	run, _ := t.seen.client.of(id)
	warm := t.warming(id, run).mid * float64(t.warmups(id))
	here := (now - t.since).Seconds()
	if t.phase == phaseWarmup {
		return min(t.took(phaseWarmup).Seconds()+here, warm)
	}
	return warm + min(here, run.mid)
}

// warming estimates one warm-up of a client, which takes as long as its run until one was seen.
func (t *tracker) warming(id string, run span) span {
	if warm, ok := t.seen.warmup.of(id); ok {
		return warm
	}
	return run
}

func (t *tracker) warmups(id string) int {
	if c := t.clients[id]; c != nil {
		return c.Warmup
	}
	return 0
}

// launches estimates the starts of a server that units more units need.
func (t *tracker) launches(id string, units int) int {
	if s := t.servers[id]; s == nil || s.Isolation != "launch" {
		return units
	}
	each := t.perServer[id]
	return (units + each - 1) / max(each, 1)
}
