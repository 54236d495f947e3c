package bench

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"servematrix/bench/dataset"
	"servematrix/bench/tally"
)

// MarshalJSON gives the measurement as one object: the contract's metrics by name at the top
// level, null where unknown or not finite, then client, version, simulated, partial, errors and
// the configuration; with OutputDetails also lists with an element per request, in the order of
// sending.
func (s *Summary) MarshalJSON() ([]byte, error) {
	metrics, err := s.Metrics.MarshalJSON()
	if err != nil {
		return nil, err
	}
	rest, err := json.Marshal(besides{
		"servematrix bench", version(), time.Now().UTC().Format(time.RFC3339), s.Options.Tag, s.Simulated, s.Partial,
		s.Errors, s.config(), s.details(),
	})
	if err != nil {
		return nil, err
	}
	return bytes.Join([][]byte{bytes.TrimSuffix(metrics, []byte("}")), bytes.TrimPrefix(rest, []byte("{"))}, []byte(",")), nil
}

// besides is what the line of the output file holds behind the metrics.
type besides struct {
	Client    string             `json:"client"`
	Version   string             `json:"version"`
	Time      string             `json:"time"`
	Tag       string             `json:"tag,omitempty"`
	Simulated bool               `json:"simulated"`
	Partial   bool               `json:"partial"`
	Errors    []tally.ErrorClass `json:"errors"`
	Config    config             `json:"config"`
	Details   *details           `json:"details,omitempty"`
}

// config is what was asked for. Values of headers may be secrets: only names are kept.
type config struct {
	Backend string `json:"backend"`
	BaseURL string `json:"base_url"`
	Model   string `json:"model"`
	dataset.Description
	Seed             uint64   `json:"seed"`
	RequestRate      string   `json:"request_rate"`
	MaxConcurrency   int      `json:"max_concurrency,omitempty"`
	WarmupRequests   int      `json:"warmup_requests"`
	IgnoreEOS        bool     `json:"ignore_eos"`
	Stream           bool     `json:"stream"`
	FlushCache       bool     `json:"flush_cache"`
	TimeoutS         float64  `json:"timeout_s"`
	Headers          []string `json:"headers,omitempty"`
	ExtraRequestBody string   `json:"extra_request_body,omitempty"`
	Percentiles      string   `json:"percentiles"`
}

func (s *Summary) config() config {
	o, d, l, w := s.Options, s.Options.Dataset, s.Options.Load, s.Options.Wire
	return config{
		Backend: w.Backend, BaseURL: w.ShownURL(), Model: w.Model, Description: d.Describe(),
		Seed: o.Seed, RequestRate: pythonFloat(l.RequestRate), MaxConcurrency: l.MaxConcurrency,
		WarmupRequests: o.WarmupRequests, IgnoreEOS: !w.DisableIgnoreEOS, Stream: !w.DisableStream, FlushCache: o.FlushCache,
		TimeoutS: w.Timeout.Seconds(), Headers: w.HeaderNames(), ExtraRequestBody: w.ExtraRequestBody, Percentiles: o.Percentiles,
	}
}

// details are lists with an element per request; latencies in milliseconds, null where a
// request failed.
type details struct {
	Start      []float64   `json:"start_s"`
	InputLens  []int       `json:"input_lens"`
	OutputLens []int       `json:"output_lens"`
	TTFT       []*float64  `json:"ttft_ms"`
	E2E        []*float64  `json:"e2e_latency_ms"`
	ITL        [][]float64 `json:"itl_ms"`
	Errors     []string    `json:"errors"`
}

func (s *Summary) details() *details {
	if !s.Options.OutputDetails {
		return nil
	}
	d := &details{}
	for _, r := range s.records {
		d.Start = append(d.Start, r.Start.Seconds())
		d.InputLens, d.OutputLens = append(d.InputLens, r.Input), append(d.OutputLens, r.Output)
		gaps := make([]float64, len(r.Gaps))
		for i, gap := range r.Gaps {
			gaps[i] = tally.Millis(gap)
		}
		d.ITL = append(d.ITL, gaps)
		if r.Failed != nil {
			d.TTFT, d.E2E = append(d.TTFT, nil), append(d.E2E, nil)
			d.Errors = append(d.Errors, r.Failed.Class+": "+r.Failed.Message)
			continue
		}
		ttft, e2e := tally.Millis(r.TTFT), tally.Millis(r.E2E)
		d.E2E, d.Errors = append(d.E2E, &e2e), append(d.Errors, "")
		if s.Options.Wire.DisableStream {
			d.TTFT = append(d.TTFT, nil)
		} else {
			d.TTFT = append(d.TTFT, &ttft)
		}
	}
	return d
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
