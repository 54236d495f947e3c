package telemetry

import (
	"bytes"
	"context"
	"errors"
	"regexp"
	"slices"
	"strconv"
	"time"

	"servematrix/engine"
)

// answerLimit is how long an engine may take to answer; an answer that comes later is none.
const answerLimit = time.Second

// ErrNoMetrics says that a server has no page of metrics, and that to ask again helps nothing.
var ErrNoMetrics = errors.New("no metrics")

// EngineMeter asks an engine's page of metrics, in Prometheus' text format
// (https://prometheus.io/docs/instrumenting/exposition_formats/), for a few gauges.
type EngineMeter struct {
	Page   func(context.Context) ([]byte, error)
	Gauges engine.Gauges // their names on the page
	over   bool
}

// Look asks once. An engine that has no page or none of the gauges is asked no more; one
// that does not answer is asked again next time.
func (m *EngineMeter) Look(ctx context.Context) []Reading {
	if m.over {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, answerLimit)
	defer cancel()
	page, err := m.Page(ctx)
	if err != nil {
		m.over = errors.Is(err, ErrNoMetrics)
		return nil
	}
	state := pick(page, m.Gauges)
	if m.over = state == (Engine{}); m.over {
		return nil
	}
	return []Reading{{Engine: &state}}
}

// pick takes the gauges from a page. A page can have thousands of lines, so only those whose
// name is wanted are read further.
func pick(page []byte, g engine.Gauges) Engine {
	wanted := slices.Concat(g.Running, g.Waiting, g.KVCache)
	series := map[string][]float64{}
	for line := range bytes.Lines(page) {
		end := bytes.IndexAny(line, "{ \t")
		if end <= 0 || line[0] == '#' || !slices.Contains(wanted, string(line[:end])) {
			continue
		}
		if v, ok := sample(line[end:]); ok {
			name := string(line[:end])
			series[name] = append(series[name], v)
		}
	}
	// Of several engines behind one server requests are added up.
	return Engine{Running: first(series, g.Running, sum), Waiting: first(series, g.Waiting, sum), KVCache: first(series, g.KVCache, slices.Max[[]float64])}
}

// first gives what the series of the first of the names that has any are together; nil where none has.
func first(series map[string][]float64, names []string, together func([]float64) float64) *float64 {
	for _, name := range names {
		if all := series[name]; len(all) > 0 {
			return new(rounded(together(all)))
		}
	}
	return nil
}

func sum(values []float64) (s float64) {
	for _, v := range values {
		s += v
	}
	return s
}

// shard are the labels of ranks that tell the same as rank 0 of their engine does.
var shard = regexp.MustCompile(`[{,](?:tp|pp)_rank="[1-9]`)

// sample reads what stands behind the name of a line: labels, the value, perhaps a time.
func sample(rest []byte) (float64, bool) {
	if labels := bytes.LastIndexByte(rest, '}'); labels >= 0 {
		if shard.Match(rest[:labels]) {
			return 0, false
		}
		rest = rest[labels+1:]
	}
	words := bytes.Fields(rest)
	if len(words) == 0 {
		return 0, false
	}
	v, err := strconv.ParseFloat(string(words[0]), 64)
	return v, err == nil && v >= 0 && v < 1e15
}
