package compare

import (
	"slices"

	"servematrix/metric"
)

// usual are the metrics that a comparison looks at besides the primary one.
var usual = append(metric.Found(), "request_goodput",
	"output_throughput", "total_throughput", "input_throughput", "request_throughput",
	"mean_ttft_ms", "p99_ttft_ms", "mean_tpot_ms", "p99_tpot_ms", "mean_itl_ms", "p99_itl_ms", "mean_e2e_latency_ms", "p99_e2e_latency_ms")

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
