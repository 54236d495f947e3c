package bench

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"servematrix/bench/dataset"
	"servematrix/bench/find"
	"servematrix/bench/tally"
	"servematrix/bench/wire"
)

// MarshalJSON gives the measurement as one object: the contract's metrics by name at the top
// level, null where unknown or not finite, then client, version, simulated, partial, what the
// client itself was busy with, errors and the configuration; with OutputDetails also lists with an
// element per request, in the order of sending.
func (s *Summary) MarshalJSON() ([]byte, error) {
	metrics, err := s.Metrics.MarshalJSON()
	if err != nil {
		return nil, err
	}
	rest, err := json.Marshal(besides{
		"servematrix bench", version(), time.Now().UTC().Format(time.RFC3339), s.Options.Tag, s.Simulated, s.Partial, s.Reason,
		append([]string{}, s.Bottleneck...), s.effort, s.allSent(), s.Errors, s.tally.Retries(), s.config(), s.Find.Report(), s.details(),
	})
	if err != nil {
		return nil, err
	}
	return bytes.Join([][]byte{bytes.TrimSuffix(metrics, []byte("}")), bytes.TrimPrefix(rest, []byte("{"))}, []byte(",")), nil
}

// besides is what the line of the output file holds behind the metrics.
type besides struct {
	Client    string `json:"client"`
	Version   string `json:"version"`
	Time      string `json:"time"`
	Tag       string `json:"tag,omitempty"`
	Simulated bool   `json:"simulated"`
	Partial   bool   `json:"partial"`
	// Reason says why it is partial.
	Reason string `json:"partial_reason,omitempty"`
	// Bottleneck says in words why the numbers may be the client's own limit.
	Bottleneck []string `json:"client_bottleneck"`
	Effort     effort   `json:"client_effort"`
	// AllSent is when the last of requests that are all sent at once was, in seconds since the beginning.
	AllSent *float64           `json:"all_sent_s,omitempty"`
	Errors  []tally.ErrorClass `json:"errors"`
	// Retries are requests that were sent anew, since a kept connection had been closed.
	Retries int    `json:"retries"`
	Config  config `json:"config"`
	// Find is the search of which this is the best measurement.
	Find *find.Report `json:"find,omitempty"`
	*details
}

// config is what was asked for. Values of headers may be secrets: only names are kept.
type config struct {
	Backend string `json:"backend"`
	BaseURL string `json:"base_url"`
	Model   string `json:"model"`
	dataset.Description
	Seed             uint64   `json:"seed"`
	RequestRate      string   `json:"request_rate"`
	Burstiness       string   `json:"burstiness,omitempty"`
	MaxConcurrency   int      `json:"max_concurrency,omitempty"`
	WarmupRequests   int      `json:"warmup_requests"`
	IgnoreEOS        bool     `json:"ignore_eos"`
	Stream           bool     `json:"stream"`
	HTTP2            bool     `json:"http2,omitempty"`
	Insecure         bool     `json:"insecure,omitempty"`
	FlushCache       bool     `json:"flush_cache"`
	TimeoutS         float64  `json:"timeout_s"`
	Headers          []string `json:"headers,omitempty"`
	ExtraRequestBody string   `json:"extra_request_body,omitempty"`
	Percentiles      string   `json:"percentiles"`
	Goodput          string   `json:"goodput,omitempty"`
	Definitions      string   `json:"definitions"`
}

func (s *Summary) config() config {
	o, d, l, w := s.Options, s.Options.Dataset, s.Options.Load, s.Options.Wire
	c := config{
		Backend: w.Backend, BaseURL: w.ShownURL(), Model: w.Model, Description: d.Describe(),
		Seed: o.Seed, RequestRate: s.rate(), MaxConcurrency: l.MaxConcurrency,
		WarmupRequests: o.WarmupRequests, IgnoreEOS: !w.DisableIgnoreEOS, Stream: !w.DisableStream, HTTP2: w.HTTP2, Insecure: w.Insecure, FlushCache: o.FlushCache,
		TimeoutS: w.Timeout.Seconds(), Headers: w.HeaderNames(), ExtraRequestBody: w.ExtraRequestBody, Percentiles: o.Tally.Percentiles,
		Goodput: o.Tally.Goodput.String(), Definitions: o.Tally.Definitions,
	}
	if !s.timed && l.Burstiness != 1 {
		c.Burstiness = pythonFloat(l.Burstiness)
	}
	return c
}

// rate says at which rate requests were sent, as the clients write it: inf, 20.0, trace.
func (s *Summary) rate() string {
	switch l := s.Options.Load; {
	case s.timed:
		return "trace"
	case l.RampUpStrategy != "":
		return fmt.Sprintf("%s to %s (%s)", pythonFloat(l.RampUpStartRPS), pythonFloat(l.RampUpEndRPS), l.RampUpStrategy)
	default:
		return pythonFloat(l.RequestRate)
	}
}

// details are lists with an element per request, named and in seconds as both Python clients have
// them. A request that failed has null for what was not measured, and no output: both clients write 0
// there, so that output_lens and total_output_tokens agree.
type details struct {
	InputLens  []int       `json:"input_lens,omitempty"`
	OutputLens []int       `json:"output_lens,omitempty"`
	TTFTs      []*float64  `json:"ttfts,omitempty"`
	ITLs       [][]float64 `json:"itls,omitempty"`
	Latencies  []*float64  `json:"latencies,omitempty"`
	StartTimes []float64   `json:"start_times,omitempty"`
	// Failures are why requests failed, "" for one that did not.
	Failures []string `json:"request_errors,omitempty"`
}

func (s *Summary) details() *details {
	if !s.Options.OutputDetails {
		return nil
	}
	d := &details{}
	for _, r := range s.records {
		d.add(r, !s.Options.Wire.DisableStream)
	}
	return d
}

func (d *details) add(r *wire.Record, stream bool) {
	gaps, failure, output := []float64{}, "", r.Output
	var ttft, e2e *float64
	switch {
	case r.Failed != nil:
		failure, output = r.Failed.Class+": "+r.Failed.Message, 0
	case stream:
		ttft = seconds(r.TTFT)
		fallthrough
	default:
		e2e = seconds(r.E2E)
	}
	for _, gap := range r.Gaps {
		gaps = append(gaps, gap.Seconds())
	}
	d.InputLens, d.OutputLens = append(d.InputLens, r.Input), append(d.OutputLens, output)
	d.TTFTs, d.ITLs, d.Latencies = append(d.TTFTs, ttft), append(d.ITLs, gaps), append(d.Latencies, e2e)
	d.StartTimes, d.Failures = append(d.StartTimes, r.Start.Seconds()), append(d.Failures, failure)
}

func seconds(d time.Duration) *float64 {
	s := d.Seconds()
	return &s
}

// appendJSON appends the JSON line to the output file, in one write.
func (s *Summary) appendJSON() (err error) {
	path := s.Options.OutputFile
	if path == "" {
		return nil
	}
	line, err := json.Marshal(s)
	if err != nil {
		return fmt.Errorf("cannot encode the result: %w", err)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return fmt.Errorf("cannot write --output-file: %w", err)
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return fmt.Errorf("cannot write --output-file: %w", err)
	}
	defer func() {
		if closeErr := f.Close(); err == nil && closeErr != nil {
			err = fmt.Errorf("cannot write --output-file: %w", closeErr)
		}
	}()
	if _, err := f.Write(append(line, '\n')); err != nil {
		return fmt.Errorf("cannot write --output-file: %w", err)
	}
	return nil
}
