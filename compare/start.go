package compare

import (
	"cmp"
	"math"
	"slices"

	"servematrix/metric"
	"servematrix/result"
)

// start is one server start that measured a cell: a block of a source. Block 0 holds all samples
// of the source of which no block is known.
type start struct {
	source, block int
	samples       []measured // the valid ones of its last attempt; more than one only where no attempt is known
}

// tally is what an arm of a pair has.
type tally struct {
	starts []start // valid ones, by source and block
	lost   Lost
}

// Lost are the blocks of a cell that no average takes in, by what the last attempt was.
type Lost struct {
	Invalid, Failed, Skipped int
	// Why names each reason or failure class once.
	Why []string
}

// Total is how many blocks were lost.
func (l Lost) Total() int { return l.Invalid + l.Failed + l.Skipped }

func (l *Lost) add(s *result.Sample) {
	why := ""
	switch s.Status {
	case result.StatusInvalid:
		l.Invalid++
		if s.Validity != nil {
			for _, r := range s.Validity.Reasons {
				if r.Severity == result.SeverityError || why == "" {
					why = r.Reason
				}
			}
		}
	case result.StatusSkipped:
		l.Skipped++
	default:
		l.Failed++
	}
	if s.Failure != nil {
		why = s.Failure.Class
	}
	if why != "" && !slices.Contains(l.Why, why) {
		l.Why = append(l.Why, why)
	}
}

// tallyOf finds the starts of cells: of each block the last valid attempt; a block without one is
// lost. All samples of one source whose block is unknown are one start, whichever of the cells they
// belong to: nobody knows that the server was started anew between them.
func tallyOf(cells []*cell) tally {
	var t tally
	for _, c := range cells {
		starts, lost := c.starts()
		for _, s := range starts {
			at := -1
			if s.block == 0 {
				at = slices.IndexFunc(t.starts, func(o start) bool { return o.source == s.source && o.block == 0 })
			}
			if at >= 0 {
				t.starts[at].samples = append(t.starts[at].samples, s.samples...)
			} else {
				t.starts = append(t.starts, s)
			}
		}
		for _, m := range lost {
			t.lost.add(m.Sample)
		}
	}
	slices.SortStableFunc(t.starts, func(a, b start) int {
		return cmp.Or(cmp.Compare(a.source, b.source), cmp.Compare(a.block, b.block))
	})
	return t
}

// starts gives a cell's starts, and the last sample of each block that has no valid one. Of
// samples without block and attempt nobody knows which takes the place of which: each of them
// that is not valid is lost.
func (c *cell) starts() (starts []start, lost []measured) {
	for _, m := range c.samples {
		of := func(l measured) bool { return l.Block == m.Block && (l.Block > 0 || l.Attempt > 0 && m.Attempt > 0) }
		at := slices.IndexFunc(starts, func(s start) bool { return s.block == m.Block })
		before := slices.IndexFunc(lost, of)
		switch {
		case m.Status == result.StatusOK && at < 0:
			starts = append(starts, start{c.source, m.Block, []measured{m}})
		case m.Status == result.StatusOK && m.Attempt == starts[at].samples[0].Attempt:
			starts[at].samples = append(starts[at].samples, m)
		case m.Status == result.StatusOK:
			starts[at].samples = []measured{m}
		case at >= 0 && of(starts[at].samples[0]):
			continue // a valid attempt stays
		case before >= 0:
			lost[before] = m
		default:
			lost = append(lost, m)
		}
		if m.Status == result.StatusOK && before >= 0 {
			lost = slices.Delete(lost, before, before+1)
		}
	}
	return starts, lost
}

// value is the mean of a metric over the samples of a start; false where one lacks it.
func (s start) value(name string) (float64, bool) {
	sum := 0.0
	for _, m := range s.samples {
		v, ok := m.Metrics.Get(name)
		if !ok {
			return math.NaN(), false
		}
		sum += v
	}
	return sum / float64(len(s.samples)), true
}

// values gives a metric's value of each start that has it.
func values(starts []start, name string) []float64 {
	out := make([]float64, 0, len(starts))
	for _, s := range starts {
		if v, ok := s.value(name); ok {
			out = append(out, v)
		}
	}
	return out
}

// common gives those starts of both arms that belong to one block, in one order.
func common(a, b []start) (x, y []start) {
	for _, s := range a {
		for _, o := range b {
			if s.source == o.source && s.block == o.block {
				x, y = append(x, s), append(y, o)
			}
		}
	}
	return x, y
}

// facing gives the starts to set against one another: those of common blocks where the arms were
// mixed in time, else all.
func facing(base, with []start) (x, y []start, paired bool) {
	if x, y = common(base, with); len(x) > 0 && !apart(base, with) {
		return x, y, true
	}
	return base, with, false
}

// apart tells that all starts of one arm came before the first of the other, in each source: then
// a block's two starts have nothing in common but a number. One start each tells nothing.
func apart(a, b []start) bool {
	if len(a) < 2 || len(b) < 2 {
		return false
	}
	low, high := span(a)
	from, to := span(b)
	return before(high, from) || before(to, low)
}

// moment is a place in time: a source, and a sample's number in it.
type moment struct{ source, at int }

func before(a, b moment) bool {
	return a.source < b.source || a.source == b.source && a.at < b.at
}

func span(starts []start) (first, last moment) {
	for i, s := range starts {
		m := moment{s.source, s.samples[0].at}
		if i == 0 || before(m, first) {
			first = m
		}
		if i == 0 || before(last, m) {
			last = m
		}
	}
	return first, last
}

// usual are the metrics that a comparison looks at besides the primary one.
var usual = []string{
	"output_throughput", "total_throughput", "input_throughput", "request_throughput",
	"mean_ttft_ms", "p99_ttft_ms", "mean_tpot_ms", "p99_tpot_ms", "mean_itl_ms", "p99_itl_ms", "mean_e2e_latency_ms", "p99_e2e_latency_ms",
}

// Usual gives the metrics that are compared by default, besides the primary one.
func Usual() []string { return slices.Clone(usual) }

// CheckMetric tells of a metric that cannot be judged: an unknown one, or one that is neither
// good nor bad.
func CheckMetric(name string) error {
	info, ok := metric.Lookup(name)
	if !ok {
		return usage("metrics are named as in results.jsonl: output_throughput, mean_ttft_ms, p99_ttft_ms …", "there is no metric %q", name)
	}
	if info.Better == metric.Neutral {
		return usage("", "%s describes the load: more of it is neither better nor worse", name)
	}
	return nil
}
