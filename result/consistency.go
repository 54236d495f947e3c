package result

import (
	"math"
	"strings"

	"servematrix/metric"
)

// Rounding to two decimals blurs small numbers; a difference counts beyond these.
const (
	blurMillis   = 0.02
	uniformError = 0.05 // relation of means when all requests have one length
	mixedFactor  = 3    // the same when lengths differ: only the order of magnitude is bound
	starvedRatio = 10   // mean TPOT over median TPOT
	starvedFloor = 0.1  // ms; below it the clock's grain decides
)

// latencies looks for numbers that cannot all be true: percentiles out of order, a first token
// after the last one, and an end-to-end latency that is not TTFT + (n−1) × TPOT, which holds for
// each request by the definition of TPOT. They are warnings: the throughput may still be right.
func (j *judge) latencies() {
	get := j.m.Metrics.Get
	for _, places := range rising {
		j.order(places)
	}
	ttft, okT := get("mean_ttft_ms")
	e2e, okE := get("mean_e2e_latency_ms")
	if okT && okE && ttft > e2e+blurMillis {
		j.warn(LatencyInconsistent, "mean TTFT %.2f ms is above mean E2E latency %.2f ms", ttft, e2e)
	}
	tpot, okP := get("mean_tpot_ms")
	if median, ok := get("median_tpot_ms"); ok && okP && tpot > starvedFloor && median < tpot/starvedRatio {
		j.warn(ClientStarved, "median TPOT %.3f ms is far below its mean %.3f ms: tokens arrived in bunches, the client may have had too little CPU", median, tpot)
	}
	tokens, okN := get("total_output_tokens")
	completed, okC := get("completed")
	if !okT || !okE || !okP || !okN || !okC || completed <= 0 || tokens <= completed {
		return
	}
	want := ttft + (tokens/completed-1)*tpot
	if _, uniform := expectedOutput(j.m); uniform {
		if math.Abs(e2e-want) > uniformError*want+tokens/completed*blurMillis {
			j.warn(LatencyInconsistent, "mean E2E latency is %.2f ms, TTFT and TPOT make it %.2f ms", e2e, want)
		}
	} else if e2e > want*mixedFactor+blurMillis || e2e*mixedFactor+blurMillis < want {
		j.warn(LatencyInconsistent, "mean E2E latency is %.2f ms, TTFT and TPOT make it about %.2f ms", e2e, want)
	}
}

// rising are the median and the percentiles of each latency.
var rising = func() (all [][]metric.Place) {
	for _, latency := range []string{"ttft_ms", "tpot_ms", "itl_ms", "e2e_latency_ms"} {
		var places []metric.Place
		for _, stat := range []string{"median", "p90", "p95", "p99", "max"} {
			p, _ := metric.PlaceOf(stat + "_" + latency)
			places = append(places, p)
		}
		all = append(all, places)
	}
	return all
}()

// order checks that the metrics, of one latency, rise.
func (j *judge) order(places []metric.Place) {
	below, first := 0.0, true
	var belowPlace metric.Place
	for _, p := range places {
		f, ok := j.m.Metrics.GetAt(p)
		if !ok {
			continue
		}
		if !first && f+blurMillis < below {
			j.warn(LatencyInconsistent, "%s is %.2f, below %s with %.2f", p.Name(), f, belowPlace.Name(), below)
			return
		}
		below, belowPlace, first = f, p, false
	}
}

// expectedOutput gives the tokens that the client's own arguments ask for, where they fix the
// length of every answer: random data without spread, and generation that ignores the end of
// text. SGLang means by random_range_ratio 1 what vLLM means by 0.
func expectedOutput(m *Measurement) (float64, bool) {
	dataset, _ := m.Config["dataset_name"].(string)
	if !strings.HasPrefix(dataset, "random") {
		return 0, false
	}
	length, okL := configNumber(m, "random_output_len")
	ratio, okR := configNumber(m, "random_range_ratio")
	requests, okN := m.Metrics.Get("num_prompts")
	if !okL || !okR || !okN {
		return 0, false
	}
	switch m.Client {
	case ClientSGLang:
		if disabled, known := m.Config["disable_ignore_eos"].(bool); !known || disabled || ratio != 1 {
			return 0, false
		}
	case ClientVLLM:
		if ignore, _ := m.Config["ignore_eos"].(bool); !ignore || ratio != 0 {
			return 0, false
		}
	default:
		return 0, false
	}
	return length * requests, true
}

func configNumber(m *Measurement, key string) (float64, bool) {
	if s, ok := m.Config[key].(string); ok {
		f, _, ok := parseNumber(s) // vLLM keeps its range ratio as text
		return f, ok && finite(f)
	}
	f, ok := toFloat(m.Config[key])
	return f, ok && finite(f)
}
