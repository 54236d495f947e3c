package result

import (
	"fmt"

	"servematrix/engine"
	"servematrix/metric"
)

// ParserVersion counts the changes of these parsers that change what they read out of the same
// bytes. It is kept with each measurement, so that old results can be told from new ones.
const ParserVersion = 3

// Names of the clients that the parsers tell apart by what they print.
const (
	ClientSGLang      = "sglang.bench_serving"
	ClientVLLM        = "vllm bench serve"
	ClientServematrix = "servematrix bench"
	ClientOffline     = "sglang.bench_offline_throughput"
)

// Measurement is one result of a client, whatever the form in which it was printed.
type Measurement struct {
	// Metrics holds the numbers under the contract's names, NaN and infinity as the client
	// wrote them, so that the gate can name them.
	Metrics *metric.Values
	// Extra holds what has no contract name, by the client's own label or JSON key:
	// "Total generated tokens (retokenized)": 254763. A label that comes twice is kept the
	// second time as "section / label". Numbers that are not finite are strings ("inf").
	Extra map[string]any
	// Config is what the output reveals of the client's configuration: the arguments of its
	// Namespace(...) line and the configuration keys of its JSON. Credentials are masked.
	Config map[string]any
	// Client is ClientSGLang, ClientVLLM, ClientServematrix, the name of a profile with a layout,
	// or "" where the form does not tell.
	Client string
	// Source is "text", "json" (the file's only object), "jsonl" (one of several) or "csv".
	Source string
	// Simulated is true where the client says that it measured a simulated server.
	Simulated bool
	// Parser is the ParserVersion that read this.
	Parser int
	// Partial is true where the output was cut before the client had written all of it.
	Partial bool
	// Findings is what reading found out against this measurement; Judge takes it in.
	Findings []Reason

	// at is where it was read: its line, and when it is imported its file.
	at Source
	// profile is the client's, where its layout was read.
	profile *engine.ClientProfile
	// halfUnit is, for each metric that came from text, half a unit of the last digit printed.
	halfUnit map[string]float64
	// older marks a form that never had all that its client promises today.
	older bool
}

func newMeasurement(source string) *Measurement {
	return &Measurement{
		Metrics:  &metric.Values{},
		Extra:    map[string]any{},
		Config:   map[string]any{},
		Source:   source,
		Parser:   ParserVersion,
		halfUnit: map[string]float64{},
	}
}

// addExtra keeps a value under the first of the given names that is still free, and under a
// numbered one when none is.
func (m *Measurement) addExtra(value any, names ...string) {
	last := names[len(names)-1]
	for n := 2; ; n++ {
		for _, name := range names {
			if _, taken := m.Extra[name]; !taken {
				m.Extra[name] = value
				return
			}
		}
		names = []string{fmt.Sprintf("%s (%d)", last, n)}
	}
}

// halves are the names of each latency's median.
var halves = []struct{ p50, median string }{
	{"p50_ttft_ms", "median_ttft_ms"}, {"p50_tpot_ms", "median_tpot_ms"}, {"p50_itl_ms", "median_itl_ms"}, {"p50_e2e_latency_ms", "median_e2e_latency_ms"},
}

// complete fills in what the output says in another place: the median where a client gives only
// P50, which is the same number, and the requests asked for where only its arguments say so.
func (m *Measurement) complete() {
	for _, name := range halves {
		if p50, ok := m.Metrics.Known(name.p50); ok {
			if _, has := m.Metrics.Known(name.median); !has {
				m.Metrics.Set(name.median, p50)
			}
		}
	}
	if _, has := m.Metrics.Known("num_prompts"); !has {
		if n, ok := m.asked(); ok {
			m.Metrics.Set("num_prompts", float64(n))
		}
	}
}

// Asked tells the measurement how many requests its client was asked for, 0 where nobody knows;
// what the result itself says comes first. A client whose profile says that it does not count
// failures failed in all requests that are missing.
func (m *Measurement) Asked(requests int) {
	if _, told := m.Metrics.Known("num_prompts"); !told && requests > 0 {
		m.Metrics.Set("num_prompts", float64(requests))
	}
	asked, known := m.Metrics.Get("num_prompts")
	completed, also := m.Metrics.Get("completed")
	if _, counted := m.Metrics.Known("failed"); counted || !also || m.profile == nil || !m.profile.Layout.Missing {
		return
	}
	if known {
		m.Metrics.Set("failed", max(asked-completed, 0))
	} else {
		m.Findings = append(m.Findings, Reason{WrongRequestCount, SeverityWarning,
			fmt.Sprintf("%s counts no failures, and nobody knows how many requests it was asked for", m.profile.Name)})
	}
}

// asked is how many requests the client's arguments ask for. With SGLang's
// generated-shared-prefix dataset that is groups × prompts per group, whatever num_prompts says.
func (m *Measurement) asked() (int64, bool) {
	if m.Config["dataset_name"] == "generated-shared-prefix" {
		groups, ok := m.Config["gsp_num_groups"].(int64)
		each, also := m.Config["gsp_prompts_per_group"].(int64)
		return groups * each, ok && also
	}
	n, ok := m.Config["num_prompts"].(int64)
	return n, ok
}

// recognised tells a benchmark's result from any other text or JSON with a familiar word in it.
func (m *Measurement) recognised() bool {
	if m.older && m.Metrics.Len() > 0 {
		return true
	}
	for _, name := range []string{"duration_s", "completed", "request_throughput", "output_throughput"} {
		if _, ok := m.Metrics.Known(name); ok {
			return m.Metrics.Len() >= 2
		}
	}
	return false
}
