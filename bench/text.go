package bench

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"servematrix/bench/tally"
	"servematrix/metric"
)

const blockWidth = 50

// WriteText writes the result block in the layout of sglang.bench_serving: titles centred in 50
// signs, rows "{label:<40} {value:<10}". It has more rows than sglang's: Failed requests; goodput, as
// vLLM's client words it; of every latency the standard deviation, the maximum and all percentiles
// that were asked for, where sglang's has some of these for some latencies; what a schedule adds; what
// a search found; Errors by class; and, where there is something to say, that the server was a
// simulated one, the measurement cut short, the client its limit or the definitions others. It lacks
// what needs a tokenizer here (retokenized tokens) and what is about images.
func (s *Summary) WriteText(w io.Writer) error {
	b := &block{}
	m := s.Metrics
	o := s.Options
	b.line("")
	b.title(" Serving Benchmark Result ", "=")
	b.row("Backend:", o.Wire.Backend)
	if s.Simulated {
		b.row("Server:", "simulated")
	}
	if s.Partial {
		b.row("Partial:", s.Reason)
	}
	for _, reason := range s.Bottleneck {
		b.row("Client bottleneck:", reason)
	}
	if o.Tally.Definitions != tally.SGLang {
		b.row("Definitions:", o.Tally.Definitions)
	}
	b.row("Traffic request rate:", s.rate())
	if o.Load.MaxConcurrency > 0 {
		b.row("Max request concurrency:", strconv.Itoa(o.Load.MaxConcurrency))
	} else {
		b.row("Max request concurrency:", "not set")
	}
	s.search(b)
	b.count("Successful requests:", m.Value("completed"))
	b.count("Failed requests:", m.Value("failed"))
	b.number("Benchmark duration (s):", m.Value("duration_s"))
	b.count("Total input tokens:", m.Value("total_input_tokens"))
	b.count("Total generated tokens:", m.Value("total_output_tokens"))
	b.number("Request throughput (req/s):", m.Value("request_throughput"))
	if goodput, ok := m.Get("request_goodput"); ok {
		b.number("Request goodput (req/s):", goodput)
	}
	b.number("Input token throughput (tok/s):", m.Value("input_throughput"))
	b.number("Output token throughput (tok/s):", m.Value("output_throughput"))
	if peak, ok := m.Get("peak_output_throughput"); ok {
		b.number("Peak output token throughput (tok/s):", peak)
	}
	if peak, ok := m.Get("peak_concurrent_requests"); ok {
		b.count("Peak concurrent requests:", peak)
	}
	b.number("Total token throughput (tok/s):", m.Value("total_throughput"))
	b.number("Concurrency:", m.Value("concurrency"))
	if length, ok := m.Get("accept_length"); ok {
		b.number("Accept length:", length)
	}
	for _, section := range []struct{ title, label, metric string }{
		{"End-to-End Latency", "E2E Latency", "e2e_latency_ms"},
		{"Time to First Token", "TTFT", "ttft_ms"},
		{"Time per Output Token (excl. 1st token)", "TPOT", "tpot_ms"},
		{"Inter-Token Latency", "ITL", "itl_ms"},
	} {
		s.section(b, section.title, section.label, section.metric)
	}
	s.schedule(b)
	if len(s.Errors) > 0 {
		b.title("Errors", "-")
		for _, e := range s.Errors {
			b.row(e.Class+":", strconv.Itoa(e.Count))
		}
	}
	b.line(strings.Repeat("=", blockWidth))
	_, err := io.WriteString(w, b.text.String())
	return err
}

// search writes what a search found; nothing where none was made.
func (s *Summary) search(b *block) {
	if s.Find == nil {
		return
	}
	b.row("Service level objectives:", s.Find.SLO.String())
	b.row("Search:", strings.ReplaceAll(s.Find.Outcome, "_", " "))
	for _, name := range metric.Found() {
		if value, ok := s.Metrics.Get(name); ok {
			info, _ := metric.Lookup(name)
			b.row(info.Label+":", strconv.FormatFloat(value, 'f', -1, 64))
		}
	}
}

// section writes the statistics of one latency; nothing where none was measured.
func (s *Summary) section(b *block, title, label, latency string) {
	if _, ok := s.Metrics.Get("mean_" + latency); !ok {
		return
	}
	b.title(title, "-")
	b.number("Mean "+label+" (ms):", s.Metrics.Value("mean_"+latency))
	b.number("Median "+label+" (ms):", s.Metrics.Value("median_"+latency))
	b.number("Std "+label+" (ms):", s.Metrics.Value("std_"+latency))
	for _, p := range s.Options.Tally.PercentileNames() {
		b.number("P"+p+" "+label+" (ms):", s.Metrics.Value("p"+p+"_"+latency))
	}
	b.number("Max "+label+" (ms):", s.Metrics.Value("max_"+latency))
}

// schedule writes how far sending kept to its schedule, and what latencies are from there.
func (s *Summary) schedule(b *block) {
	told := false
	for _, name := range metric.Sometimes() {
		value, ok := s.Metrics.Get(name)
		if info, _ := metric.Lookup(name); ok && info.Unit == "ms" {
			if !told {
				b.title("From Schedule", "-")
			}
			b.number(info.Label+":", value)
			told = true
		}
	}
}

// block builds the text.
type block struct{ text strings.Builder }

func (b *block) line(s string)              { b.text.WriteString(s + "\n") }
func (b *block) row(label, value string)    { fmt.Fprintf(&b.text, "%-40s %-10s\n", label, value) }
func (b *block) number(l string, v float64) { b.row(l, strconv.FormatFloat(v, 'f', 2, 64)) }
func (b *block) count(l string, v float64)  { b.row(l, strconv.FormatFloat(v, 'f', 0, 64)) }

// title centres text as Python's format does: of an odd rest the larger part goes to the right.
func (b *block) title(text, fill string) {
	rest := max(blockWidth-len(text), 0)
	b.line(strings.Repeat(fill, rest/2) + text + strings.Repeat(fill, rest-rest/2))
}

// pythonFloat writes a float as Python's str does for the values a rate has: inf, 20.0, 0.5.
func pythonFloat(f float64) string {
	switch {
	case math.IsInf(f, 1):
		return "inf"
	case f == math.Trunc(f) && f < 1e16:
		return strconv.FormatFloat(f, 'f', 1, 64)
	}
	return strconv.FormatFloat(f, 'g', -1, 64)
}
