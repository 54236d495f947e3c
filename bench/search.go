package bench

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"sync"
	"time"

	"servematrix/bench/dataset"
	"servematrix/bench/find"
	"servematrix/bench/pasted"
	"servematrix/bench/wire"
)

// exitNotMet is that of a search that found no load which meets the SLO.
const exitNotMet = 4

// runSearch is Run for a search. Of what it measures it prints the plan, a line for each probe, what
// was found, and the text block of the best probe, which also goes to the output file.
func runSearch(ctx context.Context, opt Options, stdout io.Writer, stderr *console) int {
	fail := func(err error) { fmt.Fprintf(stderr, "servematrix bench: %v\n", err) }
	resolved, err := opt.resolve()
	if err != nil {
		fail(err)
		return exitUsage
	}
	resolved.tellUnread(stderr)
	resolved.announce(stdout)
	search := opt.searched()
	search.WritePlan(stdout)
	s := &searcher{opt: opt, stderr: stderr, seen: map[int]*Summary{}}
	found, err := find.Search(ctx, search, s.measure, find.NewTable(stdout, search).Add)
	if s.last == nil { // nothing was measured
		fail(told(ctx, err))
		return exitCode(ctx, err)
	}
	best := s.best(found)
	if failed := best.deliver(stdout, stderr); failed != nil {
		fail(failed)
		return exitFailed
	}
	switch {
	case err != nil:
		fail(fmt.Errorf("the search was cut short: %w", told(ctx, err)))
		return exitCode(ctx, err)
	case found.Outcome == find.None:
		fail(errors.New(found.Sentence()))
		return exitNotMet
	}
	return exitOK
}

// searched are the options of the search: how many requests a probe sends can be given as of any benchmark.
func (o Options) searched() find.Options {
	f := o.Find
	f.Requests = o.Dataset.NumPrompts
	return f
}

// checkSearch tells what contradicts a search.
func (o Options) checkSearch() error {
	if err := o.Find.Check(); err != nil || !o.Find.Active() {
		return err
	}
	switch {
	case !math.IsInf(o.Load.RequestRate, 1):
		return fmt.Errorf("--find %s: --request-rate contradicts it; a search begins at --find-from and goes up to --find-to", o.Find.Goal)
	case o.Load.MaxConcurrency > 0:
		return fmt.Errorf("--find %s: --max-concurrency contradicts it; a search begins at --find-from and goes up to --find-to", o.Find.Goal)
	case o.traced():
		return fmt.Errorf("--find %s: a trace's own times contradict it; give --use-trace-timestamps=false", o.Find.Goal)
	case o.Load.RampUpStrategy != "":
		return fmt.Errorf("--find %s: --ramp-up-strategy contradicts it; each probe has a rate of its own", o.Find.Goal)
	case o.OutputRequests != "":
		return fmt.Errorf("--find %s: --output-requests contradicts it; a search sends many times, and keeps the numbers of each probe", o.Find.Goal)
	case o.Find.NeedsGoodput() && !o.Tally.Goodput.Asked():
		return fmt.Errorf("--slo %s: say with --goodput what a good request is, such as --goodput ttft:500", o.Find.SLO)
	case o.Wire.DisableStream && o.Find.NeedsStream():
		return fmt.Errorf("--slo %s: with --disable-stream only E2E latencies are measured", o.Find.SLO)
	}
	return nil
}

// searcher measures what a search asks for.
type searcher struct {
	opt    Options
	stderr *console
	seen   map[int]*Summary // of the probes that sent something, by their number
	last   *Summary
}

// measure is one probe. Each has prompts and arrivals of its own, so that no cache knows the
// prompts and repeated probes differ by chance.
func (s *searcher) measure(ctx context.Context, a find.Ask) (find.Seen, error) {
	opt := s.opt
	opt.Find, opt.Pasted = find.Options{}, pasted.Flags{} // what these had to say has been said
	opt.Tally.Percentiles = withPercentiles(opt.Tally.Percentiles, s.opt.Find.SLO)
	opt.Seed += uint64(a.Number - 1)
	opt.Dataset.NumPrompts = a.Requests
	if opt.Dataset.Name == dataset.SharedPrefix {
		opt.Dataset.NumPrompts, opt.Dataset.GSPMost = 0, a.Requests
		opt.Dataset.GSPPromptsPerGroup = (a.Requests + opt.Dataset.GSPNumGroups - 1) / opt.Dataset.GSPNumGroups
	}
	if s.opt.Find.Goal == find.MaxRate {
		opt.Load.RequestRate, opt.Load.Exact = a.Level, a.Requests
	} else {
		opt.Load.MaxConcurrency = int(a.Level)
	}
	if s.last != nil {
		opt.Wire.Model, opt.WarmupRequests = s.last.Options.Wire.Model, 0
		opt.Dataset.Tokenizer = s.last.Options.Dataset.Tokenizer // "" where the first probe said that there is none
	}
	w := &wait{stream: !opt.Wire.DisableStream, from: s.opt.Find.Duration(a) / 3, level: a.Level}
	summary, err := shown(ctx, opt, io.Discard, s.stderr, w.add)
	if _, unable := errors.AsType[tooMany](err); unable && s.last != nil {
		return find.Seen{Nothing: err.Error()}, nil
	}
	if err != nil {
		return find.Seen{}, err
	}
	if summary.Partial && summary.Reason != interrupted {
		return find.Seen{}, errors.New(summary.Reason)
	}
	if summary.gone() {
		return find.Seen{}, fmt.Errorf("at %s no request succeeded%s", s.opt.Find.Quantity(a.Level), firstError(summary))
	}
	s.last, s.seen[a.Number] = summary, summary
	if summary.Metrics.Value("completed") == 0 && !summary.Partial {
		return find.Seen{Metrics: summary.Metrics, Nothing: "no request succeeded" + firstError(summary), Client: summary.Bottleneck}, nil
	}
	return find.Seen{Metrics: summary.Metrics, Sent: w.sent(), Rise: w.rise(), Client: summary.Bottleneck, Partial: summary.Partial}, nil
}

// gone tells of a server that nobody can reach any more, which says nothing about its limit. One that
// is overloaded answers with an error or not in time.
func (s *Summary) gone() bool {
	return s.Metrics.Value("completed") == 0 && len(s.Errors) == 1 && s.Errors[0].Class == wire.Refused
}

func firstError(s *Summary) string {
	if len(s.Errors) == 0 {
		return ""
	}
	return fmt.Sprintf(" (%s: %s)", s.Errors[0].Class, s.Errors[0].Examples[0])
}

// best is the measurement that stands for the search: that of the level found, else the last one.
func (s *searcher) best(found *find.Result) *Summary {
	best := s.last
	if found.Best != nil {
		best = s.seen[found.Best.Number]
		name := "max_request_rate"
		if s.opt.Find.Goal == find.MaxConcurrency {
			name = "max_concurrency_found"
		}
		best.Metrics.Set(name, found.Level())
	}
	if s.opt.Dataset.DatasetPath != "" && !s.opt.FlushCache {
		found.Notes = append(found.Notes, "each probe sends prompts of the same file, which a prefix cache may know by then: --flush-cache empties it before each")
	}
	best.Find = found
	if best.Partial = found.Outcome == find.Interrupted; best.Partial {
		best.Reason = interrupted
	}
	return best
}

// wait watches an open loop: whether requests wait longer and longer, for the server or for the
// client. The first third of a probe, in which the server fills up, does not count.
type wait struct {
	stream bool
	from   time.Duration
	level  float64

	mu           sync.Mutex
	server, send find.Trend
}

func (w *wait) add(r *wire.Record) {
	if r.Failed != nil || r.Intended < w.from {
		return
	}
	took := r.TTFT
	if !w.stream {
		took = r.E2E
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.server.Add(r.Start, took)
	w.send.Add(r.Intended, r.Start-r.Intended)
}

// rise is by how much waiting for the server rises each second.
func (w *wait) rise() float64 { return w.server.Rise() }

// sent is the rate at which requests left: where each is later than the one before, they are fewer.
func (w *wait) sent() float64 { return w.level / (1 + max(w.send.Rise(), 0)) }

// withPercentiles adds those that an SLO asks for to a list.
func withPercentiles(list, slo string) string {
	objectives, _ := find.ParseSLO(slo) // checked
	have := strings.Split(list, ",")
	for _, p := range objectives.Percentiles() {
		if !slices.Contains(have, p) {
			have = append(have, p)
		}
	}
	return strings.Join(have, ",")
}
