package find

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"servematrix/metric"
	"servematrix/spelling"
)

// Objective is one condition of an SLO.
type Objective struct {
	// Metric is a latency by its contract name, such as p99_ttft_ms, or Goodput.
	Metric string `json:"metric"`
	// Op is < or <= of a latency, > or >= of Goodput.
	Op string `json:"op"`
	// Limit is in milliseconds, or a share.
	Limit float64 `json:"limit"`
}

// Goodput is the share of the requests that kept the objectives of --goodput, 0 to 1.
const Goodput = "goodput"

func (o Objective) String() string { return o.Metric + o.Op + number(o.Limit) }

// value takes what the objective is about out of a measurement.
func (o Objective) value(m *metric.Values) (float64, bool) {
	if o.Metric != Goodput {
		return m.Get(o.Metric)
	}
	good, told := m.Get("request_goodput")
	served, _ := m.Get("request_throughput")
	return good / served, told && served > 0
}

// met tells whether a value meets the objective.
func (o Objective) met(value float64) bool {
	switch {
	case value == o.Limit:
		return strings.HasSuffix(o.Op, "=")
	case o.Metric == Goodput:
		return value > o.Limit
	}
	return value < o.Limit
}

// load is how much of what the objective allows a value takes up: 1 is the limit itself. Of a
// goodput that is the share of the requests that may be bad.
func (o Objective) load(value float64) float64 {
	if o.Metric == Goodput {
		value, o.Limit = 1-value, 1-o.Limit
	}
	if value == 0 {
		return 0 // of a limit of nothing, too
	}
	return value / o.Limit
}

// SLO is a list of objectives, all of which have to be met.
type SLO []Objective

func (s SLO) String() string {
	texts := make([]string, len(s))
	for i, o := range s {
		texts[i] = o.String()
	}
	return strings.Join(texts, ",")
}

// ParseSLO reads objectives such as p99_ttft_ms<500,mean_tpot_ms<=50,goodput>=0.95. A metric is
// Goodput, or a latency by its name in results: mean_, median_, std_, max_ or any percentile of
// ttft_ms, tpot_ms, itl_ms and e2e_latency_ms. An error names the place, counted in signs from 1.
func ParseSLO(text string) (SLO, error) {
	var slo SLO
	at := 0
	for part := range strings.SplitSeq(text, ",") {
		o, offset, problem := parseObjective(part)
		if problem == "" && slices.ContainsFunc(slo, func(other Objective) bool { return other.Metric == o.Metric }) {
			problem = o.Metric + " has a limit already"
		}
		if problem != "" {
			return nil, fmt.Errorf("%q at %d: %s", text, len([]rune(text[:at+offset]))+1, problem)
		}
		slo = append(slo, o)
		at += len(part) + 1
	}
	return slo, nil
}

// parseObjective reads one objective. A problem comes with the offset in part where it is.
func parseObjective(part string) (o Objective, offset int, problem string) {
	begin := len(part) - len(strings.TrimLeft(part, " "))
	sign := strings.IndexAny(part, "<>=")
	name := strings.TrimSpace(part)
	if sign >= 0 {
		name = strings.TrimSpace(part[:sign])
	}
	if name == "" {
		return o, begin, "want METRIC<LIMIT, such as p99_ttft_ms<500"
	}
	if problem := unfit(name); problem != "" {
		return o, begin, problem
	}
	if sign < 0 {
		return o, len(strings.TrimRight(part, " ")), fmt.Sprintf("no limit follows %s: want %s<LIMIT", name, name)
	}
	rest := strings.TrimLeft(part[sign:], "<>=")
	o.Metric, o.Op = name, part[sign:len(part)-len(rest)]
	better, op, most, unit := "less", "<", math.MaxFloat64, "a number of more than 0, in ms"
	if name == Goodput {
		better, op, most, unit = "more", ">", 1, "a share of more than 0, at most 1"
	}
	if o.Op != op && o.Op != op+"=" {
		return o, sign, fmt.Sprintf("%q: %s is better of %s, so its limit follows %s or %s=", o.Op, better, name, op, op)
	}
	limit, err := strconv.ParseFloat(strings.TrimSpace(rest), 64)
	if err != nil || !(limit > 0 && limit <= most) {
		return o, len(part) - len(strings.TrimLeft(rest, " ")), fmt.Sprintf("%q is no limit: want %s", strings.TrimSpace(rest), unit)
	}
	o.Limit = limit
	return o, 0, ""
}

// unfit says why a search cannot go by a metric; "" where it can.
func unfit(name string) string {
	info, known := metric.Lookup(name)
	switch {
	case name == Goodput:
	case !known:
		return fmt.Sprintf("%q is no metric, %s", name, spelling.DidYouMean(name, bounded()))
	case info.Unit != "ms":
		return fmt.Sprintf("%s does not get worse with the load; an SLO bounds latencies, such as p99_ttft_ms, mean_tpot_ms or p95_e2e_latency_ms, and goodput", name)
	}
	return ""
}

// bounded are the names of what an SLO can bound, less percentiles that are not in the table.
func bounded() []string {
	return append(slices.DeleteFunc(metric.Names(), func(name string) bool { return unfit(name) != "" }), Goodput)
}

// Percentiles are the numbers of the percentiles that the SLO asks for: 99 for p99_ttft_ms.
func (s SLO) Percentiles() (numbers []string) {
	for _, o := range s {
		if name, found := strings.CutPrefix(o.Metric, "p"); found {
			number, _, _ := strings.Cut(name, "_")
			numbers = append(numbers, number)
		}
	}
	return numbers
}

// NeedsGoodput tells whether the SLO bounds the goodput.
func (o Options) NeedsGoodput() bool {
	slo, _ := ParseSLO(o.SLO) // checked
	return slices.ContainsFunc(slo, func(o Objective) bool { return o.Metric == Goodput })
}

// NeedsStream tells whether the SLO bounds what only a streamed answer has.
func (o Options) NeedsStream() bool {
	slo, _ := ParseSLO(o.SLO) // checked
	return slices.ContainsFunc(slo, func(o Objective) bool {
		return o.Metric != Goodput && !strings.Contains(o.Metric, "_e2e_latency_") && !strings.Contains(o.Metric, "_send_lateness_")
	})
}

// shown is the value in a table.
func (o Objective) shown(m *metric.Values) string {
	value, known := o.value(m)
	if !known {
		return "-"
	}
	return short(value)
}
