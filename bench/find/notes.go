package find

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

func (r *Result) note(format string, args ...any) {
	r.Notes = append(r.Notes, fmt.Sprintf(format, args...))
}

// notes says what a reader has to know of the probes.
func (s *searchState) notes(r *Result) {
	if low, high, violated := s.disorder(); violated {
		r.note("%s failed, but the larger %s met the SLO: the search assumes that this does not happen, so there can be a larger level that meets it", s.opt.Quantity(low), s.opt.Quantity(high))
	}
	for _, level := range slices.Sorted(maps.Keys(s.verdicts)) {
		met, all := 0, 0
		for _, p := range s.probes {
			if p.Level == level {
				all++
				if p.Met {
					met++
				}
			}
		}
		if met > 0 && met < all {
			r.note("at %s %d of %d probes met the SLO: results are not steady there", s.opt.Quantity(level), met, all)
		}
	}
	for _, p := range s.probes {
		if p.Level == r.Above && !p.Met && len(p.Client) > 0 {
			r.note("at %s the client may have been the limit, and the server may do more: %s", s.opt.Quantity(p.Level), strings.Join(p.Client, "; "))
			break
		}
	}
	if r.Best == nil {
		return
	}
	if sent := r.Best.Metrics.Value("completed") + r.Best.Metrics.Value("failed"); sent < float64(r.Best.Requests) {
		r.note("the dataset has only %s prompts: probes were shorter than they should be", number(sent))
	}
	latency := time.Duration(r.Best.Metrics.Value("mean_e2e_latency_ms") * float64(time.Millisecond))
	if sending := s.opt.Duration(r.Best.Ask); sending > 0 && latency > sending/3 {
		r.note("a request takes %v, and a probe sends for %v only: it hardly gets steady; give a longer --find-probe", latency.Round(100*time.Millisecond), sending.Round(100*time.Millisecond))
	}
}

// disorder looks for a level that failed below one that met the SLO. A short probe that met it says
// nothing against a longer one that failed.
func (s *searchState) disorder() (failed, met float64, found bool) {
	for low, below := range s.verdicts {
		for high, above := range s.verdicts {
			against := low < high && !below.met && above.met && (above.long || !below.long)
			if against && (!found || low < failed || low == failed && high > met) {
				failed, met, found = low, high, true
			}
		}
	}
	return failed, met, found
}
