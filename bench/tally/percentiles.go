package tally

import (
	"fmt"
	"strconv"
	"strings"

	"servematrix/metric"
)

// Percentiles are those to give of latencies.
type Percentiles []Percentile

// Percentile is one of them: its number as in metric names, such as 99.9, and in percent.
type Percentile struct {
	Name  string
	Value float64
}

// ParsePercentiles reads a list such as 90,95,99.
func ParsePercentiles(text string) (list Percentiles, err error) {
	for field := range strings.SplitSeq(text, ",") {
		field = strings.TrimSpace(field)
		value, err := strconv.ParseFloat(field, 64)
		name, ok := metric.Percentile(field, "ttft_ms")
		if err != nil || !ok {
			return nil, fmt.Errorf("--percentiles %s: %q is no number from 0 to 100", text, field)
		}
		list = append(list, Percentile{strings.TrimSuffix(strings.TrimPrefix(name, "p"), "_ttft_ms"), value})
	}
	return list, nil
}
