package progress

import (
	"iter"
	"time"

	"servematrix/journal"
	"servematrix/matrix"
)

// History holds how long the phases of former runs took, by the identities of
// their servers and clients.
type History struct {
	seen  times
	Runs  int // runs that told something of the plan in question
	plan  *matrix.Plan
	known map[string]bool
}

// NewHistory makes an empty history that listens for what concerns plan.
func NewHistory(plan *matrix.Plan) *History {
	h := &History{seen: newTimes(), plan: plan, known: map[string]bool{}}
	for _, s := range plan.Servers {
		h.known[s.ID] = true
	}
	for _, c := range plan.Clients {
		h.known[c.ID] = true
	}
	return h
}

// Learn takes in a former run: its plan and its events.
func (h *History) Learn(former *matrix.Plan, events iter.Seq2[journal.Event, error]) {
	t := newTracker(former, nil)
	for e, err := range events {
		if err != nil {
			break // what is known so far counts
		}
		t.apply(e)
	}
	told := false
	for _, p := range []struct{ from, to *group }{{&t.seen.start, &h.seen.start}, {&t.seen.warmup, &h.seen.warmup}, {&t.seen.client, &h.seen.client}, {&t.seen.stop, &h.seen.stop}} {
		for id, values := range p.from.by {
			if !h.known[id] {
				continue
			}
			told = true
			for _, v := range values {
				p.to.add(id, v)
			}
		}
	}
	if told {
		h.Runs++
	}
}

// Launches says how long so many launches of each server, by id, take apart from
// their clients: start, stop and cooldown, the medians of the same server where it
// was seen, else of the plan's others. False: no start is known.
func (h *History) Launches(n map[string]int) (time.Duration, bool) {
	var sum span
	for id, launches := range n {
		one, ok := h.seen.launch(id, h.plan)
		if !ok {
			return 0, false
		}
		sum = sum.plus(one, float64(launches))
	}
	return seconds(sum.mid), true
}

// Estimate says how long the whole plan may take. False: too little is known.
func (h *History) Estimate() (low, high time.Duration, ok bool) {
	if h.Runs == 0 {
		return 0, 0, false // asked of large plans too: it must cost nothing
	}
	t := newTracker(h.plan, nil)
	t.seen = h.seen
	blocks := max(h.plan.Run.Blocks, 1)
	for _, c := range h.plan.Cells {
		t.want(c, blocks)
	}
	t.stale = true
	return t.remaining(0)
}
