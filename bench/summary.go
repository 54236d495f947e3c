package bench

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
	"time"

	"servematrix/bench/dataset"
	"servematrix/bench/find"
	"servematrix/bench/tally"
	"servematrix/bench/wire"
	"servematrix/metric"
)

// Summary is a whole measurement.
type Summary struct {
	// Options are those used, defaults filled in.
	Options Options
	// Metrics are the numbers by their contract names; what was not measured is absent.
	Metrics *metric.Values
	// Errors are the failed requests by class.
	Errors []tally.ErrorClass
	// Simulated says that the server called itself simulated.
	Simulated bool
	// Partial says that the measurement was cut short; the numbers are of what had ended by then.
	Partial bool
	// Reason says why it is partial: "interrupted", or what kept the dataset from being read.
	Reason string
	// Bottleneck says in words why the numbers may be the client's own limit; empty: they are not.
	Bottleneck []string
	// Find is the search that this is the best measurement of; nil where nothing was searched for.
	Find *find.Result

	prompts   int   // requests asked for
	timed     bool  // by the dataset's own times
	unwritten error // what kept --output-requests from being written
	tally     *tally.Tally
	effort    effort
	mu        sync.Mutex
	atOnce    bool           // all is due when the run begins, and nothing holds it back
	lastSent  time.Duration  // of what was due then
	records   []*wire.Record // kept for --output-details only
}

func newSummary(opt Options, set *dataset.Set) *Summary {
	return &Summary{
		Options: opt, prompts: set.Count, timed: set.Timed,
		atOnce: !opt.Load.Scheduled(set) && opt.Load.MaxConcurrency == 0,
		tally:  tally.New(opt.Tally, !opt.Wire.DisableStream, opt.Load.Scheduled(set)),
	}
}

// add counts a request that has ended, and keeps it only for --output-details.
func (s *Summary) add(r *wire.Record) {
	s.tally.Add(r)
	s.mu.Lock()
	defer s.mu.Unlock()
	if r.Intended == 0 {
		s.lastSent = max(s.lastSent, r.Start)
	}
	if !s.Options.OutputDetails {
		r.Release()
		return
	}
	s.records = append(s.records, r)
}

// allSent is when the last request was sent of a run that sends all at once, in seconds since its
// beginning: what the client took to put its load on the server. nil of other runs.
func (s *Summary) allSent() *float64 {
	if !s.atOnce {
		return nil
	}
	return seconds(s.lastSent)
}

// interrupted is why a measurement is partial that ctx ended.
const interrupted = "interrupted"

// cut tells whether the load ended before all requests had, and why.
func (s *Summary) cut(ctx context.Context, set *dataset.Set) {
	ended := s.tally.Count()
	switch {
	case ctx.Err() != nil && ended < set.Count:
		s.Reason = interrupted
	case set.Err() != nil:
		s.Reason = set.Err().Error()
	case ended < set.Count:
		s.Reason = fmt.Sprintf("the dataset gave only %d of its %d prompts: its file has changed since it was opened", ended, set.Count)
	}
	s.Partial = s.Reason != ""
}

// few says that fewer than half of the requests that ended were served; "" where more were, or none.
func (s *Summary) few() string {
	served, ended := s.Metrics.Value("completed"), s.tally.Count()
	if served == 0 || 2*served >= float64(ended) {
		return ""
	}
	return fmt.Sprintf("only %.0f of %d requests were served: the numbers are of these", served, ended)
}

// deliver appends the line to the output file and then prints the block: nobody may read stdout any
// more. An error means that the result is not where it was asked for; with an output file it is no
// error that the block could not be printed.
func (s *Summary) deliver(stdout, stderr io.Writer) error {
	unwritten := s.appendJSON()
	if s.Find != nil {
		s.Find.Write(stdout)
	}
	unprinted := s.WriteText(stdout)
	switch {
	case unprinted == nil:
		return unwritten
	case unwritten == nil && s.Options.OutputFile != "":
		fmt.Fprintf(stderr, "servematrix bench: cannot print the result, which stands in %s: %v\n", s.Options.OutputFile, unprinted)
		return nil
	}
	return errors.Join(unwritten, fmt.Errorf("cannot print the result: %w", unprinted))
}

// end computes the metrics of a run that lasted duration and took the client an effort.
func (s *Summary) end(duration time.Duration, effort effort) {
	s.Errors = s.tally.Errors()
	s.Metrics = s.tally.Metrics(duration)
	s.Metrics.Set("num_prompts", float64(s.prompts))
	if l := s.Options.Load; !s.timed && l.RampUpStrategy == "" {
		s.Metrics.Set("request_rate", l.RequestRate) // infinite where there was none, which JSON shows as null
	}
	if s.Options.Load.MaxConcurrency > 0 {
		s.Metrics.Set("max_concurrency", float64(s.Options.Load.MaxConcurrency))
	}
	s.effort = effort
	s.Bottleneck = effort.bottleneck(s.Metrics, s.Options.Load.MaxConcurrency > 0)
	slices.SortFunc(s.records, func(a, b *wire.Record) int { return cmp.Compare(a.Start, b.Start) })
}
