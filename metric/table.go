package metric

import (
	"slices"
	"strconv"
	"strings"
)

// Direction says which way a metric has to move to count as an improvement.
type Direction int

const (
	// Neutral metrics describe the load or the workload; no direction is good.
	Neutral Direction = iota
	// Higher is better: throughputs, acceptance.
	Higher
	// Lower is better: latencies, durations, failures.
	Lower
)

// String gives "higher", "lower" or "neutral".
func (d Direction) String() string {
	switch d {
	case Higher:
		return "higher"
	case Lower:
		return "lower"
	}
	return "neutral"
}

// Info describes one metric.
type Info struct {
	// Name is the contract's name, as in results.jsonl: "mean_ttft_ms".
	Name string
	// Unit is the unit of the number, "" where it has none: "ms", "s", "tok/s".
	Unit string
	// Label is the heading people read: "Mean TTFT (ms)".
	Label string
	// Better is the direction of improvement.
	Better Direction
	// About says what is counted or timed, in a sentence without its end.
	About string
}

// scalars are the metrics that are one number a run, in the contract's order.
var scalars = []Info{
	{"duration_s", "s", "Duration (s)", Lower, "from the first request to the end of the last"},
	{"completed", "requests", "Completed requests", Higher, "requests that were served"},
	{"failed", "requests", "Failed requests", Lower, "requests that were not served; `null` when the client does not count them"},
	{"num_prompts", "requests", "Requests asked for", Neutral, "requests that were asked for"},
	{"total_input_tokens", "tokens", "Total input tokens", Neutral, "input tokens of all served requests"},
	{"total_output_tokens", "tokens", "Total output tokens", Neutral, "generated tokens of all served requests"},
	{"request_throughput", "req/s", "Request throughput (req/s)", Higher, "`completed` per second"},
	{"input_throughput", "tok/s", "Input throughput (tok/s)", Higher, "input tokens per second"},
	{"output_throughput", "tok/s", "Output throughput (tok/s)", Higher, "generated tokens per second"},
	{"total_throughput", "tok/s", "Total throughput (tok/s)", Higher, "input and generated tokens per second"},
	{"peak_output_throughput", "tok/s", "Peak output throughput (tok/s)", Higher, "tokens that arrived in the best second. The seconds are fixed bins of one second, counted from the start; a run of some seconds only can show less than its mean `output_throughput`"},
	{"peak_concurrent_requests", "requests", "Peak concurrent requests", Neutral, "the most requests of which any part lies in one of these one-second bins: not at one moment, so with short requests it exceeds `max_concurrency`"},
	{"concurrency", "requests", "Concurrency", Neutral, "requests at one time, on average"},
	{"request_rate", "req/s", "Request rate (req/s)", Neutral, "requests per second that were asked for; `null` for \"as fast as possible\""},
	{"max_concurrency", "requests", "Max concurrency", Neutral, "the limit of requests at one time that was set"},
	{"accept_length", "tokens", "Accept length (tokens)", Higher, "tokens accepted per step of speculative decoding, on average"},
	{"max_request_rate", "req/s", "Max request rate within SLO (req/s)", Higher, "the largest request rate that met the service level objectives, as `bench --find max-rate` found it"},
	{"max_concurrency_found", "requests", "Max concurrency within SLO", Higher, "the most requests at one time that met them, as `bench --find max-concurrency` found it"},
}

// stats and latencies span the rest of the table; both in the contract's order.
var (
	stats = []struct{ name, label string }{
		{"mean", "Mean"}, {"median", "Median"}, {"std", "Std"},
		{"p90", "P90"}, {"p95", "P95"}, {"p99", "P99"}, {"max", "Max"},
	}
	latencies = []latency{
		{"ttft_ms", "TTFT", "time to first token"}, {"tpot_ms", "TPOT", "time per output token after the first"},
		{"itl_ms", "ITL", "between two tokens"}, {"e2e_latency_ms", "E2E latency", "end to end"},
	}
)

// sometimes are metrics that only some clients tell, and only of some runs: they are absent from
// other results, not null. In the order in which results hold them.
var sometimes = []Info{
	{"request_goodput", "req/s", "Request goodput (req/s)", Higher, "requests per second that kept all objectives that were set for them (`--goodput`)"},
	{"mean_send_lateness_ms", "ms", "Mean send lateness (ms)", Lower, "from when the schedule wanted a request sent to when it was"},
	{"p99_send_lateness_ms", "ms", "P99 send lateness (ms)", Lower, "from when the schedule wanted a request sent to when it was"},
	{"max_send_lateness_ms", "ms", "Max send lateness (ms)", Lower, "from when the schedule wanted a request sent to when it was"},
	{"mean_ttft_from_schedule_ms", "ms", "Mean TTFT from schedule (ms)", Lower, "TTFT counted from when the schedule wanted the request sent"},
	{"p99_ttft_from_schedule_ms", "ms", "P99 TTFT from schedule (ms)", Lower, "TTFT counted from when the schedule wanted the request sent"},
	{"mean_e2e_latency_from_schedule_ms", "ms", "Mean E2E latency from schedule (ms)", Lower, "end to end, counted from when the schedule wanted the request sent"},
	{"p99_e2e_latency_from_schedule_ms", "ms", "P99 E2E latency from schedule (ms)", Lower, "end to end, counted from when the schedule wanted the request sent"},
}

// baseNames is how many names the contract has besides further percentiles.
const baseNames = 46

// infos is the table, names its names.
var infos, names = build()

func build() (infos [baseNames]Info, names [baseNames]string) {
	all := slices.Clone(scalars)
	for _, s := range stats {
		for _, l := range latencies {
			all = append(all, latencyInfo(s.name, s.label, l))
		}
	}
	copy(infos[:], all)
	for i, info := range infos {
		names[i] = info.Name
	}
	return infos, names
}

// latency is one of the times that are told by their statistics.
type latency struct{ name, label, about string }

func latencyInfo(stat, statLabel string, l latency) Info {
	return Info{Name: stat + "_" + l.name, Unit: "ms", Label: statLabel + " " + l.label + " (ms)", Better: Lower, About: l.about}
}

// Names gives the contract's base names in the contract's order: the scalars, then each
// statistic (mean median std p90 p95 p99 max) over ttft_ms tpot_ms itl_ms e2e_latency_ms.
func Names() []string { return slices.Clone(names[:]) }

// Sometimes gives the names of metrics that only some clients tell, and only of some runs; where
// nobody told them they are absent.
func Sometimes() (list []string) {
	for _, info := range sometimes {
		list = append(list, info.Name)
	}
	return list
}

// seldom is a name's place in sometimes, -1 for another name.
func seldom(name string) int {
	return slices.IndexFunc(sometimes, func(info Info) bool { return info.Name == name })
}

// Lookup describes a metric by its contract name. Besides the base names it knows those of
// Sometimes and every percentile p<number>_<latency> such as "p99.9_ttft_ms"; the number is
// written in its shortest form ("p99.9", not "p99.90"), so that a metric has one name.
func Lookup(name string) (Info, bool) {
	if i, ok := place(name); ok {
		return infos[i], true
	}
	if i := seldom(name); i >= 0 {
		return sometimes[i], true
	}
	number, latency, ok := splitPercentile(name)
	if !ok {
		return Info{}, false
	}
	return latencyInfo("p"+number, "P"+number, latencies[latency]), true
}

// Percentile gives the contract's name of a percentile of a latency (one of ttft_ms tpot_ms
// itl_ms e2e_latency_ms): Percentile("99.90", "ttft_ms") is "p99.9_ttft_ms". It reports false
// for a number outside 0 to 100 and for an unknown latency.
func Percentile(number, latency string) (string, bool) {
	short, ok := shortest(number)
	if !ok {
		return "", false
	}
	name := "p" + short + "_" + latency
	_, known := Lookup(name)
	return name, known
}

// splitPercentile takes "p99.9_ttft_ms" apart into "99.9" and the latency's place in the table.
func splitPercentile(name string) (number string, latency int, ok bool) {
	rest, found := strings.CutPrefix(name, "p")
	if !found {
		return "", 0, false
	}
	number, tail, found := strings.Cut(rest, "_")
	if !found {
		return "", 0, false
	}
	if short, ok := shortest(number); !ok || short != number {
		return "", 0, false
	}
	for i, l := range latencies {
		if tail == l.name {
			return number, i, true
		}
	}
	return "", 0, false
}

// shortest brings a percentile's number to the form that names use.
func shortest(number string) (string, bool) {
	for _, c := range number {
		if (c < '0' || c > '9') && c != '.' {
			return "", false // signs, exponents, "inf", "nan"
		}
	}
	f, err := strconv.ParseFloat(number, 64)
	if err != nil || f < 0 || f > 100 {
		return "", false
	}
	return strconv.FormatFloat(f, 'f', -1, 64), true
}
