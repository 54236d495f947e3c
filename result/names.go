package result

import (
	"regexp"
	"strings"

	"servematrix/metric"
)

// textNames maps the labels that clients print, in lower case and without their unit, to the
// contract's names. Both clients' labels of all years are here: SGLang wrote "Max reqeuest
// concurrency" until May 2025, vLLM "Total Token throughput" until December 2025.
var textNames = map[string]string{
	"successful requests":          "completed",
	"failed requests":              "failed",
	"benchmark duration":           "duration_s",
	"total input tokens":           "total_input_tokens",
	"total generated tokens":       "total_output_tokens",
	"request throughput":           "request_throughput",
	"input token throughput":       "input_throughput",
	"output token throughput":      "output_throughput",
	"total token throughput":       "total_throughput",
	"peak output token throughput": "peak_output_throughput",
	"peak concurrent requests":     "peak_concurrent_requests",
	"concurrency":                  "concurrency",
	"traffic request rate":         "request_rate",
	"request rate configured":      "request_rate",
	"max reqeuest concurrency":     "max_concurrency",
	"max request concurrency":      "max_concurrency",
	"maximum request concurrency":  "max_concurrency",
	"accept length":                "accept_length",
	"acceptance length":            "accept_length",
}

func init() {
	// The contract's own headings are labels too.
	for _, name := range append(metric.Names(), metric.Sometimes()...) {
		info, _ := metric.Lookup(name)
		label, _ := splitUnit(info.Label)
		if _, taken := textNames[label]; !taken {
			textNames[label] = name
		}
	}
}

// jsonNames maps result keys of the clients' JSON to the contract's names.
var jsonNames = map[string]string{
	"duration":                      "duration_s",
	"total_token_throughput":        "total_throughput",
	"max_output_tokens_per_s":       "peak_output_throughput",
	"max_concurrent_requests":       "peak_concurrent_requests",
	"acceptance_length":             "accept_length",
	"spec_decode_acceptance_length": "accept_length",
}

// jsonLabels gives JSON keys the label under which the same client prints the same number, so
// that Extra holds it once. "-" stands for a key whose number is another one's twin.
var jsonLabels = map[string]string{
	"total_output_tokens_retokenized":     "Total generated tokens (retokenized)",
	"total_output_retokenized":            "Total generated tokens (retokenized)",
	"total_input_text_tokens":             "Total input text tokens",
	"total_input_vision_tokens":           "Total input vision tokens",
	"rtfx":                                "RTFx (Inverse Real-Time Factor)",
	"spec_decode_acceptance_rate":         "Acceptance rate (%)",
	"spec_decode_num_drafts":              "Drafts",
	"spec_decode_draft_tokens":            "Draft tokens",
	"spec_decode_num_draft_tokens":        "Draft tokens",
	"spec_decode_accepted_tokens":         "Accepted tokens",
	"spec_decode_num_accepted_tokens":     "Accepted tokens",
	"spec_decode_per_position_acceptance": "Per-position acceptance",
}

// configKeys are keys of the clients' JSON that say what was asked, not what was measured.
// Keys that are not listed count as configuration when they hold text.
var configKeys = map[string]bool{
	"tag": true, "backend": true, "dataset_name": true, "endpoint_type": true, "label": true,
	"model_id": true, "tokenizer_id": true, "date": true, "burstiness": true, "model": true,
	"sharegpt_output_len": true, "random_input_len": true, "random_output_len": true,
	"random_range_ratio": true, "random_prefix_len": true, "seed": true, "ignore_eos": true,
	"num_prompts": true, "request_rate": true, "max_concurrency": true,
	"best_of": true, "use_beam_search": true, "temperature": true, "top_p": true, "top_k": true,
	"ramp_up_strategy": true, "ramp_up_start_rps": true, "ramp_up_end_rps": true,
}

var latencyNames = map[string]string{
	"ttft": "ttft_ms", "tpot": "tpot_ms", "itl": "itl_ms",
	"e2el": "e2e_latency_ms", "e2e latency": "e2e_latency_ms", "e2e_latency": "e2e_latency_ms",
	"end-to-end latency": "e2e_latency_ms",
}

var (
	unitAtEnd   = regexp.MustCompile(`^(.*?)\s*\(([a-zA-Z/% ]+)\)$`)
	statAtStart = regexp.MustCompile(`^(mean|median|std|max|p\d+(?:\.\d+)?)[ _](.+)$`)
)

// splitUnit brings a label into the form of textNames and takes its unit off.
func splitUnit(label string) (name, unit string) {
	name = strings.ToLower(strings.Join(strings.Fields(label), " "))
	if m := unitAtEnd.FindStringSubmatch(name); m != nil {
		switch m[2] {
		case "s", "ms", "req/s", "tok/s", "rps", "tokens", "tokens/s", "requests/s":
			return m[1], m[2]
		}
	}
	return name, ""
}

// textMetric gives the contract's name for a printed label and the factor that brings its
// value to the contract's unit.
func textMetric(label string) (name string, factor float64, ok bool) {
	base, unit := splitUnit(label)
	if name, ok := textNames[base]; ok {
		info, _ := metric.Lookup(name)
		factor, ok := unitFactor(unit, info.Unit)
		return name, factor, ok
	}
	m := statAtStart.FindStringSubmatch(base)
	if m == nil {
		return "", 0, false
	}
	latency, known := latencyNames[m[2]]
	if !known {
		return "", 0, false
	}
	factor, ok = unitFactor(unit, "ms")
	if !ok {
		return "", 0, false
	}
	name, ok = statName(m[1], latency)
	return name, factor, ok
}

// jsonMetric gives the contract's name for a JSON key.
func jsonMetric(key string) (string, bool) {
	if name, ok := jsonNames[key]; ok {
		return name, true
	}
	if _, ok := metric.Lookup(key); ok {
		return key, true
	}
	base, ok := strings.CutSuffix(key, "_ms")
	if !ok {
		return "", false
	}
	m := statAtStart.FindStringSubmatch(base)
	if m == nil {
		return "", false
	}
	latency, known := latencyNames[m[2]]
	if !known {
		return "", false
	}
	return statName(m[1], latency)
}

func statName(stat, latency string) (string, bool) {
	if number, ok := strings.CutPrefix(stat, "p"); ok {
		return metric.Percentile(number, latency)
	}
	return stat + "_" + latency, true
}

// unitFactor says by what a printed number has to be multiplied, or that the unit does not fit:
// then the row is not the metric that its label suggests.
func unitFactor(printed, wanted string) (float64, bool) {
	switch {
	case printed == "" || printed == wanted:
		return 1, true
	case printed == "s" && wanted == "ms":
		return 1000, true
	case printed == "ms" && wanted == "s":
		return 0.001, true
	case printed == "rps" && wanted == "req/s", printed == "requests/s" && wanted == "req/s",
		printed == "tokens/s" && wanted == "tok/s":
		return 1, true
	}
	return 0, false
}
