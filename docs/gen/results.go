package main

import (
	"fmt"
	"strings"

	"servematrix/metric"
)

// metrics draws those that are one number a sample, latencies the rest of the table.
func metrics([]string) (string, error) {
	var rows [][]string
	for _, name := range metric.Names() {
		info, _ := metric.Lookup(name)
		if info.About == "" {
			return "", fmt.Errorf("nothing says what %s is", name)
		}
		if strings.HasPrefix(name, "mean_") {
			break // the latencies come last
		}
		better := info.Better.String()
		if info.Better == metric.Neutral {
			better = ""
		}
		rows = append(rows, []string{code(name), info.Unit, info.About, better})
	}
	return table([]string{"name", "unit", "is", "better"}, rows), nil
}

// seldom draws the metrics that only some clients tell, and only of some runs.
func seldom([]string) (string, error) {
	var rows [][]string
	for _, name := range metric.Sometimes() {
		info, _ := metric.Lookup(name)
		rows = append(rows, []string{code(name), info.Unit, info.About, info.Better.String()})
	}
	return table([]string{"name", "unit", "is", "better"}, rows), nil
}

func latencies([]string) (string, error) {
	var rows [][]string
	head := []string{""}
	for _, name := range metric.Names() {
		stat, latency, found := strings.Cut(name, "_")
		info, _ := metric.Lookup(name)
		if !found || info.Unit != "ms" {
			continue
		}
		if latency == "ttft_ms" {
			rows = append(rows, []string{stat})
		}
		if stat == "mean" {
			head = append(head, info.About)
		}
		rows[len(rows)-1] = append(rows[len(rows)-1], code(name))
	}
	return table(head, rows), nil
}

// columns lists the metrics' columns of results.csv.
func columns([]string) (string, error) {
	var b strings.Builder
	b.WriteString("```text\n")
	line := 0
	for _, name := range metric.Names() {
		if line > 0 && (line+len(name) > 110 || strings.HasSuffix(name, "_ttft_ms")) {
			b.WriteString("\n")
			line = 0
		} else if line > 0 {
			b.WriteString(" ")
		}
		b.WriteString(name)
		line += len(name) + 1
	}
	return b.String() + "\n```\n", nil
}
