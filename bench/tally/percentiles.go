package tally

import (
	"fmt"
	"strconv"
	"strings"

	"servematrix/metric"
)

// percentile is one to give of latencies: its number as in metric names, such as 99.9, and in percent.
type percentile struct {
	name  string
	value float64
}

// parsePercentiles reads a list such as 90,95,99.
func parsePercentiles(text string) (list []percentile, err error) {
	for field := range strings.SplitSeq(text, ",") {
		field = strings.TrimSpace(field)
		value, err := strconv.ParseFloat(field, 64)
		name, ok := metric.Percentile(field, "ttft_ms")
		if err != nil || !ok {
			return nil, fmt.Errorf("--percentiles %s: %q is no number from 0 to 100", text, field)
		}
		list = append(list, percentile{strings.TrimSuffix(strings.TrimPrefix(name, "p"), "_ttft_ms"), value})
	}
	return list, nil
}
